// Files that a tool has merged from several ranks: what is of which rank.
#include "formats/chrome_json/defects.h"
#include "formats/chrome_json/reading_for_test.h"
#include "trace/flow_binder.h"

namespace lockstep::formats::chrome_json {
namespace {

// One step with a call and its kernel; each rank counts its ids from 1.
std::string events_of_rank(std::string_view host, std::string_view device, int start) {
  const auto event = [&](std::string_view cat, std::string_view name, std::string_view pid,
                         int from, int duration, std::string_view arguments) {
    return std::string(R"({"ph":"X","cat":")") + std::string(cat) + R"(","name":")" +
           std::string(name) + R"(","pid":)" + std::string(pid) + R"(,"tid":7,"ts":)" +
           std::to_string(start + from) + R"(,"dur":)" + std::to_string(duration) + R"(,"args":{)" +
           std::string(arguments) + "}}";
  };
  return event("user_annotation", "ProfilerStep#1", host, 0, 90, "") + ",\n" +
         event("cpu_op", "aten::add", host, 5, 30, R"("External id":1)") + ",\n" +
         event("cuda_runtime", "cudaLaunchKernel", host, 10, 5, R"("correlation":1)") + ",\n" +
         event("kernel", "add", device, 40, 20, R"("correlation":1)");
}

std::string two_ranks(std::string_view host, std::string_view device) {
  return R"({"schemaVersion":1,"deviceProperties":[{"id":0,"name":"A"},{"id":1,"name":"B"}],)"
         R"("distributedInfo":{"rank":0},"traceEvents":[)" +
         events_of_rank("4711", "0", 1000) + ",\n" + events_of_rank(host, device, 1020) + "]}";
}

TEST(MergedRanks, AreRanksOfTheTrace) {
  const trace::Trace trace = read_every_way(two_ranks("100004712", "100000001"));
  ASSERT_EQ(trace.ranks.size(), 2U);
  EXPECT_EQ(trace.ranks[0].number, 0);
  EXPECT_EQ(trace.ranks[1].number, 1);
  EXPECT_EQ(trace.ranks[1].source, trace.ranks[0].source);
  EXPECT_EQ(trace.ranks[1].format, "kineto");
  ASSERT_EQ(trace.devices.size(), 2U);
  EXPECT_EQ(trace.text(trace.devices[1].id), "1");
  EXPECT_EQ(trace.text(trace.devices[1].name), "B");
  EXPECT_EQ(trace.devices[1].rank, trace::RankId{1});
  // Ids that ranks share are no doubles.
  EXPECT_EQ(trace.diagnostics.count_of(kDuplicateExternalId), 0U);
  EXPECT_EQ(trace.diagnostics.count_of(kMergedRanks), 0U);
}

TEST(MergedRanks, HaveTheirOwnSteps) {
  const trace::Trace trace = read_every_way(two_ranks("100004712", "100000001"));
  ASSERT_EQ(trace.steps.size(), 2U);
  EXPECT_EQ(trace.steps[0].rank, trace::RankId{0});
  EXPECT_EQ(trace.steps[1].rank, trace::RankId{1});
  EXPECT_EQ(trace.steps[1].start - trace.steps[0].start, Time{20'000'000});
}

TEST(MergedRanks, AreJoinedWithinARank) {
  const trace::Trace trace = read_every_way(two_ranks("100004712", "100000001"));
  EXPECT_EQ(trace.diagnostics.count_of(trace::kReusedCorrelation), 0U);
  ASSERT_EQ(trace.flows.size(), 2U);
  for (const trace::Flow& flow : trace.flows) {
    EXPECT_EQ(trace.rank_of(trace.track_of(index_of(flow.from))),
              trace.rank_of(trace.track_of(index_of(flow.to))));
  }
}

TEST(MergedRanks, AnnotatedStepsOfOurOwnGoToTheirRank) {
  const std::string_view step =
      R"({"ph":"X","cat":"user_annotation","name":"epoch","pid":100004712,"tid":"steps","ts":1020,)"
      R"("dur":300,"args":{"lockstep_step":true}},)";
  std::string json = two_ranks("100004712", "100000001");
  json.insert(json.find('[', json.find("traceEvents")) + 1, step);
  const trace::Trace trace = read_every_way(json);
  ASSERT_EQ(trace.steps.size(), 3U);
  EXPECT_EQ(trace.text(trace.steps[2].name), "epoch");
  EXPECT_EQ(trace.steps[2].rank, trace::RankId{1});
}

TEST(MergedRanks, ThatCannotBeToldApartAreOneAndItIsSaid) {
  // Other processes on the same device, and the very same process.
  for (const std::string_view host : {"4712", "4711"}) {
    const trace::Trace trace = read_every_way(two_ranks(host, "0"));
    ASSERT_EQ(trace.ranks.size(), 1U) << host;
    EXPECT_EQ(trace.ranks[0].number, 0) << host;
    EXPECT_EQ(trace.diagnostics.count_of(kMergedRanks), 1U) << host;
    // Their steps would cut each other's work.
    EXPECT_EQ(trace.diagnostics.count_of(kCrossingSteps), 2U) << host;
    EXPECT_TRUE(trace.steps.empty()) << host;
  }
}

// What Kineto says of a host and a device of a rank, under the ids that a tool gave them.
std::string metadata(std::string_view host, int own_host, std::string_view device, int own_device) {
  const auto said = [](std::string_view what, std::string_view pid, const std::string& value) {
    return R"({"ph":"M","name":"process_)" + std::string(what) + R"(","pid":)" + std::string(pid) +
           R"(,"tid":0,"ts":1,"args":{)" + value + "}},\n";
  };
  return said("labels", host, R"("labels":"CPU")") +
         said("sort_index", host, R"("sort_index":)" + std::to_string(own_host)) +
         said("labels", device, R"("labels":"GPU )" + std::to_string(own_device) + "\"");
}

