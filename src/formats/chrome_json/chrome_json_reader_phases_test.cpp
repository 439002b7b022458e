// What the phases of events become: spans, pairs, instants, counters, names of lanes.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/chrome_json/defects.h"
#include "formats/chrome_json/reading_for_test.h"

namespace lockstep::formats::chrome_json {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// An event of thread 1/2; `rest` are further members.
std::string event(std::string_view phase, std::string_view name, std::string_view ts,
                  std::string_view rest = {}) {
  return R"({"ph":")" + std::string(phase) + R"(","name":")" + std::string(name) +
         R"(","pid":1,"tid":2,"ts":)" + std::string(ts) + std::string(rest) + "}";
}

TEST(ChromeJsonReaderPhases, NestedPairsBecomeSpans) {
  const trace::Trace trace = read_every_way(document(
      {event("B", "outer", "1", R"(,"cat":"cpu_op","args":{"a":1})"), event("B", "inner", "2"),
       event("E", "inner", "3"), event("E", "outer", "5", R"(,"args":{"b":2})")}));
  EXPECT_THAT(brief(trace),
              ElementsAre("inner host_op host 1/2 1000+1000", "outer host_op host 1/2 0+4000"));
  EXPECT_THAT(arguments_of(trace, 1), ElementsAre("a=1", "b=2"));
  EXPECT_THAT(findings(trace), IsEmpty());
}

TEST(ChromeJsonReaderPhases, AnEndWithoutANameClosesTheInnermostSpan) {
  const trace::Trace trace = read_every_way(
      document({event("B", "outer", "1"), event("B", "inner", "2"),
                R"({"ph":"E","pid":1,"tid":2,"ts":3})", R"({"ph":"E","pid":1,"tid":2,"ts":4})"}));
  EXPECT_THAT(brief(trace),
              ElementsAre("inner host_op host 1/2 1000+1000", "outer host_op host 1/2 0+3000"));
}

TEST(ChromeJsonReaderPhases, PairsAreJoinedInTimeOrderWhateverTheOrderOfTheFile) {
  const trace::Trace trace =
      read_every_way(document({event("E", "b", "9"), event("B", "b", "8"), event("E", "a", "3"),
                               event("B", "a", "1"), event("B", "a", "4"), event("E", "a", "6")}));
  EXPECT_THAT(brief(trace), testing::UnorderedElementsAre("a host_op host 1/2 -8000+2000",
                                                          "a host_op host 1/2 -5000+2000",
                                                          "b host_op host 1/2 -1000+1000"));
  EXPECT_THAT(findings(trace), IsEmpty());
}

TEST(ChromeJsonReaderPhases, PairsOfDifferentThreadsDoNotMeet) {
  const trace::Trace trace = read_every_way(
      document({event("B", "a", "1"), R"({"ph":"E","name":"a","pid":1,"tid":3,"ts":2})",
                R"({"ph":"E","name":"a","pid":9,"tid":2,"ts":2})", event("E", "a", "4")}));
  EXPECT_THAT(brief(trace), ElementsAre("a host_op host 1/2 0+3000"));
  EXPECT_THAT(findings(trace), ElementsAre(testing::StartsWith("end_without_begin x2 @")));
}

TEST(ChromeJsonReaderPhases, ABeginWithoutAnEndIsDroppedAndSaid) {
  const std::string json =
      document({event("B", "outer", "1"), event("B", "lost", "2"), event("E", "outer", "5"),
                event("B", "open", "7"), event("X", "x", "8", ",\"dur\":1")});
  const trace::Trace trace = read_every_way(json);
  EXPECT_THAT(brief(trace),
              ElementsAre("x host_op host 1/2 7000+1000", "outer host_op host 1/2 0+4000"));
  EXPECT_THAT(findings(trace),
              ElementsAre("unfinished_span x2 " + place_of(event("B", "lost", "2"), json)));
}

TEST(ChromeJsonReaderPhases, AnEndWithoutABeginIsDroppedAndSaid) {
  const std::string json =
      document({event("X", "x", "1", ",\"dur\":1"), event("E", "a", "2"), event("E", "b", "3")});
  const trace::Trace trace = read_every_way(json);
  EXPECT_THAT(brief(trace), ElementsAre("x host_op host 1/2 0+1000"));
  EXPECT_THAT(findings(trace),
              ElementsAre("end_without_begin x2 " + place_of(event("E", "a", "2"), json)));
}

