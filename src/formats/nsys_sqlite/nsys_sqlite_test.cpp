// Exports of Nsight Systems: rows to events, lanes, launches, defects.
#include "formats/nsys_sqlite/nsys_sqlite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/nsys_sqlite/nsys_reader.h"
#include "formats/shared/record_defects.h"
#include "formats/sqlite/sqlite_reading_for_test.h"

namespace lockstep::formats::nsys_sqlite {
namespace {

using testing::ElementsAre;

// Process 10 of machine 1 and process 11: pid << 24 below the machine's bits.
constexpr const char* kSchema =
    "CREATE TABLE META_DATA_EXPORT(name, value);"
    "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.25.0'), ('EXPORT_HOST', 'x');"
    "CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);"
    "INSERT INTO StringIds VALUES (1, 'void gemm<float>(int)'), (2, 'gemm'), (3, '_Z4gemmIfEvi'),"
    "  (4, 'cudaLaunchKernel_v7000'), (5, 'ncclDevKernel_AllReduce_Sum'), (6, 'python'), (7, "
    "'poll'),"
    "  (8, 'ProfilerStep#3');"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, end, deviceId, contextId, streamId,"
    "  correlationId, globalPid, demangledName, shortName, mangledName, gridX, gridY, gridZ,"
    "  blockX, blockY, blockZ, registersPerThread, staticSharedMemory, dynamicSharedMemory);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start, end, deviceId, contextId, streamId,"
    "  correlationId, globalPid, bytes, copyKind, srcKind, dstKind);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start, end, globalTid, correlationId, nameId, "
    "returnValue);"
    "CREATE TABLE NVTX_EVENTS(start, end, eventType, text, globalTid, textId, domainId);"
    "CREATE TABLE TARGET_INFO_SESSION_START_TIME(utcEpochNs);"
    "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1700000000000000000);";
constexpr const char* kPid10 = "((10 << 24) | (1 << 48))";
constexpr const char* kPid11 = "((11 << 24) | (1 << 48))";

class NsysSqlite : public testing::Test {
 protected:
  NsysSqlite() { made_.run(kSchema); }
  void run(const std::string& sql) { made_.run(sql); }
  // A kernel of 50 ns.
  void kernel(const std::string& pid, int start, int device, int context, int stream,
              int correlation, const std::string& name = "1") {
    run("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (" + std::to_string(start) + ", " +
        std::to_string(start + 50) + ", " + std::to_string(device) + ", " +
        std::to_string(context) + ", " + std::to_string(stream) + ", " +
        std::to_string(correlation) + ", " + pid + ", " + name +
        ", 2, 3, 4, 2, 1, 128, 1, 1, 32, 100, 28)");
  }
  void call(const std::string& pid, int start, int correlation) {
    run("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (" + std::to_string(start) + ", " +
        std::to_string(start + 5) + ", " + pid + " | 99, " + std::to_string(correlation) +
        ", 4, 0)");
  }
  [[nodiscard]] sqlite::SqliteReading read(bool keep_arguments = false) {
    sqlite::SqliteReading reading =
        sqlite::read_with(nsys_sqlite_dialect(), made_.path(), keep_arguments);
    EXPECT_TRUE(reading.status.ok());
    return reading;
  }