std::string with_metadata(std::string json, const std::string& metadata) {
  return json.insert(json.find('[', json.find("traceEvents")) + 1, metadata);
}

TEST(MergedRanks, MovedByLessThanTheirNumbersAreToldByWhatTheMetadataKept) {
  const std::string moved = two_ranks("5712", "1001");
  EXPECT_EQ(read_every_way(moved).ranks.size(), 1U);
  const std::string kept = metadata("4711", 4711, "0", 0) + metadata("5712", 4712, "1001", 1);
  const trace::Trace trace = read_every_way(with_metadata(moved, kept));
  ASSERT_EQ(trace.ranks.size(), 2U);
  EXPECT_EQ(trace.ranks[1].number, 1);
  EXPECT_EQ(trace.text(trace.devices[1].id), "1");
  EXPECT_EQ(trace.text(trace.devices[1].name), "B");
  EXPECT_EQ(trace.steps.size(), 2U);
  EXPECT_EQ(trace.diagnostics.count_of(kMergedRanks), 0U);
}

TEST(MergedRanks, WhoseMetadataSaysTwoThingsOfOneProcessAreOneAndItIsSaid) {
  const std::string kept = metadata("4711", 4711, "0", 0) + metadata("5712", 4712, "1001", 1) +
                           metadata("5712", 5712, "1001", 1);
  const trace::Trace trace = read_every_way(with_metadata(two_ranks("5712", "1001"), kept));
  ASSERT_EQ(trace.ranks.size(), 1U);
  EXPECT_EQ(trace.diagnostics.count_of(kMergedRanks), 1U);
  EXPECT_TRUE(trace.steps.empty());
}

// Twenty kernels of a rank, which say their device, and their calls; nothing else tells.
std::string launches_of_rank(int host, int device, int own_device, int first_id) {
  std::string events;
  for (int i = 0; i < 20; ++i) {
    const std::string correlation = R"("correlation":)" + std::to_string(first_id + i);
    const std::string start = std::to_string(1000 + 10 * i);
    events += R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","tid":7,"dur":2,"pid":)" +
              std::to_string(host) + R"(,"ts":)" + start + R"(,"args":{)" + correlation + "}},\n";
    events += R"({"ph":"X","cat":"kernel","name":"add","tid":7,"dur":5,"pid":)" +
              std::to_string(device) + R"(,"ts":)" + start + R"(,"args":{"device":)" +
              std::to_string(own_device) + "," + correlation + "}},\n";
  }
  return events;
}

std::string document_of(std::string events) {
  events.resize(events.size() - 2);
  return R"({"schemaVersion":1,"traceEvents":[)" + events + "]}";
}

