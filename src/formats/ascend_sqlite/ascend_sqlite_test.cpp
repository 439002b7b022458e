// Databases of Ascend profilers: tasks to kernels and waits, collectives, arrows, steps, defects.
#include "formats/ascend_sqlite/ascend_sqlite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/ascend/ascend_names.h"
#include "formats/shared/record_defects.h"
#include "formats/sqlite/sqlite_reading_for_test.h"
#include "formats/sqlite/sqlite_strings.h"

namespace lockstep::formats::ascend_sqlite {
namespace {

using testing::HasSubstr;

constexpr const char* kSchema =
    "CREATE TABLE STRING_IDS(id INTEGER PRIMARY KEY, value TEXT);"
    "INSERT INTO STRING_IDS VALUES (1, 'KERNEL_AIVEC'), (2, 'MEMCPY_ASYNC'), (3, 'EVENT_WAIT'),"
    "  (4, 'PROFILING_ENABLE'), (5, 'AI_CORE'), (6, 'Notify Wait'), (7, 'aclnnAdd'),"
    "  (8, 'AI_VECTOR_CORE'), (9, 'AI_CPU'), (10, 'hcom_allReduce__586_3_1'), (11, 'group-a'),"
    "  (12, 'hcom_allReduce_AivKernel'), (13, 'Notify_Wait'), (14, 'Memcpy'), (15, 'launch'),"
    "  (16, 'aten::add'), (17, 'Enqueue'), (18, 'Dequeue@x'), (19, 'ProfilerStep#4'),"
    "  (20, 'PLACE_HOLDER_SQE'), (21, 'hcom_allReduce_AicpuKernel'), (22, 'SDMA'),"
    "  (23, 'Write Value'), (24, 'PROFILER_TRACE_EX'), (25, 'KERNEL_AI_CPU'), (268435456, "
    "'AddBackward0');"
    "CREATE TABLE TASK(startNs INTEGER, endNs INTEGER, deviceId, connectionId, globalTaskId,"
    "  globalPid, taskType, contextId, streamId, taskId, modelId);"
    "CREATE TABLE COMPUTE_TASK_INFO(name, globalTaskId INTEGER PRIMARY KEY, blockDim, taskType, "
    "opType);"
    "CREATE TABLE COMMUNICATION_OP(opName, startNs, endNs, connectionId, groupName, opId, "
    "dataType, algType, count);"
    "CREATE TABLE COMMUNICATION_TASK_INFO(name, globalTaskId, taskType, planeId, size);"
    "CREATE TABLE CANN_API(startNs, endNs, type, globalTid, connectionId, name);"
    "CREATE TABLE PYTORCH_API(startNs TEXT, endNs TEXT, globalTid, connectionId, name, type);"
    "CREATE TABLE CONNECTION_IDS(id, connectionId);"
    "CREATE TABLE STEP_TIME(id, startNs, endNs);"
    "CREATE TABLE ENUM_HCCL_DATA_TYPE(id, name); INSERT INTO ENUM_HCCL_DATA_TYPE VALUES (4, "
    "'FP32');"
    "CREATE TABLE NPU_INFO(id, name); INSERT INTO NPU_INFO VALUES (1, 'Ascend910B');"
    "CREATE TABLE RANK_DEVICE_MAP(rankId, deviceId); INSERT INTO RANK_DEVICE_MAP VALUES (6, 1);";

constexpr std::int64_t kBase = 1736410576000000000;

class AscendSqlite : public testing::Test {
 protected:
  AscendSqlite() { made_.run(kSchema); }
  void run(const std::string& sql) { made_.run(sql); }
  // A task of process 42, on device 1 unless said otherwise.
  void task(int id, int start, int end, int connection, int type, int stream = 2, int device = 1) {
    run("INSERT INTO TASK VALUES (" + at(start) + ", " + at(end) + ", " + std::to_string(device) +
        ", " + std::to_string(connection) + ", " + std::to_string(id) + ", 42, " +
        std::to_string(type) + ", 4294967295, " + std::to_string(stream) + ", 1, 4294967295)");
  }
  void computes(int id, int name, int type = 8) {
    run("INSERT INTO COMPUTE_TASK_INFO VALUES (" + std::to_string(name) + ", " +
        std::to_string(id) + ", 8, " + std::to_string(type) + ", 7)");
  }
  void collective(int start, int end, int connection) {
    run("INSERT INTO COMMUNICATION_OP VALUES (10, " + at(start) + ", " + at(end) + ", " +
        std::to_string(connection) + ", 11, 1, 4, NULL, 1000)");
  }
  static std::string at(int ns) { return std::to_string(kBase + ns); }
  [[nodiscard]] sqlite::SqliteReading read(bool keep_arguments = false) {
    sqlite::SqliteReading reading =
        sqlite::read_with(ascend_sqlite_dialect(), made_.path(), keep_arguments);
    EXPECT_TRUE(reading.status.ok());
    return reading;
  }

