// Claims on rows: what they sum, what they take from the file, how they are ranked.
#include "analysis/anomalies/timeline/op_table.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "analysis/anomalies/timeline/timeline_for_test.h"

namespace lockstep::analysis::anomalies {
namespace {

const OpRow& row_named(const OpTable& table, std::string_view text,
                       trace::Kind kind = trace::Kind::kKernel) {
  const auto found = std::ranges::find_if(
      table.rows, [&](const OpRow& row) { return row.text == text && row.kind == kind; });
  EXPECT_NE(found, table.rows.end()) << text;
  return *found;
}

TEST(OpTable, SumsKernelsOfOneName) {
  TestDevice device;
  device.add("a", 0, 10);
  device.add("b", 10, 20);
  device.add("a", 50, 10);
  const OpTable table = device.table();
  ASSERT_EQ(table.rows.size(), 2U);
  const OpRow& a = row_named(table, "a");
  EXPECT_EQ(a.count, 2U);
  EXPECT_EQ(a.duration, us(20).ps);
  EXPECT_EQ(a.to_device, us(20).ps);
  EXPECT_EQ(a.to_stream, us(20).ps);
  EXPECT_EQ(a.to_compute, us(20).ps);
  EXPECT_EQ(a.total_cost(), us(40).ps);
  EXPECT_DOUBLE_EQ(a.wait_ratio(), 0.5);
}

TEST(OpTable, RanksByTotalCostAndByDuration) {
  TestDevice device;
  device.add("work", 0, 60);
  device.add("waiter", 160, 5);
  const OpTable table = device.table();
  EXPECT_EQ(table.rows[0].text, "waiter");
  EXPECT_EQ(table.by_duration, (std::vector<std::uint32_t>{1, 0}));
  EXPECT_EQ(table.row_of, (std::vector<std::uint32_t>{1, 0}));
}

TEST(OpTable, OfEqualCostsTheLongerWorkComesFirst) {
  TestDevice device;
  device.add("a", 0, 10);
  device.add("b", 20, 10);
  device.add("c", 30, 20);
  device.add("d", 50, 20);
  const OpTable table = device.table();
  std::string order;
  for (const OpRow& row : table.rows) order += row.text;
  EXPECT_EQ(order, "cdba");
}

TEST(OpTable, FallbackToTheAiCpuIsARowOfItsOwn) {
  TestDevice device;
  device.add("Cast", 0, 10);
  device.add("Cast", 10, 30, trace::Kind::kAiCpu);
  device.add("Cast", 40, 10);
  const OpTable table = device.table();
  EXPECT_EQ(row_named(table, "Cast").count, 2U);
  EXPECT_EQ(row_named(table, "Cast", trace::Kind::kAiCpu).count, 1U);
  ASSERT_EQ(table.aicpu.size(), 1U);
  EXPECT_EQ(table.aicpu[0].kernel, 1U);
}

TEST(OpTable, NamesAreDemangled) {
  TestDevice device;
  device.add("_Z3addPf", 0, 10);
  EXPECT_EQ(device.table().rows.at(0).text, "add(float*)");
}

TEST(OpTable, SpellingsOfOneNameAreARow) {
  TestDevice device;
  device.add("_Z3addPf", 0, 10);
  device.add("_Z3addPf.kd", 10, 30, trace::Kind::kAiCpu);
  device.add("_Z3addPf.kd", 40, 10);
  device.add("add(float*)", 50, 10, trace::Kind::kAiCpu);
  const OpTable table = device.table();
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(row_named(table, "add(float*)").count, 2U);
  EXPECT_EQ(row_named(table, "add(float*)", trace::Kind::kAiCpu).count, 2U);
}

TEST(OpTable, TypeIsTheFilesElseOurs) {
  TestDevice device;
  StringPool& strings = device.trace.trace.strings;
  const StringId core = strings.intern("Accelerator Core");
  const trace::EventId told = device.add("told", 0, 10);
  const std::vector<trace::Argument> arguments = {
      trace::Argument::string(core, strings.intern("MIX_AIC"))};
  device.trace.trace.arguments.set(told, arguments);
  const trace::EventId unknown = device.add("untold", 10, 10);
  const std::vector<trace::Argument> nothing = {
      trace::Argument::string(core, strings.intern("N/A"))};
  device.trace.trace.arguments.set(unknown, nothing);
  device.trace.add(device.main, trace::Kind::kKernel, "category", 20'000, 10, trace::kNoCorrelation,
                   "DSA_SQE");
  device.trace.add(device.main, trace::Kind::kKernel, "kineto", 30'000, 10, trace::kNoCorrelation,
                   "kernel");
  const OpTable table = device.table();
  EXPECT_EQ(row_named(table, "told").type, "MIX_AIC");
  EXPECT_EQ(row_named(table, "untold").type, "kernel");
  EXPECT_EQ(row_named(table, "category").type, "DSA_SQE");
  EXPECT_EQ(row_named(table, "kineto").type, "kernel");
}

TEST(OpTable, ExportersWaitIsKeptBesideToThePicosecond) {
  TestDevice device;
  StringPool& strings = device.trace.trace.strings;
  const StringId wait = strings.intern("Wait Time(us)");
  const trace::EventId first = device.add("a", 0, 10);
  const trace::EventId second = device.add("a", 20, 10);
  device.add("b", 30, 10);
  const std::vector<trace::Argument> decimal = {
      trace::Argument::json(wait, strings.intern("12.000001"))};
  const std::vector<trace::Argument> whole = {trace::Argument::integer(wait, 3)};
  device.trace.trace.arguments.set(first, decimal);
  device.trace.trace.arguments.set(second, whole);
  const OpTable table = device.table();
  EXPECT_EQ(row_named(table, "a").exported_wait, WideTime{15'000'001});
  EXPECT_EQ(row_named(table, "b").exported_wait, std::nullopt);
}

// A kernel that waits 100 us on its stream while a collective runs for `talking` of them.
OpRow waiting_beside(std::int64_t talking, trace::Kind kind = trace::Kind::kKernel,
                     std::int64_t wait = 100) {
  TestDevice device;
  device.add("before", 0, 10);
  device.add_to(device.other, "hcom", 0, 10 + talking, trace::Kind::kCommunication);
  device.add("waiter", 10 + wait, 10, kind);
  return row_named(device.table(), "waiter", kind);
}

TEST(OpTable, WaitsInsideCommunicationPolluteFromTheirLimitOn) {
  EXPECT_DOUBLE_EQ(waiting_beside(20).comm_wait_share, 0.2);
  EXPECT_TRUE(waiting_beside(20).has_wait_pollution);
  EXPECT_FALSE(waiting_beside(19).has_wait_pollution);
}

TEST(OpTable, ShortWaitsPolluteNothing) {
  EXPECT_TRUE(waiting_beside(10, trace::Kind::kKernel, 10).has_wait_pollution);
  EXPECT_FALSE(waiting_beside(9, trace::Kind::kKernel, 9).has_wait_pollution);
}

TEST(OpTable, CollectivesThatWaitForCollectivesAreNotPolluted) {
  const OpRow row = waiting_beside(50, trace::Kind::kCommunication);
  EXPECT_DOUBLE_EQ(row.comm_wait_share, 0.5);
  EXPECT_FALSE(row.has_wait_pollution);
}

}  // namespace
}  // namespace lockstep::analysis::anomalies
