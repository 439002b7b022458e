// Claims on the JSON document, the CSV files, the sheets and the annotations of `cycles`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/cycles/cycles_annotate.h"
#include "report/cycles/cycles_csv.h"
#include "report/cycles/cycles_for_test.h"
#include "report/cycles/cycles_json.h"
#include "report/cycles/cycles_xlsx.h"

namespace lockstep::report::cycles {
namespace {

using Json = nlohmann::ordered_json;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> keys_of(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& item : object.items()) keys.push_back(item.key());
  return keys;
}

Json document_of(const analysis::cycles::StreamCycles& stream,
                 const analysis::cycles::CyclesOptions& options = {}) {
  const std::vector<formats::input::InputFacts> inputs = {
      {"a.json", "kineto", io::Compression::kNone, 1, 1}};
  return Json::parse(cycles_json(analysis::cycles::Cycles{{stream}}, options, inputs));
}

TEST(CyclesJson, KeysStandInTheOrderOfTheContract) {
  const Json document = document_of(passes_for_test());
  EXPECT_THAT(keys_of(document), ElementsAre("schema", "inputs", "parameters", "streams"));
  EXPECT_EQ(document["schema"], "lockstep.cycles/2");
  const Json& stream = document["streams"][0];
  EXPECT_THAT(keys_of(stream),
              ElementsAre("rank", "device", "stream", "input", "kernels", "kernels_in_loops",
                          "selected", "loops", "phases", "families", "patterns"));
  EXPECT_THAT(keys_of(stream["loops"][0]),
              ElementsAre("id", "parent", "depth", "start", "end", "run_start", "run_end", "slack",
                          "period", "repetitions", "complete", "partial", "instances", "exact",
                          "exceptions", "symbol", "border_evidence", "anchors_per_body", "coverage",
                          "phase", "phase_evidence", "role", "start_ns", "end_ns", "wall_ns",
                          "busy_ns", "kernel_sum_ns", "idle_ns", "trend", "regimes", "outliers",
                          "breakdown", "iterations", "positions"));
}

TEST(CyclesJson, LoopTellsWhereItLies) {
  analysis::cycles::StreamCycles stream = passes_for_test();
  stream.nest.loops[0].run_start = 0;
  const Json loops = document_of(stream)["streams"][0]["loops"];
  EXPECT_EQ(loops[0]["start"], 1);
  EXPECT_EQ(loops[0]["end"], 25);
  EXPECT_EQ(loops[0]["slack"], 1);
  EXPECT_EQ(loops[0]["repetitions"], 4.17);
  EXPECT_EQ(loops[0]["border_evidence"], "graph_launch");
  EXPECT_TRUE(loops[0]["parent"].is_null());
  EXPECT_EQ(loops[1]["parent"], 1);
  EXPECT_TRUE(loops[1]["repetitions"].is_null());
  EXPECT_EQ(loops[1]["exact"], false);
  EXPECT_EQ(loops[1]["exceptions"], 3);
  EXPECT_EQ(loops[1]["complete"], 3);
  EXPECT_EQ(loops[1]["partial"], 1);
  EXPECT_EQ(loops[1]["slack"], 0);
}

TEST(CyclesJson, LoopTellsItsTimes) {
  const Json loop = document_of(passes_for_test())["streams"][0]["loops"][0];
  EXPECT_EQ(loop["wall_ns"].dump(), R"({"p50":60000,"p95":61000,"min":59000,"max":62000})");
  EXPECT_EQ(loop["idle_ns"]["p50"], 36'000);
  EXPECT_EQ(loop["start_ns"], 10'000);
  EXPECT_EQ(loop["trend"].dump(),
            R"({"ns_per_iteration":2500.0,"p":0.01,"significant":true,"drift":0.0})");
  EXPECT_EQ(loop["regimes"][1].dump(), R"({"first":2,"last":3,"median_wall_ns":600000})");
  EXPECT_EQ(loop["outliers"][0].dump(),
            R"({"iteration":2,"wall_ns":600000,"score":9.5,"place":0,"recurring":false})");
  EXPECT_EQ(loop["iterations"][1].dump(),
            R"({"start":7,"end":13,"start_ns":0,"wall_ns":60000,"busy_ns":8000})");
  EXPECT_EQ(loop["positions"][1].dump(),
            R"({"name":"norm","role":"gemm","mean_ns":2000,"min_ns":1000,"max_ns":3000,)"
            R"("stddev_ns":1500,"count":4,"share":0.25})");
}

TEST(CyclesJson, RawNameIsToldWhereItDiffers) {
  analysis::cycles::StreamCycles stream = passes_for_test();
  stream.loops[0].positions[0].raw_name = "_Z4gemm";
  const Json positions = document_of(stream)["streams"][0]["loops"][0]["positions"];
  EXPECT_EQ(positions[0]["raw_name"], "_Z4gemm");
  EXPECT_FALSE(positions[1].contains("raw_name"));
}

TEST(CyclesJson, PhasesNameTheirLoopAndEvidence) {
  const Json phases = document_of(passes_for_test())["streams"][0]["phases"];
  EXPECT_EQ(phases[0].dump(),
            R"({"phase":"unknown","start":0,"end":1,"passes":0,"layers":null,"loop":null,)"
            R"("wall_ns":4000,"breakdown":{"iterations":0,"wall_ns":0,"roles":[{"role":"idle",)"
            R"("ns":0,"share":0.0,"hidden_ns":0}]},"evidence":[],"parts":[]})");
  EXPECT_EQ(phases[1]["loop"], 1);
  EXPECT_EQ(phases[1]["layers"], 3);
  EXPECT_EQ(
      phases[1]["evidence"][1].dump(),
      R"({"strength":"possible","text":"other attention and matrix kernels than in decode passes of as many layers"})");
}

TEST(CyclesJson, PatternsOfTheAnchorMethodAreListed) {
  analysis::cycles::StreamCycles stream = passes_for_test();
  EXPECT_EQ(document_of(stream)["streams"][0]["patterns"].dump(), "[]");
  stream.patterns = patterns_for_test();
  const Json patterns = document_of(stream)["streams"][0]["patterns"];
  ASSERT_EQ(patterns.size(), 2U);
  EXPECT_EQ(patterns[0].dump(),
            R"({"length":6,"repetitions":4,"centre":0.123457,"anchor":"embed",)"
            R"("signature":"embed|norm","cycle_length":6,"cycle_repetitions":4,"selected":false})");
  EXPECT_EQ(patterns[1]["selected"], true);
}

TEST(CyclesJson, UnknownsAreNull) {
  analysis::cycles::StreamCycles stream = passes_for_test();
  stream.loops[0].trend.reset();
  const Json entry = document_of(stream)["streams"][0];
  EXPECT_TRUE(entry["rank"].is_null());
  EXPECT_TRUE(entry["selected"].is_null());
  EXPECT_TRUE(entry["loops"][0]["trend"].is_null());
  stream.stream.rank_number = 3;
  stream.selected = 1;
  EXPECT_EQ(document_of(stream)["streams"][0]["rank"], 3);
  EXPECT_EQ(document_of(stream)["streams"][0]["selected"], 2);
}

TEST(CyclesJson, ParametersAreEchoed) {
  analysis::cycles::CyclesOptions options;
  options.method = analysis::cycles::CycleMethod::kAnchor;
  options.mode = analysis::cycles::CycleMode::kPrefill;
  options.symbol = analysis::cycles::SymbolLevel::kRole;
  options.anchor.min_count = 9;
  const Json parameters = document_of(passes_for_test(), options)["parameters"];
  EXPECT_EQ(parameters.dump(),
            R"({"method":"anchor","mode":"prefill","symbol":"role","pass_tolerance":0.05,)"
            R"("layer_tolerance":0.25,"anchor_min_count":9,"anchor_max_share":0.2,)"
            R"("anchor_min_length":10,"anchor_gap_tolerance":0.05,"anchor_match":0.95,)"
            R"("anchor_min_repetitions":2,"anchor_min_outer_for_sub":20,)"
            R"("anchor_min_sub_length":5,"anchor_min_sub_count":3,"anchor_sub_gap_tolerance":0.1,)"
            R"("anchor_sub_match":0.8,"anchor_min_sub_pairs":3})");
}

TEST(CyclesCsv, FilesHaveTheKnownRowsAndColumns) {
  const std::vector<sinks::CsvFile> files =
      cycles_csv(analysis::cycles::Cycles{{passes_for_test()}});
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0].name, "cycle_1_pass.csv");
  EXPECT_EQ(files[1].name, "cycle_2_layer.csv");
  EXPECT_EQ(files[0].content,
            "# Cycle Statistics\n"
            "# Iterations,4\n"
            "# Kernels per cycle,6\n"
            "# Avg cycle time (us),9.000\n"
            "# Total time (us),36.000\n"
            "\n"
            "index,kernel_name,avg_duration_us,min_duration_us,max_duration_us,stddev_us,count,"
            "pct_of_cycle\n"
            "0,\"gemm<a, b>\",6.000,5.000,7.000,1.500,4,75.0000\n"
            "1,norm,2.000,1.000,3.000,1.500,4,25.0000\n");
}

TEST(CyclesCsv, TimesAreRoundedAsInTheJson) {
  analysis::cycles::StreamCycles stream = passes_for_test();
  analysis::cycles::Position& position = stream.loops[0].positions[1];
  position.sum = WideTime{4} * 2'000'900;
  position.min = Time{1'000'900};
  position.max = Time{3'000'900};
  position.stddev_ps = 1'499'900;
  EXPECT_THAT(cycles_csv(analysis::cycles::Cycles{{stream}})[0].content,
              HasSubstr("\n1,norm,2.000,1.000,3.000,1.499,4,25.0000\n"));
}

TEST(CyclesCsv, NamesAreNoFormulas) {
  analysis::cycles::StreamCycles stream = passes_for_test();
  stream.loops[0].positions[1].name = "=1+2";
  EXPECT_THAT(cycles_csv(analysis::cycles::Cycles{{stream}})[0].content,
              HasSubstr("\n1,'=1+2,2.000,"));
}

TEST(CyclesCsv, FilesOfSeveralStreamsAndOfEqualLoopsAreToldApart) {
  analysis::cycles::StreamCycles first = passes_for_test();
  first.stream.rank_number = 3;
  first.nest.loops[1] = first.nest.loops[0];
  first.loops[1] = first.loops[0];
  analysis::cycles::StreamCycles second = passes_for_test();
  second.stream.stream_id = "../7";
  std::vector<std::string> names;
  for (const sinks::CsvFile& file : cycles_csv(analysis::cycles::Cycles{{first, second}}))
    names.push_back(file.name);
  EXPECT_THAT(names, ElementsAre("rank3_device0_stream7_cycle_1_pass.csv",
                                 "rank3_device0_stream7_cycle_1_pass_2.csv",
                                 "device0_stream___7_cycle_1_pass.csv",
                                 "device0_stream___7_cycle_2_layer.csv"));
}

TEST(CyclesXlsx, SheetsAreLoopsPhasesAndBodies) {
  const std::vector<sinks::XlsxSheet> sheets =
      cycles_sheets(analysis::cycles::Cycles{{passes_for_test()}}, false);
  ASSERT_EQ(sheets.size(), 4U);
  EXPECT_EQ(sheets[0].name, "Loops");
  EXPECT_EQ(sheets[1].name, "Phases");
  EXPECT_EQ(sheets[2].name, "1 decode pass");
  EXPECT_EQ(sheets[3].name, "2 layer");
  for (const sinks::XlsxSheet& sheet : sheets) {
    for (const auto& row : sheet.rows) EXPECT_EQ(row.size(), sheet.columns.size()) << sheet.name;
  }
  EXPECT_EQ(std::get<double>(sheets[0].rows[0][14].value), 60);
  EXPECT_EQ(std::get<std::string>(sheets[1].rows[1][9].value),
            "annotation 'decode' (4 of 4 iterations) (fact); other attention and matrix kernels "
            "than in decode passes "
            "of as many layers (possible)");
  EXPECT_EQ(std::get<double>(sheets[2].rows[0][3].value), 6);
}

TEST(CyclesXlsx, ThereAreNotMoreSheetsThanPeopleCanUse) {
  const analysis::cycles::Cycles cycles{
      std::vector<analysis::cycles::StreamCycles>(200, passes_for_test())};  // two bodies each
  const std::vector<sinks::XlsxSheet> sheets = cycles_sheets(cycles, true);
  EXPECT_EQ(sheets.size(), 250U);
  ASSERT_EQ(sheets[0].rows.size(), 401U);
  EXPECT_EQ(std::get<std::string>(sheets[0].rows.back().at(0).value),
            "Left out: sheets of 152 loops (--csv writes all)");
}

trace::Trace trace_for_test() {
  trace::Trace trace;
  trace.ranks.emplace_back();
  trace.processes.emplace_back();
  trace.devices.emplace_back();
  trace::Track track;
  track.side = trace::Track::Side::kDevice;
  track.device = trace::DeviceId{0};
  trace.tracks.push_back(track);
  return trace;
}

std::vector<std::string> names_on(const trace::Trace& trace, std::string_view track) {
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < trace.events.size(); ++i) {
    if (trace.text(trace.track_of(i).name) != track) continue;
    EXPECT_EQ(trace.events.kind[i], trace::Kind::kAnnotation);
    EXPECT_TRUE(trace.on_device(i));
    names.emplace_back(trace.text(trace.events.name[i]));
  }
  return names;
}