TEST(MergedRanks, MovedByLessThanTheirNumbersAreToldByLaunches) {
  // The process of the second rank is the smaller one.
  const trace::Trace trace = read_every_way(
      document_of(launches_of_rank(90'000, 0, 0, 1) + launches_of_rank(14'000, 10'003, 3, 15)));
  ASSERT_EQ(trace.ranks.size(), 2U);
  EXPECT_EQ(trace.flows.size(), 40U);
  for (const trace::Process& process : trace.processes) {
    const std::string_view pid = trace.text(process.id.text);
    EXPECT_EQ(process.rank, trace::RankId{pid == "14000" || pid == "10003" ? 1U : 0U}) << pid;
  }
}

TEST(MergedRanks, WithEqualIdsOfLaunchesAreOneAndItIsSaid) {
  const trace::Trace trace = read_every_way(
      document_of(launches_of_rank(90'000, 0, 0, 1) + launches_of_rank(14'000, 10'003, 3, 1)));
  ASSERT_EQ(trace.ranks.size(), 1U);
  EXPECT_EQ(trace.diagnostics.count_of(kMergedRanks), 1U);
}

TEST(MergedRanks, SeveralProcessesThatLaunchOnTheirOwnDevicesAreOneRank) {
  const trace::Trace trace = read_every_way(
      document_of(launches_of_rank(90'000, 0, 0, 1) + launches_of_rank(14'000, 3, 3, 101)));
  ASSERT_EQ(trace.ranks.size(), 1U);
  EXPECT_EQ(trace.diagnostics.count_of(kMergedRanks), 0U);
}

TEST(MergedRanks, StepsThatAreCountedAnewAreNoSign) {
  const std::string json = document(
      {R"({"ph":"X","cat":"user_annotation","name":"Step#1","pid":1,"tid":2,"ts":10,"dur":9})",
       R"({"ph":"X","cat":"user_annotation","name":"Step#2","pid":1,"tid":2,"ts":20,"dur":9})",
       R"({"ph":"X","cat":"user_annotation","name":"Step#1","pid":1,"tid":2,"ts":30,"dur":9})"});
  const trace::Trace trace = read_every_way(json);
  EXPECT_EQ(trace.diagnostics.count_of(kMergedRanks), 0U);
  EXPECT_EQ(trace.steps.size(), 3U);
}

TEST(MergedRanks, AMarkerThatIsWrittenTwiceIsNoSign) {
  const std::string json = document(
      {R"({"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":2,"ts":10,"dur":9})",
       R"({"ph":"X","cat":"cpu_op","name":"ProfilerStep#1","pid":1,"tid":2,"ts":11,"dur":7})"});
  EXPECT_EQ(read_every_way(json).diagnostics.count_of(kMergedRanks), 0U);
}

// A step with operators, and no device.
std::string threads_of(int host, std::string_view step, int operators) {
  std::string events = R"({"ph":"X","cat":"user_annotation","name":")" + std::string(step) +
                       R"(","tid":7,"ts":1000,"dur":900,"pid":)" + std::to_string(host) + "},\n";
  for (int i = 0; i < operators; ++i) {
    events += R"({"ph":"X","cat":"cpu_op","name":"aten::add","tid":7,"dur":2,"pid":)" +
              std::to_string(host) + R"(,"ts":)" + std::to_string(1000 + 10 * i) +
              R"(,"args":{"External id":)" + std::to_string(i) + "}},\n";
  }
  return events;
}

TEST(MergedRanks, WithoutDevicesAreToldWhereTheyDidTheSameWork) {
  const auto ranks = [](std::string_view second_step, int operators) {
    return read_every_way(document_of(threads_of(4711, "ProfilerStep#1", operators) +
                                      threads_of(100'004'711, second_step, operators)))
        .ranks.size();
  };
  EXPECT_EQ(ranks("ProfilerStep#1", 2), 2U);
  EXPECT_EQ(ranks("loading", 20), 2U);
  EXPECT_EQ(ranks("loading", 2), 1U);
}

TEST(MergedRanks, ThatAreUnclearKeepStepsOfOneProcessThatDoNotCross) {
  // Devices that were moved, and launches with the same ids.
  const std::string launches =
      launches_of_rank(4000, 0, 0, 1) + launches_of_rank(4038, 100'000'001, 1, 1);
  const std::string step = threads_of(4000, "ProfilerStep#1", 0);
  const trace::Trace one = read_every_way(document_of(launches + step));
  EXPECT_EQ(one.diagnostics.count_of(kMergedRanks), 1U);
  EXPECT_EQ(one.steps.size(), 1U);
  const std::string others = threads_of(4038, "ProfilerStep#2", 0);
  EXPECT_TRUE(read_every_way(document_of(launches + step + others)).steps.empty());
}

}  // namespace
}  // namespace lockstep::formats::chrome_json