  sqlite::SqliteTestFile made_;
};

TEST_F(NsysSqlite, KernelsHaveTheirFullNameAndExactTimes) {
  kernel(kPid10, 1001, 0, 1, 7, 5);
  const sqlite::SqliteReading reading = read(true);
  ASSERT_EQ(reading.trace.events.size(), 1U);
  EXPECT_EQ(reading.name(0), "void gemm<float>(int)");
  EXPECT_EQ(reading.trace.events.kind[0], trace::Kind::kKernel);
  EXPECT_EQ(reading.trace.ranks[0].origin.ns, 1700000000000001001);
  EXPECT_EQ(reading.trace.ranks[0].origin.clock, Clock::kEpoch);
  EXPECT_EQ(reading.trace.events.duration[0].ps, 50'000);
  EXPECT_EQ(reading.lane(0), "7");
  EXPECT_EQ(reading.argument(0, "grid"), "[4,2,1]");
  EXPECT_EQ(reading.argument(0, "block"), "[128,1,1]");
  EXPECT_EQ(reading.argument(0, "shared memory"), "128");
  EXPECT_EQ(reading.argument(0, "mangled name"), "_Z4gemmIfEvi");
  EXPECT_EQ(reading.trace.ranks[0].metadata.size(), 1U) << "the host is not kept";
}

TEST_F(NsysSqlite, WithoutASessionStartTheClockIsTheSession) {
  run("DROP TABLE TARGET_INFO_SESSION_START_TIME");
  kernel(kPid10, 1001, 0, 1, 7, 5);
  EXPECT_EQ(read().trace.ranks[0].origin.clock, Clock::kSession);
  EXPECT_EQ(read().trace.ranks[0].origin.ns, 1001);
}

// Two processes count correlations from 1, each.
TEST_F(NsysSqlite, LaunchesAreJoinedInsideAProcess) {
  kernel(kPid10, 100, 0, 1, 7, 1);
  kernel(kPid11, 100, 1, 1, 7, 1);
  call(kPid10, 10, 1);
  call(kPid11, 20, 1);
  const sqlite::SqliteReading reading = read();
  ASSERT_EQ(reading.trace.flows.size(), 2U);
  for (const trace::Flow& flow : reading.trace.flows) {
    EXPECT_EQ(reading.trace.track_of(trace::index_of(flow.from)).process,
              reading.trace.track_of(trace::index_of(flow.to)).process);
    EXPECT_EQ(reading.name(trace::index_of(flow.from)), "cudaLaunchKernel");
  }
}

TEST_F(NsysSqlite, CorrelationZeroJoinsNothing) {
  kernel(kPid10, 100, 0, 1, 7, 0);
  call(kPid10, 10, 0);
  EXPECT_TRUE(read().trace.flows.empty());
}

TEST_F(NsysSqlite, TheContextStandsInTheLaneOnlyWhereSeveralShareAStream) {
  kernel(kPid10, 100, 0, 1, 7, 1);
  kernel(kPid10, 200, 0, 2, 7, 2);
  kernel(kPid10, 300, 0, 2, 8, 3);
  const sqlite::SqliteReading reading = read();
  EXPECT_EQ(reading.lane(0), "7 (context 1)");
  EXPECT_EQ(reading.lane(1), "7 (context 2)");
  EXPECT_EQ(reading.lane(2), "8");
}

TEST_F(NsysSqlite, AProcessMaySeeGpusInItsOwnOrder) {
  run("CREATE TABLE TARGET_INFO_CUDA_DEVICE(gpuId, cudaId, pid);"
      "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0, 0, 10), (1, 0, 11);"
      "CREATE TABLE TARGET_INFO_GPU(id, name, cuDevice);"
      "INSERT INTO TARGET_INFO_GPU VALUES (0, 'A', 0), (1, 'B', 1)");
  kernel(kPid10, 100, 0, 1, 7, 1);
  kernel(kPid11, 100, 0, 1, 7, 1);
  const sqlite::SqliteReading reading = read();
  EXPECT_EQ(reading.device(0), "0");
  EXPECT_EQ(reading.device(1), "1");
  EXPECT_EQ(reading.trace.text(reading.trace.devices[1].name), "B");
}

TEST_F(NsysSqlite, CollectivesAreFoundByName) {
  kernel(kPid10, 100, 0, 1, 7, 1, "5");
  const sqlite::SqliteReading reading = read();
  EXPECT_EQ(reading.trace.events.kind[0], trace::Kind::kCommunication);
  ASSERT_EQ(reading.trace.collectives.size(), 1U);
  EXPECT_EQ(reading.trace.text(reading.trace.collectives[0].op), "all_reduce");
}

TEST_F(NsysSqlite, CopiesAreNamedAsKinetoDoes) {
  run(std::string("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1, 9, 0, 1, 7, 3, ") + kPid10 +
      ", 4096, 1, 0, 2), (10, 19, 0, 1, 7, 3, " + kPid10 + ", 1, 77, NULL, NULL)");
  const sqlite::SqliteReading reading = read(true);
  EXPECT_EQ(reading.name(0), "Memcpy HtoD (Pageable -> Device)");
  EXPECT_EQ(reading.name(1), "Memcpy Unknown");
  EXPECT_EQ(reading.argument(0, "bytes"), "4096");
}

// Rows of waits say device 0 whatever their context.
TEST_F(NsysSqlite, AWaitIsOnTheDeviceOfItsContext) {
  kernel(kPid10, 100, 1, 2, 15, 1);
  run("CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION(start, end, deviceId, contextId, streamId,"
      "  correlationId, globalPid, syncType, eventId);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (120, 130, 0, 2, 30, 9, " +
      std::string(kPid10) + ", 2, 4), (130, 140, 0, 2, 15, 9, " + kPid10 + ", 3, 4)");
  const sqlite::SqliteReading reading = read();
  ASSERT_EQ(reading.trace.events.size(), 3U);
  EXPECT_EQ(reading.device(1), "1");
  EXPECT_EQ(reading.trace.events.kind[1], trace::Kind::kEventWait);
  EXPECT_EQ(reading.name(1), "Stream Wait Event");
  EXPECT_EQ(reading.trace.events.kind[2], trace::Kind::kSynchronize);
  EXPECT_EQ(reading.lane(2), "15");
}

TEST_F(NsysSqlite, AGraphIsOneKernelAndThatIsSaid) {
  run("CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE(start, end, deviceId, contextId, streamId,"
      "  correlationId, globalPid, graphId, graphExecId);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (10, 90, 0, 1, 7, 3, " +
      std::string(kPid10) + ", 12, 13)");
  const sqlite::SqliteReading reading = read();
  ASSERT_EQ(reading.trace.events.size(), 1U);
  EXPECT_EQ(reading.name(0), "CUDA graph 12");
  EXPECT_EQ(reading.trace.events.kind[0], trace::Kind::kKernel);
  EXPECT_EQ(reading.trace.diagnostics.count_of(kGraphLevelCapture), 1U);
}

TEST_F(NsysSqlite, RangesAreAnnotationsMarksAreInstants) {
  const std::string tid = std::string(kPid10) + " | 99";
  run("INSERT INTO NVTX_EVENTS VALUES (10, 20, 59, 'forward', " + tid +
      ", NULL, 0), (12, 13, 60, NULL, " + tid + ", 8, 0), (15, NULL, 34, 'mark', " + tid +
      ", NULL, 0), (16, NULL, 59, 'open', " + tid +
      ", NULL, 0), (17, 19, 59, 'aten::mm, seq = 3, op_id = 4', " + tid +
      ", NULL, 0), (1, NULL, 39, 'MPI Rank 5', " + tid + ", NULL, 0), (1, NULL, 75, 'NCCL', " +
      tid + ", NULL, 2), (21, 22, 59, 'x', " + tid + ", NULL, 2)");
  const sqlite::SqliteReading reading = read(true);
  ASSERT_EQ(reading.trace.events.size(), 5U);
  EXPECT_EQ(reading.name(0), "forward");
  EXPECT_EQ(reading.trace.events.kind[0], trace::Kind::kAnnotation);
  EXPECT_EQ(reading.trace.events.shape[2], trace::Shape::kInstant);
  EXPECT_EQ(reading.name(3), "aten::mm");
  EXPECT_EQ(reading.trace.events.kind[3], trace::Kind::kHostOp);
  EXPECT_EQ(reading.argument(4, "domain"), "NCCL");
  EXPECT_EQ(reading.trace.diagnostics.count_of(shared::kUnfinishedSpan), 1U);
  ASSERT_EQ(reading.trace.steps.size(), 1U);
  EXPECT_EQ(reading.trace.text(reading.trace.steps[0].name), "ProfilerStep#3");
  EXPECT_EQ(reading.trace.ranks[0].number, 5);
  EXPECT_EQ(reading.trace.ranks[0].number_from, trace::RankEvidence::kMetadata);
}

TEST_F(NsysSqlite, AMarkWithoutATimeIsCountedAndAThreadNameMayBeAnything) {
  run("INSERT INTO NVTX_EVENTS VALUES ('x', NULL, 34, 'm', 1, NULL, 0), (NULL, NULL, 34, 'm', 1, "
      "NULL, 0),"
      " (1, NULL, 39, 'MPI Rank ', 1, NULL, 0), (1, NULL, 39, 'MPI Rank 3x', 1, NULL, 0)");
  const sqlite::SqliteReading reading = read();
  EXPECT_EQ(reading.trace.diagnostics.count_of(shared::kMissingTime), 2U);
  EXPECT_TRUE(reading.trace.events.size() == 0);
  EXPECT_FALSE(reading.trace.ranks[0].number);
}

TEST_F(NsysSqlite, ARangeWhoseTypeIsDamagedIsALoss) {
  run("INSERT INTO NVTX_EVENTS VALUES (10, 20, 'Jx', 'forward', 1, NULL, 0), (10, 20, 59, 'f', 1, "
      "NULL, 0), (1, NULL, 39, 'main', 1, NULL, 0)");
  const sqlite::SqliteReading reading = read();
  EXPECT_EQ(reading.trace.events.size(), 1U);
  EXPECT_EQ(reading.trace.diagnostics.count_of(kRangeOfNoType), 1U);
}

TEST_F(NsysSqlite, RangesOfATableThatLostItsColumnOfEndsAreALoss) {
  // A comma of the schema became a blank: "start end" is one column, and the others moved up.
  run("DROP TABLE NVTX_EVENTS; CREATE TABLE NVTX_EVENTS(start end, eventType, text, globalTid, "
      "textId, domainId); INSERT INTO NVTX_EVENTS VALUES (10, 20, 59, 'forward', 1, NULL)");
  const sqlite::SqliteReading reading = read();
  EXPECT_EQ(reading.trace.events.size(), 0U);
  EXPECT_EQ(reading.trace.diagnostics.count_of(kRangeOfNoType), 1U);
}

TEST_F(NsysSqlite, SeveralMpiRanksStayOneRankWithLabels) {
  run("CREATE TABLE MPI_RANKS(globalTid, rank); INSERT INTO MPI_RANKS VALUES (" +
      std::string(kPid10) + ", 0), (" + kPid11 + ", 1)");
  kernel(kPid10, 100, 0, 1, 7, 1);
  kernel(kPid11, 100, 0, 1, 7, 1);
  const sqlite::SqliteReading reading = read();
  EXPECT_FALSE(reading.trace.ranks[0].number);
  EXPECT_EQ(reading.trace.text(reading.trace.processes[1].labels), "MPI rank 1");
}

TEST_F(NsysSqlite, BadRowsAreCounted) {
  run("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL(start, end, deviceId, streamId, globalPid, "
      "demangledName)"
      " VALUES (NULL, 5, 0, 7, 1, 1), (0, 0, 0, 7, 1, 1), (10, 5, 0, 7, 1, 1), ('abc', 5, 0, 7, 1, "
      "1),"
      " (10, 20, 0, 7, 1, 999), (10, 20, NULL, NULL, NULL, NULL), (-5, 20, -1, -1, -1, -1),"
      " (30, 9000000000000000000, 0, 7, 1, 1), ('40', '50', '0', '7', '1', '1')");
  const sqlite::SqliteReading reading = read();
  const Diagnostics& found = reading.trace.diagnostics;
  EXPECT_EQ(found.count_of(shared::kMissingTime), 2U);
  EXPECT_EQ(found.count_of(shared::kZeroTime), 1U);
  EXPECT_EQ(found.count_of(shared::kNegativeDuration), 1U);
  EXPECT_EQ(found.count_of(shared::kTimeOutOfRange), 1U);
  EXPECT_EQ(found.count_of(sqlite::kUnknownString), 3U);
  EXPECT_EQ(reading.trace.events.size(), 4U);
  EXPECT_EQ(reading.name(0), "string 999");
}

TEST_F(NsysSqlite, SaysWhatIsMissingAndWhatIsNotRead) {
  run("CREATE TABLE SCHED_EVENTS(start, cpu); INSERT INTO SCHED_EVENTS VALUES (1, 2);"
      "CREATE TABLE COMPOSITE_EVENTS(id)");
  const sqlite::SqliteReading reading = read();
  ASSERT_NE(reading.part("SCHED_EVENTS"), nullptr);
  EXPECT_EQ(reading.part("SCHED_EVENTS")->use, trace::SourcePart::Use::kUnused);
  EXPECT_EQ(reading.part("COMPOSITE_EVENTS"), nullptr) << "it is empty";
  ASSERT_NE(reading.part("CUPTI_ACTIVITY_KIND_KERNEL"), nullptr);
  EXPECT_EQ(reading.part("CUPTI_ACTIVITY_KIND_KERNEL")->use, trace::SourcePart::Use::kMissing);
}

TEST_F(NsysSqlite, AnExportWithoutDeviceWorkReads) {
  run("CREATE TABLE OSRT_API(start, end, globalTid, nameId); INSERT INTO OSRT_API VALUES (1, 2, " +
      std::string(kPid10) + " | 99, 7)");
  const sqlite::SqliteReading reading = read();
  ASSERT_EQ(reading.trace.events.size(), 1U);
  EXPECT_EQ(reading.trace.events.kind[0], trace::Kind::kHostOp);
  EXPECT_EQ(reading.name(0), "poll");
}

TEST_F(NsysSqlite, AStartBeyond64BitsIsNotAdded) {
  run("UPDATE TARGET_INFO_SESSION_START_TIME SET utcEpochNs = 9223372036854775807");
  kernel(kPid10, 1001, 0, 1, 7, 5);
  const sqlite::SqliteReading reading = read();
  EXPECT_EQ(reading.trace.events.size(), 1U);
  EXPECT_EQ(reading.trace.ranks[0].origin.ns, 1001);
  EXPECT_EQ(reading.trace.ranks[0].origin.clock, Clock::kSession);
  EXPECT_EQ(reading.trace.diagnostics.count_of(shared::kOriginOutOfRange), 1U);
}

TEST_F(NsysSqlite, AnExportWithoutEventsKeepsItsDate) {
  EXPECT_EQ(read().trace.ranks[0].origin.ns, 1'700'000'000'000'000'000);
}

TEST_F(NsysSqlite, SharedMemoryBeyond64BitsIsLeftOut) {
  kernel(kPid10, 1001, 0, 1, 7, 5);
  run("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET staticSharedMemory = 9223372036854775807");
  const sqlite::SqliteReading reading = read(true);
  ASSERT_EQ(reading.trace.events.size(), 1U);
  EXPECT_EQ(reading.argument(0, "shared memory"), "none");
}

TEST(NsysSqliteRecognition, LeavesOtherDatabasesAlone) {
  sqlite::SqliteTestFile other;
  other.run("CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(a); CREATE TABLE StringTable(a)");
  EXPECT_FALSE(sqlite::recognised_by(nsys_sqlite_dialect(), other.path())) << "nvprof has these";
  sqlite::SqliteTestFile old;
  old.run("CREATE TABLE EXPORT_META_DATA(name, value)");
  EXPECT_TRUE(sqlite::recognised_by(nsys_sqlite_dialect(), old.path()));
}

}  // namespace
}  // namespace lockstep::formats::nsys_sqlite