TEST(ChromeJsonReaderPhases, AsyncPairsMeetByCategoryAndId) {
  const std::string a = R"(,"cat":"net","id":1)";
  const std::string b = R"(,"cat":"net","id":"0x2")";
  const std::string c = R"(,"cat":"disk","id":1)";
  const trace::Trace trace = read_every_way(
      document({event("b", "get", "1", a), event("b", "get", "2", b), event("b", "read", "3", c),
                event("e", "get", "4", b), event("e", "read", "5", c), event("e", "get", "9", a)}));
  EXPECT_THAT(brief(trace), testing::UnorderedElementsAre("get host_op host 1/2 0+8000",
                                                          "get host_op host 1/2 1000+2000",
                                                          "read host_op host 1/2 2000+2000"));
  EXPECT_THAT(findings(trace), IsEmpty());
}

TEST(ChromeJsonReaderPhases, InstantsHaveATimeAndNoDuration) {
  const trace::Trace trace = read_every_way(document(
      {event("i", "mark", "1", R"(,"s":"t")"), event("I", "old", "2"),
       event("R", "navigation", "3"),
       event("i", "[memory]", "4", R"(,"cat":"cpu_instant_event","args":{"Bytes":-512})")}));
  EXPECT_THAT(brief(trace),
              ElementsAre("mark annotation host 1/2 0", "old annotation host 1/2 1000",
                          "navigation annotation host 1/2 2000", "[memory] host_op host 1/2 3000"));
  EXPECT_THAT(arguments_of(trace, 3), ElementsAre("Bytes=-512"));
}

TEST(ChromeJsonReaderPhases, CountersKeepTheirValuesAsArguments) {
  const trace::Trace trace =
      read_every_way(document({event("C", "power", "1", R"(,"args":{"gpu0":350.5,"gpu1":20})")}));
  EXPECT_THAT(brief(trace), ElementsAre("power counter host 1/2 0="));
  EXPECT_THAT(arguments_of(trace, 0), ElementsAre("gpu0=real 350.500000", "gpu1=20"));
}

constexpr std::string_view kNames[] = {
    R"({"ph":"M","name":"process_name","pid":1,"tid":0,"args":{"name":"python \"3\""}})",
    R"({"ph":"M","name":"process_labels","pid":1,"tid":0,"ts":1,"args":{"labels":"CPU"}})",
    R"({"ph":"M","name":"process_sort_index","pid":1,"tid":0,"args":{"sort_index":"17"}})",
    R"({"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"thread 2"}})",
    R"({"ph":"M","name":"thread_sort_index","pid":1,"tid":2,"args":{"sort_index":-4}})",
    R"({"ph":"M","name":"something_else","pid":1,"tid":2,"args":{"name":"no"}})",
    R"({"ph":"M","name":"thread_name","pid":1,"tid":99,"args":{"name":"without events"}})",
};

TEST(ChromeJsonReaderPhases, NamesOfLanesMayComeBeforeOrAfterTheirEvents) {
  const std::string x = event("X", "x", "1", ",\"dur\":1");
  const std::string before =
      document({kNames[0], kNames[1], kNames[2], kNames[3], kNames[4], kNames[5], kNames[6], x});
  const std::string behind =
      document({x, kNames[0], kNames[1], kNames[2], kNames[3], kNames[4], kNames[5], kNames[6]});
  for (const std::string& json : {before, behind}) {
    const trace::Trace trace = read_every_way(json);
    ASSERT_EQ(trace.processes.size(), 1U);
    EXPECT_EQ(trace.text(trace.processes[0].name), "python \"3\"");
    EXPECT_EQ(trace.text(trace.processes[0].labels), "CPU");
    EXPECT_EQ(trace.processes[0].sort_index, 17);
    ASSERT_EQ(trace.tracks.size(), 1U);
    EXPECT_EQ(trace.text(trace.tracks[0].name), "thread 2");
    EXPECT_EQ(trace.tracks[0].sort_index, -4);
    EXPECT_THAT(brief(trace), ElementsAre("x host_op host 1/2 0+1000"));
    EXPECT_THAT(findings(trace), IsEmpty());
  }
}

