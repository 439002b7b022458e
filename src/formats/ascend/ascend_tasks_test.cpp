// Types of tasks, and collectives that are told twice.
#include "formats/ascend/ascend_tasks.h"

#include <gtest/gtest.h>

#include "formats/shared/rank_builder.h"

namespace lockstep::formats::ascend {
namespace {

trace::Kind hardware_kind(std::string_view type, std::string_view name) {
  return hardware_task(type, name).kind;
}

TEST(AscendTasks, TheTypeDecidesThenTheName) {
  EXPECT_EQ(ascend_task_kind("STARS_COMMON", "x"), trace::Kind::kKernel);
  EXPECT_EQ(ascend_task_kind("KERNEL_AI_CPU", "x"), trace::Kind::kAiCpu);
  EXPECT_EQ(ascend_task_kind("HCCL_AI_CPU", "x"), trace::Kind::kAiCpu);
  EXPECT_EQ(ascend_task_kind("SDMA_SQE", "x"), trace::Kind::kMemcpy);
  EXPECT_EQ(ascend_task_kind("SDMA", "MEMCPY_ASYNC"), trace::Kind::kAnnotation);
  EXPECT_EQ(ascend_task_kind("Write Value", "x"), trace::Kind::kAnnotation);
  EXPECT_EQ(ascend_task_kind("PROFILER_TRACE_EX", "x"), trace::Kind::kOverhead);
  EXPECT_EQ(ascend_task_kind("N/A", "EVENT_WAIT"), trace::Kind::kEventWait);
  EXPECT_EQ(ascend_task_kind("PLACE_HOLDER_SQE", "EVENT_WAIT"), trace::Kind::kEventWait);
  EXPECT_EQ(ascend_task_kind("NOTIFY_RECORD_SQE", "x"), trace::Kind::kEventRecord);
  EXPECT_EQ(ascend_task_kind("EVENT_RECORD", "EVENT_WAIT"), trace::Kind::kEventRecord);
  EXPECT_EQ(ascend_task_kind("PLACE_HOLDER_SQE", "x"), trace::Kind::kOverhead);
  EXPECT_EQ(ascend_task_kind("x", "y"), std::nullopt);
}

TEST(AscendTasks, HardwareRunsKernelsWhereTheTypeSaysNothing) {
  for (const std::string_view type :
       {"", "Other", "OTHER", "other", "N/A", "UNKNOWN", "none", "5"}) {
    EXPECT_EQ(hardware_kind(type, "Conv2D1"), trace::Kind::kKernel) << type;
    EXPECT_EQ(hardware_kind(type, "MEMCPY_ASYNC"), trace::Kind::kMemcpy) << type;
    EXPECT_EQ(hardware_kind(type, "EVENT_WAIT"), trace::Kind::kEventWait) << type;
    EXPECT_EQ(hardware_kind(type, "EVENT_RECORD"), trace::Kind::kEventRecord) << type;
    EXPECT_EQ(hardware_kind(type, "PROFILING_ENABLE"), trace::Kind::kOverhead) << type;
  }
  EXPECT_EQ(hardware_kind("AI_CPU", "MEMCPY_ASYNC"), trace::Kind::kAiCpu);
}

TEST(AscendTasks, EveryEngineOfAStreamIsWork) {
  for (const std::string_view type : {"AIV_SQE", "C_CORE_SQE", "VPC_SQE", "JPEGE_SQE", "JPEGD_SQE",
                                      "VQ6_SQE", "ROCCE_SQE", "DVPP", "DSA_SQE"}) {
    EXPECT_EQ(hardware_kind(type, "isinf"), trace::Kind::kKernel) << type;
    EXPECT_FALSE(hardware_task(type, "isinf").has_unknown_type) << type;
  }
}

TEST(AscendTasks, CaseAndBlanksOfATypeDoNotCount) {
  EXPECT_EQ(hardware_kind("AI Core", "x"), trace::Kind::kKernel);
  EXPECT_EQ(hardware_kind(" ai_cpu ", "x"), trace::Kind::kAiCpu);
  EXPECT_EQ(hardware_kind("Notify Wait", "x"), trace::Kind::kEventWait);
  EXPECT_EQ(hardware_kind("memcpy_async", "x"), trace::Kind::kMemcpy);
}

TEST(AscendTasks, ANameOfWordsOfTasksIsATask) {
  for (const std::string_view name :
       {"EVENT_WAIT_SQE", "Notify_Wait", "Notify Wait", "STREAM_WAIT"}) {
    EXPECT_EQ(hardware_kind("Other", name), trace::Kind::kEventWait) << name;
  }
  EXPECT_EQ(hardware_kind("Other", "notify_record"), trace::Kind::kEventRecord);
  EXPECT_EQ(hardware_kind("Other", "EVENT_RESET"), trace::Kind::kEventRecord);
  for (const std::string_view name :
       {"memcpy_async", "Memcpy", "MEMCPY_ASYNC_D2H", "SDMA_SQE", "SDMA"}) {
    EXPECT_EQ(hardware_kind("Other", name), trace::Kind::kMemcpy) << name;
  }
  EXPECT_EQ(hardware_kind("Other", "Memset"), trace::Kind::kMemset);
  EXPECT_EQ(hardware_kind("Other", "PROFILER_TRACE_EX"), trace::Kind::kOverhead);
}

TEST(AscendTasks, AKernelWhoseNameHoldsAWordOfTasksStaysOne) {
  for (const std::string_view name :
       {"MatMulWaitX", "matmul_wait", "aclnnMemcpy", "record_loss", "Event", "stream", "_"}) {
    EXPECT_EQ(hardware_kind("Other", name), trace::Kind::kKernel) << name;
  }
  EXPECT_EQ(hardware_kind("AI_CORE", "Wait"), trace::Kind::kKernel);
}

TEST(AscendTasks, TypesOfTheFutureAreToldByTheirWords) {
  EXPECT_EQ(hardware_kind("AI_CORE_3", "x"), trace::Kind::kKernel);
  EXPECT_EQ(hardware_kind("AIV_2", "x"), trace::Kind::kKernel);
  EXPECT_EQ(hardware_kind("AI_CUBE", "x"), trace::Kind::kKernel);
  EXPECT_EQ(hardware_kind("VECTOR_CORE", "x"), trace::Kind::kKernel);
  EXPECT_EQ(hardware_kind("MIX_AIC_AIV", "x"), trace::Kind::kKernel);
  EXPECT_EQ(hardware_kind("AICPU_SQE", "x"), trace::Kind::kAiCpu);
  EXPECT_EQ(hardware_kind("AI_CORE_WAIT", "x"), trace::Kind::kEventWait);
  EXPECT_EQ(hardware_kind("CNT_NOTIFY_RECORD", "x"), trace::Kind::kEventRecord);
  EXPECT_EQ(hardware_kind("MEMCPY_ASYNC_2", "x"), trace::Kind::kMemcpy);
  // Turning over of stream numbers and the like is no work.
  EXPECT_EQ(hardware_kind("FLIP_NUM_SQE", "x"), trace::Kind::kAnnotation);
  EXPECT_TRUE(hardware_task("FLIP_NUM_SQE", "x").has_unknown_type);
  EXPECT_FALSE(hardware_task("Write Value", "x").has_unknown_type);
}

class SecondRecords : public testing::Test {
 protected:
  static trace::EventId add(shared::RankBuilder& rank, std::string_view device,
                            std::string_view name, trace::Kind kind, WideTime start, WideTime end) {
    trace::Event row;
    row.name = rank.intern(name);
    row.kind = kind;
    row.track = rank.stream(rank.process("1"), rank.device(device), "2");
    return rank.add_span(row, start, end);
  }
  [[nodiscard]] trace::Kind kind(trace::EventId event) const {
    return trace.events.kind[trace::index_of(event)];
  }

