// Claims on the JSON document, the CSV table and the sheets of `compare`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/compare/compare_csv.h"
#include "report/compare/compare_for_test.h"
#include "report/compare/compare_json.h"
#include "report/compare/compare_xlsx.h"

namespace lockstep::report::compare {
namespace {

using Json = nlohmann::ordered_json;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> keys_of(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& item : object.items()) keys.push_back(item.key());
  return keys;
}

Json document_of(const analysis::compare::Comparison& comparison,
                 std::optional<double> fail_on = {}) {
  const analysis::cycles::Cycles cycles{{cycles::passes_for_test()}};
  const std::vector<formats::input::InputFacts> a = {
      {"a.json", "kineto", io::Compression::kNone, 1, 1}};
  const std::vector<formats::input::InputFacts> b = {
      {"b.json", "kineto", io::Compression::kNone, 1, 1}};
  return Json::parse(compare_json({comparison, {cycles, a}, {cycles, b}}, {}, fail_on));
}

// Counts what it is given, and the largest piece of it.
class CountingSink : public io::ByteSink {
 public:
  [[nodiscard]] Status write(std::string_view bytes) override {
    text += bytes;
    largest = std::max(largest, bytes.size());
    return {};
  }
  [[nodiscard]] Status close() override { return {}; }

  std::string text;
  std::size_t largest = 0;
};

// A tree of all rows takes many times the text, and the text many times the traces.
TEST(CompareJson, IsHandedOverAsItIsMade) {
  analysis::compare::Comparison comparison = comparison_for_test();
  const analysis::compare::ComparePair one = comparison.pairs.front();
  while (comparison.pairs.size() < 1'000) comparison.pairs.push_back(one);
  const analysis::cycles::Cycles cycles{{cycles::passes_for_test()}};
  const ComparedTraces compared{comparison, {cycles, {}}, {cycles, {}}};
  CountingSink sink;
  ASSERT_TRUE(write_compare_json(compared, {}, {}, sink).ok());
  EXPECT_EQ(sink.text, compare_json(compared, {}, {}));
  EXPECT_EQ(sink.text, Json::parse(sink.text).dump(2) + "\n");
  EXPECT_GT(sink.text.size(), 3U << 19U);
  EXPECT_LT(sink.largest, 3U << 19U);
}

TEST(CompareJson, KeysStandInTheOrderOfTheContract) {
  const Json document = document_of(comparison_for_test());
  EXPECT_THAT(keys_of(document),
              ElementsAre("schema", "inputs_a", "inputs_b", "devices_a", "devices_b", "parameters",
                          "pairs", "total_ns_a", "total_delta_ns", "total_percent", "elapsed_ns_a",
                          "elapsed_delta_ns", "elapsed_percent", "unmatched_ns_a", "unmatched_ns_b",
                          "unmatched_percent_a", "unmatched_percent_b", "rows_tested",
                          "rows_significant", "regressions"));
  EXPECT_EQ(document["schema"], "lockstep.compare/2");
  EXPECT_EQ(document["inputs_b"], Json::array({"b.json"}));
  EXPECT_THAT(keys_of(document["pairs"][0]),
              ElementsAre("kind", "a", "b", "similarity", "rotation", "by_name", "same_work",
                          "inside", "elapsed", "wall_ns_a", "wall_ns_b", "delta_ns", "percent", "p",
                          "adjusted_p", "significant", "doubt", "breakdown", "rows"));
}

TEST(CompareJson, PairsTellBothSides) {
  const Json pair = document_of(comparison_for_test())["pairs"][1];
  EXPECT_EQ(pair["kind"], "loop");
  EXPECT_EQ(
      pair["a"].dump(),
      R"({"rank":null,"device":"0","stream":"7","loop":1,"start":1,"end":25,)"
      R"("phase":"decode","role":"pass","kernels":6,"iterations":4,"folded":1,"wall_ns":62000,)"
      R"("wall_stddev_ns":5000})");
  EXPECT_EQ(pair["similarity"], 0.833333);
  EXPECT_EQ(pair["wall_ns_b"], 74'400);
  EXPECT_EQ(pair["delta_ns"], 12'400);
  EXPECT_EQ(pair["significant"], true);
}

TEST(CompareJson, RowsTellBothSidesAndTheDoubt) {
  const Json document = document_of(comparison_for_test());
  const Json row = document["pairs"][1]["rows"][1];
  EXPECT_EQ(row["kind"], "fused");
  EXPECT_EQ(row["a"].size(), 3U);
  EXPECT_EQ(row["b"][0].dump(), R"({"name":"triton_fused","role":"gemm","position":3,"count":1})");
  EXPECT_EQ(row["mean_ns_a"], 9'000);
  EXPECT_EQ(row["stddev_ns_b"], 2'000);
  EXPECT_EQ(row["min_ns_a"], 8'999);
  EXPECT_EQ(row["max_ns_b"], 3'001);
  EXPECT_EQ(row["delta_ns"], -6'000);
  EXPECT_EQ(row["percent"], -66.666667);
  EXPECT_EQ(row["p"], 0.5);
  EXPECT_EQ(row["significant"], false);
  EXPECT_TRUE(document["pairs"][0]["rows"][0]["p"].is_null());
}

TEST(CompareJson, UnmatchedSidesAreNull) {
  const Json pair = document_of(comparison_for_test())["pairs"][2];
  EXPECT_TRUE(pair["a"].is_null());
  EXPECT_TRUE(pair["wall_ns_a"].is_null());
  EXPECT_TRUE(pair["delta_ns"].is_null());
  EXPECT_EQ(pair["wall_ns_b"], 7'000);
  EXPECT_EQ(pair["rows"].size(), 0U);
}

TEST(CompareJson, RegressionsAreToldWhereTheyWereAskedFor) {
  EXPECT_EQ(document_of(comparison_for_test())["regressions"].size(), 0U);
  const Json document = document_of(comparison_for_test(), 5);
  EXPECT_EQ(document["regressions"].size(), 1U);
  EXPECT_EQ(document["parameters"]["fail_on_regression_percent"], 5);
  EXPECT_EQ(document["parameters"]["min_difference_ns"], 64);
}

TEST(CompareCsv, EveryLineHasAllFields) {
  const std::string csv = compare_csv(comparison_for_test());
  EXPECT_THAT(csv, HasSubstr("\n1,decode pass,fused,mul + add + relu,triton_fused,9000,2000,8999,"
                             "9001,3000,2000,2999,3001,-6000,-66.6667,0.5,0.75,false\n"));
  EXPECT_THAT(csv, HasSubstr("\n1,decode pass,same,\"gemm<a, b>\",\"gemm<a, b>\","));
  EXPECT_THAT(csv, HasSubstr("\n1,decode pass,idle,idle,idle,21500,"));
  EXPECT_THAT(csv, HasSubstr("\n2,decode pass,unmatched_b,,,,,,,7000,,,,,,,,\n"));
  EXPECT_THAT(csv, HasSubstr(",0,,,false\n"));  // no p of one iteration
}

TEST(CompareCsv, DeviationsAreRoundedAsInTheJson) {
  analysis::compare::Comparison comparison = comparison_for_test();
  comparison.pairs[1].rows[1].a.stddev_ps = 1'999'900;
  EXPECT_THAT(compare_csv(comparison), HasSubstr(",triton_fused,9000,1999,8999,9001,"));
  EXPECT_EQ(document_of(comparison)["pairs"][1]["rows"][1]["stddev_ns_a"], 1'999);
}

TEST(CompareCsv, NamesAreNoFormulas) {
  analysis::compare::Comparison comparison = comparison_for_test();
  comparison.pairs[1].rows[2].a.kernels[0].name = "@SUM(A1)";
  comparison.pairs[1].rows[2].b.kernels[0].name = "-1";
  EXPECT_THAT(compare_csv(comparison), HasSubstr(",similar,'@SUM(A1),'-1,20000,"));
}

TEST(CompareXlsx, SheetsAreASummaryAndTheMatchedPairs) {
  const std::vector<sinks::XlsxSheet> sheets = compare_sheets(comparison_for_test());
  ASSERT_EQ(sheets.size(), 3U);
  EXPECT_EQ(sheets[0].name, "Summary");
  EXPECT_EQ(sheets[1].name, "0 prefill segment");
  EXPECT_EQ(sheets[2].name, "1 decode pass");
  for (const sinks::XlsxSheet& sheet : sheets) {
    for (const auto& row : sheet.rows) EXPECT_EQ(row.size(), sheet.columns.size()) << sheet.name;
  }
  EXPECT_EQ(sheets[0].rows.size(), 4U);
  std::vector<std::string> titles;
  for (const auto& column : sheets[2].columns) titles.push_back(column.title);
  EXPECT_THAT(titles,
              ElementsAre("Baseline Kernel", "Base Avg (us)", "Base Min (us)", "Base Max (us)",
                          "Base StdDev (us)", "New Kernel", "New Avg (us)", "New Min (us)",
                          "New Max (us)", "New StdDev (us)", "Change (%)", "Match Type"));
}

TEST(CompareXlsx, RowsHaveTheKnownColours) {
  const sinks::XlsxSheet sheet = compare_sheets(comparison_for_test())[2];
  const auto& rows = sheet.rows;
  EXPECT_EQ(std::get<double>(rows[0][1].value), 62);  // totals stand first
  EXPECT_EQ(rows[0][10].fill, 0xFF0000U);             // slower
  EXPECT_EQ(rows[1][11].fill, 0xE2EFDAU);             // same
  EXPECT_EQ(rows[1][10].fill, 0xFFC000U);             // within 5 %
  EXPECT_EQ(rows[2][11].fill, 0xDDEBF7U);             // fused
  EXPECT_EQ(rows[2][10].fill, 0x00B050U);             // faster
  EXPECT_EQ(rows[3][11].fill, 0xDDEBF7U);             // similar
  EXPECT_TRUE(rows[3][10].is_bold);                   // beyond noise
  EXPECT_EQ(rows[4][11].fill, 0xFFC7CEU);             // removed
  EXPECT_EQ(rows[5][11].fill, 0xFFEB9CU);             // new
  EXPECT_EQ(rows[6][11].fill, std::nullopt);          // idle
}

TEST(CompareXlsx, KernelThatIsGoneIsNoImprovement) {
  const sinks::XlsxSheet sheet = compare_sheets(comparison_for_test())[2];
  const auto& removed = sheet.rows[4];
  EXPECT_EQ(std::get<std::string>(removed[11].value), "removed");
  EXPECT_EQ(removed[10].fill, std::nullopt);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(removed[10].value));
  EXPECT_TRUE(std::holds_alternative<std::monostate>(removed[5].value));
}

}  // namespace
}  // namespace lockstep::report::compare
