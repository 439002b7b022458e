// Tables of sums: kept while they are small, compared with the kernels.
#include "formats/ascend_text/summary_tables.h"

#include <gtest/gtest.h>

#include "formats/ascend_text/defects.h"

namespace lockstep::formats::ascend_text {
namespace {

TEST(SummaryTables, AreListsOfObjectsUpToALimit) {
  const SummaryTable table{{"Step", "Stage"}, {{"3", ""}, {"4", "x"}}, true};
  const std::string json = R"([{"Step": 3, "Stage": null}, {"Step": 4, "Stage": "x"}])";
  EXPECT_EQ(as_json(table, json.size()), json);
  EXPECT_EQ(as_json(table, json.size() - 2), "");
}

// 4 GB of text if nothing stops it.
TEST(SummaryTables, LongNamesOfColumnsAreNotRepeatedWithoutEnd) {
  SummaryTable table;
  table.header = {std::string(200'000, 'x')};
  table.rows.assign(20'000, {"1"});
  EXPECT_EQ(as_json(table, std::size_t{1} << 20), "");
}

TEST(SummaryTables, CountsAreComparedByTypeAndCore) {
  const SummaryTable table{
      {"OP Type", "Core Type", "Count"},
      {{"Add", "AI_CORE", "2"}, {"Add", "AI_CORE", "1"}, {"Mul", "AI_CPU", "4"}},
      true};
  Diagnostics diagnostics;
  compare_counts(table, {{"Add", "AI_CORE", 3}, {"Mul", "AI_CORE", 4}}, diagnostics);
  ASSERT_EQ(diagnostics.count_of(kCountsDiffer), 1U);
  EXPECT_EQ(diagnostics.entries()[0].example, "Mul on AI_CPU: 4 counted, 0 rows");
}

TEST(SummaryTables, TypesThatDifferAtTheirEndsOnlyAreEachCompared) {
  constexpr int kTypes = 400;
  SummaryTable table;
  table.header = {"OP Type", "Core Type", "Count"};
  std::vector<KernelCount> kernels;
  for (int i = 0; i < kTypes; ++i) {
    const std::string type = std::string(40, 'x') + std::to_string(100'000 + i);
    table.rows.push_back({type, "AI_CORE", "1"});
    kernels.push_back({type, "AI_CORE", 1});
  }
  Diagnostics diagnostics;
  compare_counts(table, kernels, diagnostics);
  EXPECT_EQ(diagnostics.count_of(kCountsDiffer), 0U);
  for (KernelCount& kernel : kernels) kernel.count = 2;
  compare_counts(table, kernels, diagnostics);
  EXPECT_EQ(diagnostics.count_of(kCountsDiffer), static_cast<std::uint64_t>(kTypes));
}

}  // namespace
}  // namespace lockstep::formats::ascend_text