  trace::Trace trace;
};

TEST_F(SecondRecords, AreJudgedByTheCollectivesOfTheirDevice) {
  shared::RankBuilder rank(trace, "x", "ascend_text", trace::KeepArguments::kNone);
  const auto op = add(rank, "0", "hcom_allReduce__5_0_1", trace::Kind::kCommunication, 10, 20);
  const auto second = add(rank, "0", "hcom_allReduce_AivKernel", trace::Kind::kKernel, 12, 18);
  const auto other = add(rank, "1", "hcom_allReduce_AicpuKernel", trace::Kind::kAiCpu, 12, 18);
  EXPECT_EQ(settle_second_records(trace, 0), 1U);
  EXPECT_EQ(kind(second), trace::Kind::kDuplicate);
  EXPECT_EQ(kind(other), trace::Kind::kCommunication);
  ASSERT_EQ(trace.collectives.size(), 2U);
  EXPECT_EQ(trace.collectives[0].event, op);
  EXPECT_EQ(trace.collectives[0].sequence, 0);
  EXPECT_EQ(trace.collectives[1].event, other);
}

TEST_F(SecondRecords, RanksThatAreDoneStayAsTheyAre) {
  shared::RankBuilder first(trace, "x", "ascend_text", trace::KeepArguments::kNone);
  add(first, "0", "hcom_allReduce__5_7_1", trace::Kind::kCommunication, 10, 20);
  shared::RankBuilder second(trace, "y", "ascend_text", trace::KeepArguments::kNone);
  const auto kernel = add(second, "0", "hcom_allReduce_AicpuKernel", trace::Kind::kAiCpu, 12, 18);
  EXPECT_EQ(settle_second_records(trace, 1), 0U);
  ASSERT_EQ(trace.collectives.size(), 2U);
  EXPECT_EQ(trace.collectives[0].sequence, std::nullopt);
  EXPECT_EQ(trace.collectives[1].event, kernel);
}

}  // namespace
}  // namespace lockstep::formats::ascend
