// Types of tasks, and collectives that are told twice.
#include "formats/ascend/ascend_tasks.h"

#include <chrono>

#include <gtest/gtest.h>

#include "formats/shared/rank_builder.h"

namespace lockstep {
namespace {

TEST(AscendTasks, TheTypeDecidesThenTheName) {
  EXPECT_EQ(ascend_task_kind("STARS_COMMON", "x"), Kind::kKernel);
  EXPECT_EQ(ascend_task_kind("KERNEL_AI_CPU", "x"), Kind::kAiCpu);
  EXPECT_EQ(ascend_task_kind("HCCL_AI_CPU", "x"), Kind::kAiCpu);
  EXPECT_EQ(ascend_task_kind("SDMA_SQE", "x"), Kind::kMemcpy);
  EXPECT_EQ(ascend_task_kind("SDMA", "MEMCPY_ASYNC"), Kind::kAnnotation);
  EXPECT_EQ(ascend_task_kind("Write Value", "x"), Kind::kAnnotation);
  EXPECT_EQ(ascend_task_kind("PROFILER_TRACE_EX", "x"), Kind::kOverhead);
  EXPECT_EQ(ascend_task_kind("N/A", "EVENT_WAIT"), Kind::kEventWait);
  EXPECT_EQ(ascend_task_kind("PLACE_HOLDER_SQE", "EVENT_WAIT"), Kind::kEventWait);
  EXPECT_EQ(ascend_task_kind("PLACE_HOLDER_SQE", "x"), Kind::kOverhead);
  EXPECT_EQ(ascend_task_kind("x", "y"), std::nullopt);
}

class SecondRecords : public testing::Test {
 protected:
  static EventId add(RankBuilder& rank, std::string_view device, std::string_view name, Kind kind,
                     WideTime start, WideTime end) {
    Event row;
    row.name = rank.intern(name);
    row.kind = kind;
    row.track = rank.stream(rank.process("1"), rank.device(device), "2");
    return rank.add_span(row, start, end);
  }
  [[nodiscard]] Kind kind(EventId event) const { return trace.events.kind[index_of(event)]; }

  Trace trace;
};

TEST_F(SecondRecords, AreJudgedByTheCollectivesOfTheirDevice) {
  RankBuilder rank(trace, "x", "ascend_text", KeepArguments::kNone);
  const auto op = add(rank, "0", "hcom_allReduce__5_0_1", Kind::kCommunication, 10, 20);
  const auto second = add(rank, "0", "hcom_allReduce_AivKernel", Kind::kKernel, 12, 18);
  const auto other = add(rank, "1", "hcom_allReduce_AicpuKernel", Kind::kAiCpu, 12, 18);
  EXPECT_EQ(settle_second_records(trace, 0), 1U);
  EXPECT_EQ(kind(second), Kind::kDuplicate);
  EXPECT_EQ(kind(other), Kind::kCommunication);
  ASSERT_EQ(trace.collectives.size(), 2U);
  EXPECT_EQ(trace.collectives[0].event, op);
  EXPECT_EQ(trace.collectives[0].sequence, 0);
  EXPECT_EQ(trace.collectives[1].event, other);
}

TEST_F(SecondRecords, RanksThatAreDoneStayAsTheyAre) {
  RankBuilder first(trace, "x", "ascend_text", KeepArguments::kNone);
  add(first, "0", "hcom_allReduce__5_7_1", Kind::kCommunication, 10, 20);
  RankBuilder second(trace, "y", "ascend_text", KeepArguments::kNone);
  const auto kernel = add(second, "0", "hcom_allReduce_AicpuKernel", Kind::kAiCpu, 12, 18);
  EXPECT_EQ(settle_second_records(trace, 1), 0U);
  ASSERT_EQ(trace.collectives.size(), 2U);
  EXPECT_EQ(trace.collectives[0].sequence, std::nullopt);
  EXPECT_EQ(trace.collectives[1].event, kernel);
}

// 300,000 collectives of earlier ranks, then 2,000 ranks with one: 600 million looks if each rank
// goes through all of them.
TEST_F(SecondRecords, ARankCostsNoMoreThanItsOwnCollectives) {
  RankBuilder first(trace, "x", "ascend_text", KeepArguments::kNone);
  for (int i = 0; i < 300'000; ++i) {
    add(first, "0", "hcom_allReduce__5_7_1", Kind::kCommunication, i, i + 1);
  }
  const std::size_t rows = trace.events.size();
  add(first, "0", "hcom_allReduce__5_7_1", Kind::kCommunication, 0, 1);
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 2'000; ++i) (void)settle_second_records(trace, rows);
  EXPECT_LT(std::chrono::steady_clock::now() - begin,
            std::chrono::seconds(60));  // a hang, not a speed
}

}  // namespace
}  // namespace lockstep
