// Claims on the signs for what the host did.
#include "report/anomalies/host_marks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/trace_for_test.h"

namespace lockstep::report::anomalies {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Time ns(std::int64_t count) { return Time{count * kPicosecondsPerNanosecond}; }
HostWindow window(std::int64_t from, std::int64_t to) {
  return {{ns(from).ps, ns(to).ps}, ns(1000)};
}

std::vector<std::string> signs_of(const std::vector<DrawnSpan>& spans) {
  std::vector<std::string> signs;
  for (const DrawnSpan& span : spans) {
    signs.push_back(std::to_string(floor_ns(span.start)) + std::string(span.glyph));
  }
  return signs;
}

std::vector<std::string> signs_in(const trace::TestTrace& made, std::int64_t from,
                                  std::int64_t to) {
  const std::vector<HostWindow> windows = {window(from, to)};
  return signs_of(host_marks(made.trace, trace::RankId{0}, windows)[0]);
}

TEST(HostMarks, EveryKindOfEventHasItsSign) {
  trace::TestTrace made;
  made.add(made.host, trace::Kind::kRuntimeCall, "cudaStreamSynchronize", 0, 18);
  made.add(made.host, trace::Kind::kRuntimeCall, "cudaMemcpyAsync", 20, 17);
  made.add(made.host, trace::Kind::kHostOp, "c10d::allreduce_", 40, 16);
  made.add(made.host, trace::Kind::kRuntimeCall, "cudaLaunchKernel", 60, 15);
  made.add(made.host, trace::Kind::kHostOp, "aten::mm", 80, 14);
  made.add(made.host, trace::Kind::kPython, "train.py(7): step", 100, 13);
  made.add(made.host, trace::Kind::kOverhead, "Buffer Flush", 120, 12);
  made.add(made.host, trace::Kind::kAnnotation, "ProfilerStep#1", 0, 500);
  EXPECT_THAT(signs_in(made, 0, 200),
              ElementsAre("0s", "20s", "40c", "60r", "80o", "100p", "120x"));
}

TEST(HostMarks, OnlyLeavesShowWork) {
  trace::TestTrace made;
  made.add(made.host, trace::Kind::kPython, "forward", 0, 300);
  made.add(made.host, trace::Kind::kHostOp, "aten::linear", 100, 100);
  made.add(made.host, trace::Kind::kHostOp, "aten::addmm", 110, 80);
  EXPECT_THAT(signs_in(made, 0, 300), ElementsAre("0-", "100-", "110o"));
}

TEST(HostMarks, WhatLiesOutsideTheWindowMakesAHolderToo) {
  trace::TestTrace made;
  made.add(made.host, trace::Kind::kPython, "forward", 0, 300);
  made.add(made.host, trace::Kind::kHostOp, "aten::mm", 10, 20);
  EXPECT_THAT(signs_in(made, 200, 300), ElementsAre("0-"));
}

TEST(HostMarks, ThreadsDoNotHoldEachOther) {
  trace::TestTrace made;
  const trace::TrackId other = made.add_host_thread("2");
  made.add(made.host, trace::Kind::kHostOp, "aten::mm", 0, 100);
  made.add(other, trace::Kind::kHostOp, "aten::add", 10, 20);
  EXPECT_THAT(signs_in(made, 0, 100), ElementsAre("0o", "10o"));
}

TEST(HostMarks, LongerEventsThanTheStepAreLeftOut) {
  trace::TestTrace made;
  made.add(made.host, trace::Kind::kPython, "main", 0, 1001);
  EXPECT_THAT(signs_in(made, 0, 100), IsEmpty());
}

TEST(HostMarks, WindowsMayOverlapAndStandInAnyOrder) {
  trace::TestTrace made;
  made.add(made.host, trace::Kind::kHostOp, "a", 0, 10);
  made.add(made.host, trace::Kind::kHostOp, "b", 95, 10);
  made.add(made.host, trace::Kind::kHostOp, "c", 150, 10);
  const std::vector<HostWindow> windows = {window(100, 200), window(0, 400), window(5, 20)};
  const auto marks = host_marks(made.trace, trace::RankId{0}, windows);
  EXPECT_THAT(signs_of(marks[0]), ElementsAre("150o", "95o"));
  EXPECT_THAT(signs_of(marks[1]), ElementsAre("150o", "95o", "0o"));
  EXPECT_THAT(signs_of(marks[2]), ElementsAre("0o"));
}

TEST(HostMarks, OtherRanksAndDevicesAreNotAsked) {
  trace::TestTrace made;
  const trace::TrackId stream = made.add_stream(made.add_device("0"), "7");
  made.add(stream, trace::Kind::kSynchronize, "Event Sync", 0, 10);
  made.add_rank(1);
  made.add(made.host, trace::Kind::kHostOp, "aten::mm", 0, 10);
  EXPECT_THAT(signs_in(made, 0, 100), IsEmpty());
}

}  // namespace
}  // namespace lockstep::report::anomalies