TEST(ChromeJsonReaderPhases, ATraceOfNamesAloneHasNoEvents) {
  const trace::Trace trace = read_every_way(document({kNames[0], kNames[3]}));
  EXPECT_EQ(trace.events.size(), 0U);
  EXPECT_EQ(trace.text(trace.processes[0].name), "python \"3\"");
}

TEST(ChromeJsonReaderPhases, PhasesWithoutATimeAreSkippedAndOthersCountAsLost) {
  const std::string json = document({event("X", "x", "1", ",\"dur\":1"), event("P", "sample", "2"),
                                     event("N", "object", "3", ",\"id\":1"), event("", "none", "4"),
                                     event("XX", "long", "5"), R"({"name":"no phase","ts":6})"});
  const trace::Trace trace = read_every_way(json);
  EXPECT_THAT(names_of_events(trace), ElementsAre("x"));
  EXPECT_THAT(findings(trace),
              ElementsAre("skipped_phase x2 " + place_of(event("P", "sample", "2"), json),
                          "unknown_phase x3 " + place_of(event("", "none", "4"), json)));
  EXPECT_TRUE(trace.diagnostics.has_loss());
}

// One flipped bit makes a sample (P) of a span (X), a name of a context of a mark, and so on.
TEST(ChromeJsonReaderPhases, APhaseThatDoesNotFitTheRestOfItsEventIsDataLoss) {
  for (const std::string& odd :
       {event("P", "span", "2", ",\"dur\":1"), event("M", "span", "2", ",\"dur\":1"),
        event("s", "span", "2", ",\"dur\":1"), event(")", "mark", "2"),
        event("O", "process_name", "2"), event("c", "counter", "2", R"(,"args":{"used":3})"),
        event("c", "counter", "2", R"(,"args":{"used":3,"free":[1]})"),
        event("c", "ac2g", "2", ",\"id\":1"), event("v", "ac2g", "2", ",\"id\":1"),
        event("v", "ac2g", "2", R"(,"id":1,"bp":"e")"), event("V", "span", "2", ",\"dur\":1")}) {
    const std::string json = document({event("X", "x", "1", ",\"dur\":1"), odd});
    const trace::Trace trace = read_every_way(json);
    EXPECT_THAT(names_of_events(trace), ElementsAre("x")) << odd;
    EXPECT_THAT(findings(trace), ElementsAre("unknown_phase x1 " + place_of(odd, json)));
  }
  const trace::Trace whole = read_every_way(
      document({event("X", "x", "1", ",\"dur\":1"), event("c", "clock_sync", "2"),
                event("P", "sample", "3"), event("D", "object", "4", ",\"id\":\"0x1\"")}));
  EXPECT_FALSE(whole.diagnostics.has_loss());
}

// Work may take no time at all.
TEST(ChromeJsonReaderPhases, WorkWithoutALengthThatLostItsPhaseIsDataLoss) {
  std::vector<std::string> odd = {
      event("M", "k", "2", R"(,"cat":"kernel")"), event("M", "k", "2", R"(,"dur":0)"),
      event("s", "k", "2", R"(,"cat":"mine","dur":0)"), event("O", "k", "2", R"(,"id":1,"dur":0)")};
  for (const std::string_view phase : {"P", "M", "v", "V", "c"}) {
    odd.push_back(event(phase, "k", "2", R"(,"cat":"kernel","dur":0,"args":{"stream":7})"));
    odd.push_back(event(phase, "k", "2", R"(,"cat":"mine","dur":0,"args":{"dumps":"a"})"));
    odd.push_back(event(phase, "op", "2", R"(,"cat":"cpu_op","args":{"dumps":"a"})"));
  }
  for (const std::string& one : odd) {
    const std::string json = document({event("X", "x", "1", ",\"dur\":1"), one});
    EXPECT_THAT(findings(read_every_way(json)),
                ElementsAre("unknown_phase x1 " + place_of(one, json)))
        << one;
  }
}

// Some exporters write all fields with every event.
TEST(ChromeJsonReaderPhases, ZerosInEveryFieldAreNoWork) {
  const trace::Trace trace = read_every_way(
      document({event("X", "x", "1", ",\"dur\":1"), event("M", "mine", "0", ",\"dur\":0"),
                R"({"ph":"M","name":"mine","dur":0.0})", event("P", "sample", "0", ",\"dur\":0")}));
  EXPECT_THAT(names_of_events(trace), ElementsAre("x"));
  EXPECT_FALSE(trace.diagnostics.has_loss());
}