  sqlite::SqliteTestFile made_;
};

TEST_F(AscendSqlite, TasksWithAComputationAreKernels) {
  task(3, 100, 150, 9, 1);
  computes(3, 7);
  const sqlite::SqliteReading reading = read(true);
  ASSERT_EQ(reading.trace.events.size(), 1U);
  EXPECT_EQ(reading.name(0), "aclnnAdd");
  EXPECT_EQ(reading.trace.events.kind[0], trace::Kind::kKernel);
  EXPECT_EQ(reading.trace.events.duration[0].ps, 50'000);
  EXPECT_EQ(reading.lane(0), "2");
  EXPECT_EQ(reading.device(0), "1");
  EXPECT_EQ(reading.trace.text(reading.trace.devices[0].name), "Ascend910B");
  EXPECT_EQ(reading.argument(0, "block dim"), "8");
  EXPECT_EQ(reading.argument(0, "task type"), "AI_VECTOR_CORE");
  EXPECT_EQ(reading.trace.ranks[0].origin.ns, kBase + 100);
  EXPECT_EQ(reading.trace.ranks[0].origin.clock, Clock::kEpoch);
  EXPECT_EQ(reading.trace.ranks[0].number, 6);
  EXPECT_EQ(reading.trace.ranks[0].number_from, trace::RankEvidence::kMetadata);
}

TEST_F(AscendSqlite, EvidenceIsTheTypeOfAKernelAndTheShapesOfAnOperator) {
  task(3, 100, 150, 9, 1);
  computes(3, 7);
  run("INSERT INTO STRING_IDS VALUES (90, '2,3;4'), (91, 'float;float')");
  for (const char* column : {"sequenceNumber", "inputDtypes", "inputShapes"}) {
    run(std::string("ALTER TABLE PYTORCH_API ADD COLUMN ") + column);
  }
  run("INSERT INTO PYTORCH_API(startNs, endNs, globalTid, connectionId, name, sequenceNumber, "
      "inputDtypes, inputShapes, type) VALUES (" +
      at(10) + ", " + at(20) + ", 1, 5, 7, 3, 91, 90, 50001)");
  const sqlite::SqliteReading reading =
      sqlite::read_with(ascend_sqlite_dialect(), made_.path(), trace::KeepArguments::kEvidence);
  ASSERT_EQ(reading.trace.events.size(), 2U);
  for (std::uint32_t i = 0; i < 2; ++i) {
    EXPECT_EQ(reading.trace.arguments.of(trace::EventId{i}).size(), 1U);
    if (reading.trace.events.kind[i] == trace::Kind::kKernel) {
      EXPECT_EQ(reading.argument(i, "task type"), "AI_VECTOR_CORE");
    } else {
      EXPECT_EQ(reading.argument(i, "Input Dims"), "2,3;4");
    }
  }
}

TEST_F(AscendSqlite, TaskTypesMapToKinds) {
  computes(1, 7, 9);
  int id = 0;
  for (const int type : {1, 2, 3, 4, 5, 20}) {
    ++id;
    task(id, id * 100, id * 100 + 50, id, type);
  }
  const sqlite::SqliteReading reading = read();
  EXPECT_EQ(reading.trace.events.kind[0], trace::Kind::kAiCpu);
  EXPECT_EQ(reading.trace.events.kind[1], trace::Kind::kMemcpy);
  EXPECT_EQ(reading.trace.events.kind[2], trace::Kind::kEventWait);
  EXPECT_EQ(reading.trace.events.kind[3], trace::Kind::kOverhead);
  EXPECT_EQ(reading.trace.events.kind[4], trace::Kind::kAnnotation)
      << "the cover of a mixed kernel";
  EXPECT_EQ(reading.trace.events.kind[5], trace::Kind::kOverhead) << "as in the timeline";
}

TEST_F(AscendSqlite, PartsOfCollectivesAreNeverBusyEvenUnexplained) {
  int id = 0;
  for (const int type : {22, 23, 24}) {
    ++id;
    task(id, id * 100, id * 100 + 50, id, type);
  }
  const sqlite::SqliteReading reading = read();
  EXPECT_EQ(reading.trace.events.kind[0], trace::Kind::kAnnotation) << "as in the text products";
  EXPECT_EQ(reading.trace.events.kind[1], trace::Kind::kAnnotation);
  EXPECT_EQ(reading.trace.events.kind[2], trace::Kind::kOverhead);
}

TEST_F(AscendSqlite, WithoutComputationsTheTasksAreAllThereIs) {
  task(1, 100, 150, 1, 1);
  task(2, 200, 250, 2, 5, 4);
  collective(200, 260, 2);
  const sqlite::SqliteReading reading = read();
  EXPECT_EQ(reading.trace.events.kind[0], trace::Kind::kKernel);
  EXPECT_EQ(reading.name(0), "KERNEL_AIVEC");
  EXPECT_EQ(reading.trace.events.kind[1], trace::Kind::kAnnotation)
      << "the collective stands for it";
  EXPECT_EQ(reading.part("COMPUTE_TASK_INFO")->use, trace::SourcePart::Use::kMissing);
}

TEST_F(AscendSqlite, ACollectiveIsOnTheLaneOfItsGroupAndItsStepsAreNeverBusy) {
  task(1, 100, 200, 9, 5, 4);
  task(2, 100, 150, 9, 6, 4);
  task(3, 150, 200, 9, 2, 4);
  computes(99, 7);
  run("INSERT INTO COMMUNICATION_TASK_INFO VALUES (10, 2, 13, 0, 0), (10, 3, 14, 1, 4096)");
  collective(100, 200, 9);
  const sqlite::SqliteReading reading = read(true);
  ASSERT_EQ(reading.trace.events.size(), 4U);
  EXPECT_EQ(reading.trace.events.kind[0], trace::Kind::kAnnotation);
  EXPECT_EQ(reading.trace.events.kind[1], trace::Kind::kEventWait);
  EXPECT_EQ(reading.name(1), "Notify_Wait");
  EXPECT_EQ(reading.trace.events.kind[2], trace::Kind::kAnnotation);
  EXPECT_EQ(reading.argument(2, "collective"), "hcom_allReduce__586_3_1");
  EXPECT_EQ(reading.trace.events.kind[3], trace::Kind::kCommunication);
  EXPECT_EQ(reading.lane(3), "group-a");
  EXPECT_EQ(reading.device(3), "1");
  ASSERT_EQ(reading.trace.collectives.size(), 1U);
  const trace::Collective& found = reading.trace.collectives[0];
  EXPECT_EQ(reading.trace.text(found.op), "all_reduce");
  EXPECT_EQ(reading.trace.text(found.group), "group-a");
  EXPECT_EQ(reading.trace.text(found.dtype), "Float");
  EXPECT_EQ(found.sequence, 3);
  EXPECT_EQ(found.elements_in, 1000);
  EXPECT_EQ(found.bytes, 4000);
}

TEST_F(AscendSqlite, AnExpandedCollectiveCountsOnce) {
  task(1, 100, 200, 9, 1, 4);
  task(2, 500, 600, 10, 1, 4);
  computes(1, 12);
  computes(2, 12);
  collective(100, 200, 9);
  const sqlite::SqliteReading reading = read();
  EXPECT_EQ(reading.trace.events.kind[0], trace::Kind::kDuplicate);
  EXPECT_EQ(reading.trace.events.kind[1], trace::Kind::kCommunication) << "no operator at its time";
  EXPECT_EQ(reading.trace.diagnostics.count_of(ascend::kDuplicateCollective), 1U);
}

TEST_F(AscendSqlite, AnExpandedCollectiveWithoutOperatorIsCommunicationWhateverItsCore) {
  task(1, 100, 200, 9, 25, 4);
  computes(1, 21, 9);
  const sqlite::SqliteReading reading = read();
  EXPECT_EQ(reading.trace.events.kind[0], trace::Kind::kCommunication)
      << "as in kernel_details.csv";
  ASSERT_EQ(reading.trace.collectives.size(), 1U);
  EXPECT_EQ(reading.trace.text(reading.trace.collectives[0].op), "all_reduce");
}

TEST_F(AscendSqlite, AnOperatorStandsForKernelsOfItsOwnDeviceOnly) {
  task(1, 100, 200, 9, 1, 4, 0);
  task(2, 100, 200, 10, 1, 4, 1);
  computes(1, 12);
  computes(2, 12);
  collective(100, 200, 9);
  run("ALTER TABLE COMMUNICATION_OP ADD COLUMN deviceId; UPDATE COMMUNICATION_OP SET deviceId = 0");
  const sqlite::SqliteReading reading = read();
  EXPECT_EQ(reading.device(0), "0");
  EXPECT_EQ(reading.trace.events.kind[0], trace::Kind::kDuplicate);
  EXPECT_EQ(reading.device(1), "1");
  EXPECT_EQ(reading.trace.events.kind[1], trace::Kind::kCommunication) << "all that device 1 has";
  EXPECT_EQ(reading.trace.diagnostics.count_of(ascend::kDuplicateCollective), 1U);
}

TEST_F(AscendSqlite, AnOperatorWithoutDeviceIsWhereItsTaskIs) {
  task(1, 100, 200, 8, 1, 4, 0);
  task(2, 100, 200, 9, 1, 4, 1);
  computes(1, 7);
  computes(2, 12);
  collective(100, 200, 9);
  const sqlite::SqliteReading reading = read();
  EXPECT_EQ(reading.trace.events.kind[1], trace::Kind::kDuplicate);
  EXPECT_EQ(reading.device(2), "1");
}

TEST_F(AscendSqlite, ConnectionsAreLaunchesAndArrows) {
  task(1, 500, 550, 9, 1);
  computes(1, 7);
  const std::string tid = std::to_string((std::int64_t{42} << 32) | 43);
  run("INSERT INTO CANN_API VALUES (" + at(400) + ", " + at(410) + ", 10000, " + tid + ", 9, 15)");
  run("INSERT INTO PYTORCH_API VALUES ('" + at(300) + "', '" + at(390) + "', " + tid +
      ", 0, 16, 50001), ('" + at(310) + "', '" + at(320) + "', " + tid + ", 1, 17, 50002), ('" +
      at(330) + "', '" + at(340) + "', " + tid + ", 2, 18, 50002), ('" + at(600) + "', '" +
      at(610) + "', " + tid + ", 3, 268435456, 50001)");
  run("INSERT INTO CONNECTION_IDS VALUES (0, 9), (0, 7001), (1, 7000), (2, 7000), (3, 7001)");
  const sqlite::SqliteReading reading = read();
  std::vector<std::string> arrows;
  for (const trace::Flow& flow : reading.trace.flows) {
    arrows.push_back(std::string(reading.name(trace::index_of(flow.from))) + " > " +
                     std::string(reading.name(trace::index_of(flow.to))) + " " +
                     (flow.kind == trace::Flow::Kind::kLaunch
                          ? "launch"
                          : std::string(reading.trace.text(flow.name))));
  }
  EXPECT_THAT(arrows, testing::UnorderedElementsAre("Node@launch > aclnnAdd launch",
                                                    "aten::add > aclnnAdd async_npu",
                                                    "Enqueue > Dequeue@x async_task_queue",
                                                    "aten::add > AddBackward0 fwdbwd"));
}

TEST_F(AscendSqlite, WithoutCannTheOperatorIsTheLaunch) {
  task(1, 500, 550, 9, 1);
  computes(1, 7);
  run("INSERT INTO PYTORCH_API VALUES ('" + at(300) + "', '" + at(390) + "', 1, 0, 16, 50001)");
  run("INSERT INTO CONNECTION_IDS VALUES (0, 9)");
  const sqlite::SqliteReading reading = read();
  ASSERT_EQ(reading.trace.flows.size(), 1U);
  EXPECT_EQ(reading.trace.flows[0].kind, trace::Flow::Kind::kLaunch);
}

TEST_F(AscendSqlite, StepsComeFromMarkersElseFromTheirTable) {
  run("INSERT INTO STEP_TIME VALUES (4, " + at(100) + ", " + at(900) + "), (5, " + at(950) + ", " +
      at(900) + ")");
  task(1, 500, 550, 9, 2);
  sqlite::SqliteReading reading = read();
  ASSERT_EQ(reading.trace.steps.size(), 1U);
  EXPECT_EQ(reading.trace.text(reading.trace.steps[0].name), "ProfilerStep#4");
  EXPECT_EQ(reading.trace.steps[0].start.ps, -400'000);
  EXPECT_EQ(reading.trace.diagnostics.count_of(shared::kNegativeDuration), 1U);
  run("INSERT INTO PYTORCH_API VALUES ('" + at(100) + "', '" + at(901) + "', 1, NULL, 19, 50001)");
  reading = read();
  ASSERT_EQ(reading.trace.steps.size(), 1U);
  EXPECT_EQ(reading.trace.steps[0].end.ps, 401'000);
  EXPECT_EQ(reading.part("STEP_TIME")->use, trace::SourcePart::Use::kUnused);
}

TEST_F(AscendSqlite, MarksOfTheUserAreAnnotations) {
  run("CREATE TABLE MSTX_EVENTS(startNs, endNs, eventType, rangeId, category, message, globalTid,"
      "  endGlobalTid, domainId, connectionId);"
      "INSERT INTO MSTX_EVENTS VALUES (" +
      at(10) + ", " + at(20) + ", 2, 0, 0, 16, 1, 1, 11, 0), (" + at(15) + ", " + at(15) +
      ", 0, 0, 0, 17, 1, 1, 65535, 0)");
  const sqlite::SqliteReading reading = read(true);
  ASSERT_EQ(reading.trace.events.size(), 2U);
  EXPECT_EQ(reading.trace.events.shape[0], trace::Shape::kSpan);
  EXPECT_EQ(reading.argument(0, "domain"), "group-a");
  EXPECT_EQ(reading.trace.events.shape[1], trace::Shape::kInstant);
}

TEST_F(AscendSqlite, BadRowsAreCounted) {
  run("INSERT INTO TASK(startNs, endNs, taskType) VALUES (NULL, 5, 1), ('x', 5, 1), (" + at(10) +
      ", " + at(5) + ", 1), (" + at(10) + ", " + at(20) + ", 777), (" + at(10) + ", " + at(20) +
      ", NULL), (0, 5, 1)");
  const sqlite::SqliteReading reading = read();
  EXPECT_EQ(reading.trace.diagnostics.count_of(shared::kMissingTime), 2U);
  EXPECT_EQ(reading.trace.diagnostics.count_of(shared::kNegativeDuration), 1U);
  EXPECT_EQ(reading.trace.diagnostics.count_of(shared::kZeroTime), 1U);
  EXPECT_EQ(reading.trace.diagnostics.count_of(sqlite::kUnknownString), 2U);
  EXPECT_EQ(reading.trace.events.size(), 2U);
}

TEST(AscendAnalysis, GivesCollectivesFromTheirStartAndLength) {
  sqlite::SqliteTestFile made("analysis.db");
  made.run(
      "CREATE TABLE CommAnalyzerTime(hccl_op_name TEXT, group_name TEXT, start_timestamp NUMERIC, "
      "elapse_time NUMERIC,"
      "  transit_time NUMERIC, wait_time NUMERIC, synchronization_time NUMERIC, idle_time NUMERIC, "
      "step TEXT, type TEXT);"
      "INSERT INTO CommAnalyzerTime VALUES ('hcom_allReduce__210_0_1', '171', 1736410576520380.25, "
      "2.17924353125, 1.5, 0.25, 0, 0.5, 'step50', 'collective'),"
      "  ('Total Op Info', '', 0, 2.2, 0, 0, 0, 0, 'step50', 'collective'),"
      "  ('hcom_allReduce__210_1_1', '171', 1736410576530380, NULL, 0, 0, 0, 0, 'step50', "
      "'collective')");
  const sqlite::SqliteReading reading = sqlite::read_with(ascend_sqlite_dialect(), made.path());
  ASSERT_TRUE(reading.status.ok());
  ASSERT_EQ(reading.trace.events.size(), 1U);
  EXPECT_EQ(reading.trace.ranks[0].origin.ns, 1736410576520380250);
  EXPECT_EQ(reading.trace.events.duration[0].ps, 2'179'243'531);
  ASSERT_EQ(reading.trace.collectives.size(), 1U);
  EXPECT_EQ(reading.trace.collectives[0].transit->ps, 1'500'000'000);
  EXPECT_EQ(reading.trace.collectives[0].wait->ps, 250'000'000);
  EXPECT_EQ(reading.trace.collectives[0].idle->ps, 500'000'000);
  EXPECT_EQ(reading.trace.diagnostics.count_of(shared::kMissingTime), 1U);
}

TEST(AscendAnalysis, IsRefusedWithoutTimes) {
  sqlite::SqliteTestFile made("analysis.db");
  made.run("CREATE TABLE StepTraceTime(step); CREATE TABLE CommAnalyzerBandwidth(step);");
  const sqlite::SqliteReading reading = sqlite::read_with(ascend_sqlite_dialect(), made.path());
  ASSERT_FALSE(reading.status.ok());
  EXPECT_THAT(
      reading.status.error().text(),
      HasSubstr("is an analysis database of an Ascend profiler without times of collectives. "
                "The events are in ascend_pytorch_profiler_*.db"));
  EXPECT_TRUE(reading.trace.ranks.empty());
}

TEST(AscendSqliteRecognition, LeavesOtherDatabasesAlone) {
  sqlite::SqliteTestFile other;
  other.run("CREATE TABLE TASK(a, b); CREATE TABLE STRING_IDS(id, value)");
  EXPECT_FALSE(sqlite::recognised_by(ascend_sqlite_dialect(), other.path()));
}

}  // namespace
}  // namespace lockstep::formats::ascend_sqlite