TEST(CyclesAnnotate, TracksStandBesideTheStream) {
  trace::Trace trace = trace_for_test();
  annotate_cycles(analysis::cycles::Cycles{{passes_for_test()}}, trace);
  EXPECT_EQ(trace.tracks.size(), 5U);
  EXPECT_THAT(names_on(trace, "lockstep phases of stream 7"), ElementsAre("unknown", "decode"));
  EXPECT_THAT(names_on(trace, "lockstep passes of stream 7"),
              ElementsAre("decode pass 1", "decode pass 2", "decode pass 3", "decode pass 4"));
  EXPECT_THAT(names_on(trace, "lockstep outliers of stream 7"), ElementsAre("decode pass 3"));
  EXPECT_EQ(names_on(trace, "lockstep layers of stream 7").size(), 12U);
}

TEST(CyclesAnnotate, LayersAreCountedFromOneInEachPass) {
  trace::Trace trace = trace_for_test();
  analysis::cycles::StreamCycles stream = passes_for_test();
  std::vector<analysis::cycles::IterationTime>& layers = stream.loops[1].iterations;
  // Kernels between two passes.
  for (std::size_t i = 3; i < layers.size(); ++i) {
    ++layers[i].kernels.start;
    ++layers[i].kernels.end;
  }
  annotate_cycles(analysis::cycles::Cycles{{stream}}, trace);
  const std::vector<std::string> names = names_on(trace, "lockstep layers of stream 7");
  EXPECT_THAT((std::vector<std::string>(names.begin(), names.begin() + 5)),
              ElementsAre("layer 1", "layer 2", "layer 3", "layer 1", "layer 2"));
}

TEST(CyclesAnnotate, InnerLoopsAreLeftOut) {
  trace::Trace trace = trace_for_test();
  analysis::cycles::StreamCycles stream = passes_for_test();
  stream.loops[1].role = analysis::cycles::LoopRole::kInner;
  annotate_cycles(analysis::cycles::Cycles{{stream}}, trace);
  EXPECT_EQ(trace.tracks.size(), 4U);
  stream.loops[1].role = analysis::cycles::LoopRole::kUnknown;
  annotate_cycles(analysis::cycles::Cycles{{stream}}, trace);
  EXPECT_EQ(trace.tracks.size(), 7U);
}

}  // namespace
}  // namespace lockstep::report::cycles
