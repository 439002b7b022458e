// Claims on the JSON document and the CSV table of `info`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/info/info_csv.h"
#include "report/info/info_json.h"
#include "report/layout/quantities.h"

namespace lockstep::report::info {
namespace {

using Json = nlohmann::ordered_json;
using testing::ElementsAre;

const DiagnosticKind kNote{"a_note", Severity::kInfo, "worth knowing"};
const DiagnosticKind kLoss{"a_loss", Severity::kDataLoss, "lost"};

formats::input::InputFacts input(std::string path,
                                 io::Compression compression = io::Compression::kGzip) {
  return {std::move(path), "kineto", compression, 10, 100};
}

analysis::summary::Summary small_summary() {
  analysis::summary::Summary summary;
  summary.clock = Clock::kEpoch;
  summary.origin_ns = 1'790'857'026'000'000'000;
  summary.events = 3;
  summary.by_kind[static_cast<std::size_t>(trace::Kind::kKernel)] = 2;
  summary.by_kind[static_cast<std::size_t>(trace::Kind::kPython)] = 1;
  summary.kernels = 2;
  summary.span = 12'999;
  summary.steps.push_back({"ProfilerStep#1", Time{-1}, Time{5'000}});
  summary.annotations.push_back({"decode", 4});
  summary.collectives.push_back({"all_reduce", 2, 2'500});
  summary.top_kernels.push_back({"gemm<a, \"b\">", 2, 3'999, Time{1'000}, Time{2'999}});
  summary.ranks.push_back({std::nullopt, {{"0", "NVIDIA H200", 2, 4'000, {{"7", "", 2, 4'000}}}}});
  return summary;
}

Json document_of(const analysis::summary::Summary& summary,
                 const std::vector<formats::input::InputFacts>& inputs) {
  return Json::parse(info_json(summary, inputs));
}

TEST(InfoJson, KeysStandInTheOrderOfTheContract) {
  const Json document = document_of(small_summary(), {input("a.json.gz")});
  std::vector<std::string> keys;
  for (const auto& item : document.items()) keys.push_back(item.key());
  EXPECT_THAT(keys, ElementsAre("schema", "inputs", "format", "compression", "size_bytes",
                                "inflated_bytes", "origin_ns", "clock", "events", "by_kind",
                                "kernels", "host_events", "flows", "host_threads", "span_ns",
                                "device_span_ns", "device_busy_ns", "steps", "annotations",
                                "collectives", "top_kernels", "ranks", "diagnostics"));
  EXPECT_EQ(document["schema"], "lockstep.info/2");
}

TEST(InfoJson, OneInputIsToldWhole) {
  const Json document = document_of(small_summary(), {input("a.json.gz")});
  EXPECT_EQ(document["inputs"], Json::array({"a.json.gz"}));
  EXPECT_EQ(document["format"], "kineto");
  EXPECT_EQ(document["compression"], "gzip");
  EXPECT_EQ(document["size_bytes"], 10);
  EXPECT_EQ(document["inflated_bytes"], 100);
}

TEST(InfoJson, SeveralInputsAreAddedAndDifferencesAreMixed) {
  const Json document =
      document_of(small_summary(), {input("a.json.gz"), input("b.json", io::Compression::kNone)});
  EXPECT_EQ(document["format"], "kineto");
  EXPECT_EQ(document["compression"], "mixed");
  EXPECT_EQ(document["size_bytes"], 20);
}

TEST(InfoJson, OriginIsTextOnAnAbsoluteClockAndNullOtherwise) {
  analysis::summary::Summary summary = small_summary();
  EXPECT_EQ(document_of(summary, {})["origin_ns"], "1790857026000000000");
  summary.clock = Clock::kSession;
  EXPECT_TRUE(document_of(summary, {})["origin_ns"].is_null());
  EXPECT_EQ(document_of(summary, {})["clock"], "session");
}

TEST(InfoJson, OnlyKindsThatOccurAreListed) {
  EXPECT_EQ(document_of(small_summary(), {})["by_kind"].dump(), R"({"kernel":2,"python":1})");
}

TEST(InfoJson, TimesAreFlooredToNanoseconds) {
  const Json document = document_of(small_summary(), {});
  EXPECT_EQ(document["span_ns"], 12);
  EXPECT_EQ(document["steps"][0]["start_ns"], -1);
  EXPECT_EQ(document["steps"][0]["end_ns"], 5);
  EXPECT_TRUE(document["steps"][0]["device_start_ns"].is_null());
  EXPECT_EQ(document["collectives"][0]["total_ns"], 2);
}

TEST(InfoJson, StepsHaveTheWorkThatTheyLaunched) {
  analysis::summary::Summary summary = small_summary();
  summary.steps[0].work = {4, analysis::summary::DeviceWindow{Time{7'900}, Time{12'000}}};
  const Json step = document_of(summary, {})["steps"][0];
  EXPECT_EQ(step["kernels"], 4);
  EXPECT_EQ(step["device_start_ns"], 7);
  EXPECT_EQ(step["device_end_ns"], 12);
}

TEST(InfoJson, IdsAreStringsAndUnknownRanksAreNull) {
  EXPECT_EQ(
      document_of(small_summary(), {})["ranks"].dump(),
      R"([{"rank":null,"rank_from":"none","input":"","format":"","sources":[],"devices":[)"
      R"({"id":"0","name":"NVIDIA H200","kernels":2,"busy_ns":4,"kernel_busy_ns":0,)"
      R"("compute_busy_ns":0,"communication_busy_ns":0,"streams":[{"id":"7","kernels":2,"busy_ns":4}]}]}])");
}

TEST(InfoJson, RanksTellTheirEvidence) {
  analysis::summary::Summary summary = small_summary();
  summary.ranks[0].number = 3;
  summary.ranks[0].number_from = trace::RankEvidence::kName;
  summary.ranks[0].parts = {{trace::SourcePart::Use::kMissing, "trace_view.json", 0, "no host"}};
  const Json rank = document_of(summary, {})["ranks"][0];
  EXPECT_EQ(rank["rank_from"], "name");
  EXPECT_EQ(rank["sources"].dump(),
            R"([{"use":"missing","name":"trace_view.json","records":0,"note":"no host"}])");
}

TEST(InfoJson, DiagnosticsTellTheFirstPlaceWhereItIsKnown) {
  analysis::summary::Summary summary = small_summary();
  summary.diagnostics.add(kLoss, Place::byte(17), "x", 2);
  summary.diagnostics.add(kNote);
  const Json diagnostics = document_of(summary, {input("a.json")})["diagnostics"];
  EXPECT_EQ(diagnostics[0].dump(),
            R"json({"kind":"a_loss","severity":"data_loss","count":2,"first_byte":17,)json"
            R"json("text":"lost (first: x)"})json");
  EXPECT_FALSE(diagnostics[1].contains("first_byte"));
}

TEST(InfoJson, DiagnosticsNameTheirInputWhenThereAreSeveral) {
  analysis::summary::Summary summary = small_summary();
  Diagnostics of_rank;
  of_rank.add(kNote, Place::row(3));
  summary.diagnostics.absorb(of_rank, "b.json");
  const Json one = document_of(summary, {input("a.json"), input("b.json")})["diagnostics"][0];
  EXPECT_EQ(one["input"], "b.json");
  EXPECT_EQ(one["first_row"], 3);
}

TEST(InfoJson, BytesThatAreNotUtf8DoNotStopIt) {
  const std::string text = info_json(small_summary(), std::vector{input("bad\xFFname.json")});
  EXPECT_EQ(Json::parse(text)["inputs"][0], "bad\xEF\xBF\xBDname.json");
  EXPECT_TRUE(text.ends_with("}\n"));
}

TEST(InfoCsv, NamesAreQuotedWhereNeeded) {
  EXPECT_EQ(info_csv(small_summary()),
            "name,count,total_ns,min_ns,max_ns\n"
            "\"gemm<a, \"\"b\"\">\",2,3,1,2\n");
}

TEST(InfoCsv, ControlCharactersOfNamesAreReplaced) {
  analysis::summary::Summary summary;
  summary.top_kernels.push_back({"a\n\x1b[2Jb", 1, 0, Time{0}, Time{0}});
  EXPECT_EQ(info_csv(summary),
            "name,count,total_ns,min_ns,max_ns\n"
            "a\xEF\xBF\xBD\xEF\xBF\xBD[2Jb,1,0,0,0\n");
}

TEST(Quantities, SumsBeyondTheTypeBecomeItsLargestValue) {
  EXPECT_EQ(layout::floored_ns(WideTime{1} << 100), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(layout::floored_ns(-1), -1);
}

TEST(Quantities, ShareOfNothingIsADash) {
  EXPECT_EQ(layout::share_of(1, 0), "-");
  EXPECT_EQ(layout::share_of(1, 3), "33.3 %");
}

}  // namespace
}  // namespace lockstep::report::info