TEST(ChromeJsonReaderPhases, MetadataThatSomebodyDefinesMayHaveTimesAndCategories) {
  const trace::Trace trace = read_every_way(
      document({event("X", "x", "1", ",\"dur\":1"),
                event("M", "thread_name", "2", R"(,"cat":"kernel","dur":5,"args":{"name":"main"})"),
                event("M", "num_cpus", "2", R"(,"dur":5,"args":{"number":8})"),
                event("M", "trace_buffer_overflowed", "0", R"(,"cat":"__metadata","dur":0)"),
                event("M", "of_my_own", "2", R"(,"cat":"__metadata","args":{"a":1})")}));
  EXPECT_EQ(trace.text(trace.tracks.at(0).name), "main");
  EXPECT_THAT(findings(trace), IsEmpty());
}

// As Chrome and others write them.
TEST(ChromeJsonReaderPhases, MemoryDumpsAndClocksAreSkippedWithANote) {
  const trace::Trace trace = read_every_way(document(
      {event("X", "x", "1", ",\"dur\":1"),
       event("v", "periodic_interval", "2", R"(,"id":"0x1","args":{"dumps":{"level":"light"}})"),
       event("V", "periodic_interval", "2", R"(,"id":"0x1","args":{"dumps":{}})"),
       event("v", "explicitly_triggered", "2", R"(,"args":{"dumps":{"process_totals":{}}})"),
       event("V", "explicitly_triggered", "2"),
       event("c", "clock_sync", "3", R"(,"args":{"sync_id":"a","issue_ts":2})"),
       event("c", "clock", "3", R"(,"args":{"sync_id":7,"issue_ts":2})"), event("c", "sync", "3"),
       event("c", "offset", "3", R"(,"args":{"clock":"boot","offset":12})")}));
  EXPECT_THAT(names_of_events(trace), ElementsAre("x"));
  ASSERT_EQ(trace.diagnostics.entries().size(), 1U);
  EXPECT_EQ(trace.diagnostics.count_of(kSkippedPhase), 8U);
  EXPECT_FALSE(trace.diagnostics.has_loss());
}

TEST(ChromeJsonReaderPhases, AnEventOfUnknownKeysAloneIsDataLoss) {
  const std::string odd = R"({"q":"X","nbme":"a"})";
  const std::string json = document({event("X", "x", "1", ",\"dur\":1"), odd});
  EXPECT_THAT(findings(read_every_way(json)),
              ElementsAre("unknown_phase x1 " + place_of(odd, json)));
}

TEST(ChromeJsonReaderPhases, OldAsyncPhasesAreSpansAndMarks) {
  const trace::Trace trace = read_every_way(
      document({event("S", "load", "1", ",\"id\":7"), event("T", "half", "2", ",\"id\":7"),
                event("F", "load", "3", ",\"id\":7")}));
  EXPECT_THAT(brief(trace), testing::UnorderedElementsAre("half annotation host 1/2 1000",
                                                          "load host_op host 1/2 0+2000"));
}

TEST(ChromeJsonReaderPhases, AsyncPairsMeetByTheirSecondId) {
  const auto end = [](std::string_view phase, std::string_view ts, std::string_view id) {
    return event(phase, "load", ts, R"(,"cat":"io","id2":{"local":")" + std::string(id) + "\"}");
  };
  const trace::Trace trace =
      read_every_way(document({end("b", "10", "0x1"), end("b", "20", "0x2"), end("e", "30", "0x1"),
                               end("e", "100", "0x2")}));
  EXPECT_THAT(brief(trace), testing::UnorderedElementsAre("load host_op host 1/2 0+20000",
                                                          "load host_op host 1/2 10000+80000"));
}

TEST(ChromeJsonReaderPhases, APairMayBeACollectiveOrAStep) {
  const trace::Trace trace = read_every_way(document(
      {R"({"ph":"B","cat":"kernel","name":"ncclDevKernel_AllReduce","pid":0,"tid":7,"ts":1})",
       R"({"ph":"E","pid":0,"tid":7,"ts":4})",
       event("B", "train", "1", R"(,"args":{"step_num":3})"), event("E", "train", "5")}));
  ASSERT_EQ(trace.collectives.size(), 1U);
  EXPECT_EQ(trace.text(trace.collectives[0].op), "all_reduce");
  ASSERT_EQ(trace.steps.size(), 1U);
  EXPECT_EQ(trace.text(trace.steps[0].name), "train#3");
}

