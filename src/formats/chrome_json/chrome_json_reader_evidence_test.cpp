// Claims on a reading that keeps only what analyses read.
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "formats/chrome_json/reading_for_test.h"
#include "trace/evidence.h"

namespace lockstep::formats::chrome_json {
namespace {

trace::Trace read_evidence(std::string_view json, std::size_t chunk_bytes = 256 * 1024) {
  shared::ReadOptions options;
  options.keep_arguments = trace::KeepArguments::kEvidence;
  options.chunk_bytes = chunk_bytes;
  Result<trace::Trace> read = try_read(json, options);
  EXPECT_TRUE(read.ok()) << (read.ok() ? "" : read.error().text());
  return read.ok() ? std::move(read).value() : trace::Trace();
}

// "key=text" of every argument of an event.
std::string kept(const trace::Trace& trace, std::uint32_t event) {
  std::string out;
  for (const trace::Argument& argument : trace.arguments.of(trace::EventId{event})) {
    EXPECT_EQ(argument.type, trace::Argument::Type::kString);
    out += std::string(trace.text(argument.key)) + "=" +
           std::string(trace.text(argument.as_string())) + ";";
  }
  return out;
}

constexpr std::string_view kOperator =
    R"({"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 10, "dur": 5,
        "args": {"External id": 7, "Concrete Inputs": ["", "[4]"], "Input type": ["float", ""],
        "Input Strides": [[8, 1], []], "Input Dims": [[2, 8], []] , "Ev Idx": 3}})";

TEST(Evidence, OfAnOperatorIsTheTextOfItsShapes) {
  const std::string json = document({kOperator});
  for (const std::size_t chunk : {1, 7, 100, 100'000}) {
    EXPECT_EQ(kept(read_evidence(json, chunk), 0), "Input Dims=[[2, 8], []];") << chunk;
  }
}

TEST(Evidence, IsWhatAllArgumentsHoldToo) {
  shared::ReadOptions all;
  all.keep_arguments = trace::KeepArguments::kAll;
  const std::string json = document({kOperator});
  const Result<trace::Trace> whole = try_read(json, all);
  ASSERT_TRUE(whole.ok());
  const trace::Trace some = read_evidence(json);
  const auto in_whole = trace::EvidenceReader(whole.value()).shapes(trace::EventId{0});
  const auto in_some = trace::EvidenceReader(some).shapes(trace::EventId{0});
  ASSERT_TRUE(in_whole && in_some);
  EXPECT_EQ(whole.value().text(StringId{static_cast<std::uint32_t>(*in_whole)}),
            some.text(StringId{static_cast<std::uint32_t>(*in_some)}));
}

TEST(Evidence, ShapesMayStandFirstOrAloneOrBeText) {
  const trace::Trace trace = read_evidence(document({
      R"({"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":10,"dur":5,"args":{"Input Dims":[[1]],"External id":7}})",
      R"({"ph":"X","cat":"cpu_op","name":"b","pid":1,"tid":1,"ts":20,"dur":5,"args":{"Input Dims":";\r\n4,4"}})",
      R"({"ph":"X","cat":"cpu_op","name":"c","pid":1,"tid":1,"ts":30,"dur":5,"args":{"External id":9,"Input Dimsy":[[1]]}})",
      R"({"ph":"X","cat":"cpu_op","name":"d","pid":1,"tid":1,"ts":40,"dur":5})",
  }));
  EXPECT_EQ(kept(trace, 0), "Input Dims=[[1]];");
  EXPECT_EQ(kept(trace, 1), "Input Dims=;\r\n4,4;");
  EXPECT_EQ(kept(trace, 2), "");
  EXPECT_EQ(kept(trace, 3), "");
}

TEST(Evidence, OfAKernelOfAscendIsItsTypeAndNotItsStream) {
  const trace::Trace trace = read_evidence(document({
      R"({"ph":"X","name":"MatMul","pid":1,"tid":2,"ts":10,"dur":5,"args":{"Model Id":4,"Task Type":"AI_CORE","Task Id":8}})",
  }));
  EXPECT_EQ(kept(trace, 0), "Task Type=AI_CORE;");
}

TEST(Evidence, AsManyExternalIdsAreDoubledAsWithoutIt) {
  const std::string json = document({kOperator, kOperator});
  const Result<trace::Trace> without = try_read(json);
  ASSERT_TRUE(without.ok());
  shared::ReadOptions options;
  options.keep_arguments = trace::KeepArguments::kEvidence;
  EXPECT_EQ(outcome(json, options, DumpArguments::kNo), outcome(json, {}, DumpArguments::kNo));
}

TEST(Evidence, LaunchesAreJoinedAsWithoutIt) {
  const std::string json = document({
      R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":10,"dur":5,"args":{"External id":7,"correlation":3}})",
      R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":20,"dur":5,"args":{"grid":[1,1,1],"correlation":3,"stream":7}})",
  });
  shared::ReadOptions options;
  options.keep_arguments = trace::KeepArguments::kEvidence;
  EXPECT_EQ(outcome(json, options, DumpArguments::kNo), outcome(json, {}, DumpArguments::kNo));
  EXPECT_TRUE(read_evidence(json).arguments.empty());
}

}  // namespace
}  // namespace lockstep::formats::chrome_json