TEST(ChromeJsonReaderPhases, AnInstantIsNoKernelWhateverItSays) {
  const trace::Trace trace =
      read_every_way(document({R"({"ph":"i","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1})"}));
  EXPECT_EQ(trace.events.kind[0], trace::Kind::kAnnotation);
}

TEST(ChromeJsonReaderPhases, EscapesInIdsAreRead) {
  const trace::Trace trace = read_every_way(
      document({R"({"ph":"X","name":"x","pid":"a\"b","tid":"s\u00e9","ts":1,"dur":1})"}));
  EXPECT_EQ(trace.text(trace.processes[0].id.text), "a\"b");
  EXPECT_EQ(trace.text(trace.tracks[0].id.text), "s\u00e9");
}

TEST(ChromeJsonReaderPhases, EmptyEventsAreSkippedAndCounted) {
  const std::string json = document({event("X", "x", "1", ",\"dur\":1"), "{}", "{ }"});
  const trace::Trace trace = read_every_way(json);
  EXPECT_THAT(names_of_events(trace), ElementsAre("x"));
  EXPECT_THAT(findings(trace), ElementsAre("empty_event x2 " + place_of("{}", json)));
}

TEST(ChromeJsonReaderPhases, EscapesInNamesAreResolved) {
  const trace::Trace trace = read_every_way(
      document({event("X", R"(a\"b\\c\/d\n\u0041\u00e9\u20ac\ud83d\ude00)", "1", ",\"dur\":1")}));
  EXPECT_THAT(names_of_events(trace),
              ElementsAre("a\"b\\c/d\nA\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"));
}

TEST(ChromeJsonReaderPhases, HostEventsNamedAfterStepsAreSteps) {
  const auto annotation = [](std::string_view cat, std::string_view pid, std::string_view name,
                             std::string_view ts) {
    return R"({"ph":"X","cat":")" + std::string(cat) + R"(","name":")" + std::string(name) +
           R"(","pid":)" + std::string(pid) + R"(,"tid":7,"ts":)" + std::string(ts) +
           R"(,"dur":5})";
  };
  const trace::Trace trace =
      read_every_way(document({annotation("user_annotation", "50", "ProfilerStep#2", "20"),
                               annotation("user_annotation", "50", "ProfilerStep#1", "10"),
                               annotation("gpu_user_annotation", "0", "ProfilerStep#1", "12"),
                               annotation("user_annotation", "50", "ProfilerStep#", "30"),
                               annotation("user_annotation", "50", "Iteration#3", "40"),
                               annotation("user_annotation", "50", "decode", "50"),
                               annotation("cpu_op", "50", "Step#1", "60")}));
  EXPECT_THAT(steps_of(trace), ElementsAre("ProfilerStep#1 -10000..-5000", "ProfilerStep#2 0..5000",
                                           "Iteration#3 20000..25000", "Step#1 40000..45000"));
}

// Some exporters write a duration with everything.
TEST(ChromeJsonReaderPhases, ADurationOfZeroIsNoEvidenceOfASpan) {
  const trace::Trace trace = read_every_way(document(
      {R"({"ph":"M","name":"process_name","pid":1,"tid":0,"dur":0,"args":{"name":"python"}})",
       event("X", "a", "4", R"(,"dur":1)"), event("s", "a", "4", R"(,"id":1,"dur":0)"),
       event("f", "a", "5", R"(,"id":1,"dur":0)")}));
  EXPECT_EQ(trace.text(trace.processes.at(0).name), "python");
  EXPECT_THAT(findings(trace), testing::Not(testing::Contains(testing::HasSubstr("phase"))));
}

TEST(ChromeJsonReaderPhases, AnIdBesideASecondIdIsNoDoubledKey) {
  const trace::Trace trace = read_every_way(
      document({event("b", "a", "1", R"(,"cat":"c","id2":{"local":"0x1"},"id":1)"),
                event("e", "a", "2", R"(,"cat":"c","id2":{"local":"0x1"},"id":1)")}));
  EXPECT_THAT(findings(trace), testing::Not(testing::Contains(testing::HasSubstr("duplicate"))));
}

}  // namespace
}  // namespace lockstep::formats::chrome_json
