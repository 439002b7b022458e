// Reading of RPD databases made by hand: operations, calls, launches, monitors, defects.
#include "formats/rpd/rpd_dialect.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/rocm/rocm_records.h"
#include "formats/shared/record_defects.h"
#include "formats/sqlite/sqlite_file.h"
#include "formats/sqlite/sqlite_file_for_test.h"

namespace lockstep::formats::rpd {
namespace {

using testing::HasSubstr;

constexpr std::string_view kTables = R"(
  CREATE TABLE rocpd_string(id INTEGER PRIMARY KEY, string TEXT);
  INSERT INTO rocpd_string VALUES (1,''),(2,'KernelExecution'),(3,'CopyHostToDevice'),
    (4,'FillBuffer'),(5,'Task'),(6,'_Z3addPf.kd'),(7,'hipLaunchKernel'),(8,'UserMarker'),
    (9,'forward'),(10,'OpTable::writeRows'),(11,'hipGraphLaunch'),(12,'stream=0'),
    (13,'hipExtModuleLaunchKernel'),(14,'Barrier');
  CREATE TABLE rocpd_op(id INTEGER PRIMARY KEY, gpuId, queueId, sequenceId, start, "end",
    description_id, opType_id);
  INSERT INTO rocpd_op VALUES (1,2,0,0,2000000,2000100,6,2),(2,2,0,0,2000200,2000300,1,3),
    (3,2,1,0,2000200,2000300,1,4),(4,2,1,0,2000400,2000500,6,5),(5,2,1,0,2000600,2000700,1,5),
    (6,2,1,0,2000800,2000900,1,14),(7,2,0,0,2001000,2001100,6,2);
  CREATE TABLE rocpd_api(id INTEGER PRIMARY KEY, pid, tid, start, "end", apiName_id, args_id);
  INSERT INTO rocpd_api VALUES (1,50,51,1999000,1999500,7,12),(2,50,51,1998000,2002000,8,9),
    (3,50,51,2003000,2003100,10,1),(4,50,52,2000350,2000390,11,1),(5,50,51,1999600,1999700,13,1);
  CREATE TABLE rocpd_api_ops(id INTEGER PRIMARY KEY, api_id, op_id);
  INSERT INTO rocpd_api_ops VALUES (1,1,1),(2,4,4),(3,4,5),(4,5,7);
  CREATE TABLE rocpd_kernelapi(api_ptr_id INTEGER PRIMARY KEY, gridX, gridY, gridZ, workgroupX,
    workgroupY, workgroupZ, groupSegmentSize);
  INSERT INTO rocpd_kernelapi VALUES (1,8,1,1,128,1,1,0),(5,1024,1,1,256,1,1,64);
  CREATE TABLE rocpd_copyapi(api_ptr_id INTEGER PRIMARY KEY, size);
  CREATE TABLE rocpd_monitor(id INTEGER PRIMARY KEY, deviceType, deviceId, monitorType, start,
    "end", value);
  INSERT INTO rocpd_monitor VALUES (1,'gpu',0,'sclk',1999000,2001000,'800'),
    (2,'gpu',0,'power',1999000,2001000,'80.5');
  CREATE TABLE rocpd_metadata(id INTEGER PRIMARY KEY, tag, value);
  INSERT INTO rocpd_metadata VALUES (1,'schema_version','2');
  CREATE TABLE ext_callstack(id INTEGER PRIMARY KEY, text);
  INSERT INTO ext_callstack VALUES (1,'x');
)";

struct Reading {
  trace::Trace trace;
  Status status;
};

Reading read_rpd(const sqlite::SqliteTestFile& made, bool keep_arguments = false) {
  Reading reading;
  io::MemorySource unused("");
  auto file = sqlite::SqliteFile::open(unused, made.path());
  EXPECT_TRUE(file.ok());
  if (!file.ok()) return reading;
  const shared::SqliteDialect dialect = rpd_dialect();
  EXPECT_TRUE(dialect.recognises(*file.value()));
  shared::ReadOptions options;
  options.keep_arguments =
      keep_arguments ? trace::KeepArguments::kAll : trace::KeepArguments::kNone;
  reading.status = dialect.read(*file.value(), options, reading.trace);
  reading.trace.diagnostics.absorb(file.value()->diagnostics(), made.path());
  return reading;
}

std::string kinds_of(const trace::Trace& trace) {
  std::string out;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    out += std::string(name_of(trace.events.kind[i])) + " " +
           std::string(trace.text(trace.events.name[i])) + " on " +
           std::string(trace.text(trace.track_of(i).id.text)) + "\n";
  }
  return out;
}

std::string argument(const trace::Trace& trace, std::size_t event, std::string_view key) {
  for (const trace::Argument& argument :
       trace.arguments.of(trace::EventId{static_cast<std::uint32_t>(event)})) {
    if (trace.text(argument.key) != key) continue;
    if (argument.type == trace::Argument::Type::kInteger)
      return std::to_string(argument.as_integer());
    return std::string(trace.text(argument.as_string()));
  }
  return "";
}

TEST(Rpd, CallsOperationsAndMonitorsHaveTheirKinds) {
  sqlite::SqliteTestFile made("trace.rpd");
  made.run(std::string(kTables));
  const Reading reading = read_rpd(made);
  ASSERT_TRUE(reading.status.ok());
  EXPECT_EQ(kinds_of(reading.trace),
            "runtime_call hipLaunchKernel on 51\n"
            "annotation forward on 51\n"
            "overhead OpTable::writeRows on 51\n"
            "runtime_call hipGraphLaunch on 52\n"
            "runtime_call hipExtModuleLaunchKernel on 51\n"
            "kernel _Z3addPf on 0\n"
            "memcpy CopyHostToDevice on 0\n"
            "memset FillBuffer on 1\n"
            "kernel _Z3addPf on 1\n"
            "annotation Task on 1\n"
            "event_wait Barrier on 1\n"
            "kernel _Z3addPf on 0\n"
            "counter sclk on gpu 0\n"
            "counter power on gpu 0\n");
  EXPECT_EQ(reading.trace.ranks[0].origin.ns, 2000000);
  EXPECT_EQ(reading.trace.ranks[0].origin.clock, Clock::kBoot);
  EXPECT_EQ(reading.trace.text(reading.trace.devices[0].id), "2");
}

TEST(Rpd, LaunchesComeFromTheirTable) {
  sqlite::SqliteTestFile made;
  made.run(std::string(kTables));
  const Reading reading = read_rpd(made);
  std::string flows;
  for (const trace::Flow& flow : reading.trace.flows) {
    flows += std::to_string(trace::index_of(flow.from)) + ">" +
             std::to_string(trace::index_of(flow.to)) + " ";
  }
  EXPECT_EQ(flows, "0>5 3>8 3>9 4>11 ");  // a graph launches several
}

TEST(Rpd, GridsAreCountedInGroups) {
  sqlite::SqliteTestFile made;
  made.run(std::string(kTables));
  const Reading reading = read_rpd(made, true);
  const trace::Trace& trace = reading.trace;
  EXPECT_EQ(argument(trace, 5, "grid"), "[8, 1, 1]");
  EXPECT_EQ(argument(trace, 11, "grid"), "[4, 1, 1]");
  EXPECT_EQ(argument(trace, 11, "block"), "[256, 1, 1]");
  EXPECT_EQ(argument(trace, 0, "args"), "stream=0");
  EXPECT_EQ(argument(trace, 12, "value"), "800");
  EXPECT_EQ(argument(trace, 13, "value"), "80.5");
}

TEST(Rpd, OperationsBelongToTheProcessThatLaunchedThem) {
  sqlite::SqliteTestFile made;
  made.run(std::string(kTables) + "UPDATE rocpd_api SET pid = 60 WHERE id = 4;");
  const Reading reading = read_rpd(made);
  const trace::Trace& trace = reading.trace;
  const auto pid = [&](std::size_t event) {
    return trace.text(trace.processes[trace::index_of(trace.track_of(event).process)].id.text);
  };
  EXPECT_EQ(pid(5), "50");
  EXPECT_EQ(pid(8), "60");
  EXPECT_EQ(pid(11), "50");
  EXPECT_EQ(trace.flows.size(), 4U);
}

TEST(Rpd, BadRowsAreCounted) {
  sqlite::SqliteTestFile made;
  made.run(std::string(kTables) +
           "UPDATE rocpd_op SET start = NULL WHERE id = 1;"
           "UPDATE rocpd_op SET \"end\" = 1 WHERE id = 2;"
           "UPDATE rocpd_op SET opType_id = 99 WHERE id = 3;"
           "UPDATE rocpd_op SET description_id = 98 WHERE id = 4;"
           "UPDATE rocpd_api_ops SET api_id = 77 WHERE id = 4;"
           "UPDATE rocpd_monitor SET start = 'x' WHERE id = 1;");
  const Reading reading = read_rpd(made);
  ASSERT_TRUE(reading.status.ok());
  EXPECT_EQ(reading.trace.diagnostics.count_of(shared::kMissingTime), 2U);
  EXPECT_EQ(reading.trace.diagnostics.count_of(shared::kNegativeDuration), 1U);
  EXPECT_GE(reading.trace.diagnostics.count_of(rocm::kDanglingId), 2U);
  EXPECT_THAT(kinds_of(reading.trace), HasSubstr("kernel operation 98 on 1"));
  EXPECT_EQ(reading.trace.flows.size(), 2U);
}

TEST(Rpd, SaysWhatWasUsed) {
  sqlite::SqliteTestFile made;
  made.run(std::string(kTables) + "DELETE FROM rocpd_api_ops;");
  const Reading reading = read_rpd(made);
  std::string parts;
  for (const trace::SourcePart& part : reading.trace.ranks[0].parts) {
    parts += std::string(name_of(part.use)) + " " + part.name + " " + std::to_string(part.records) +
             " " + part.note + "\n";
  }
  EXPECT_EQ(parts,
            "used rocpd_op 7 kernels and copies\nused rocpd_api 5 host calls and markers\n"
            "missing rocpd_api_ops 0 which call launched which operation\n"
            "used rocpd_monitor 2 clocks and power\nunused ext_callstack 0 not read by lockstep\n");
}

TEST(Rpd, SaysThatNothingWasRecorded) {
  sqlite::SqliteTestFile made;
  made.run("CREATE TABLE rocpd_op(id); CREATE TABLE rocpd_string(id);");
  const Reading reading = read_rpd(made);
  ASSERT_FALSE(reading.status.ok());
  EXPECT_THAT(reading.status.error().text(),
              HasSubstr("is an RPD database without operations and host calls"));
}

TEST(Rpd, SaysThatAllRecordsAreDamaged) {
  sqlite::SqliteTestFile made;
  made.run(std::string(kTables));
  for (const char* table : {"rocpd_op", "rocpd_api", "rocpd_monitor"}) made.damage(table);
  const Reading reading = read_rpd(made);
  ASSERT_FALSE(reading.status.ok());
  EXPECT_THAT(reading.status.error().text(),
              HasSubstr("is a damaged RPD database: none of its records can be read. It may be cut "
                        "off; export it again"));
  EXPECT_TRUE(reading.trace.ranks.empty());
}

TEST(Rpd, DatabasesCutAnywhereDoNotCrash) {
  sqlite::SqliteTestFile made;
  made.run("PRAGMA page_size = 512;" + std::string(kTables));
  const auto size = std::filesystem::file_size(made.path());
  for (std::uintmax_t cut = 512; cut < size; cut += 512) {
    const std::string path = (made.folder() / "cut.db").string();
    std::filesystem::copy_file(made.path(), path,
                               std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(path, cut);
    io::MemorySource unused("");
    auto file = sqlite::SqliteFile::open(unused, path);
    if (!file.ok() || !rpd_dialect().recognises(*file.value())) continue;
    trace::Trace trace;
    const Status status = rpd_dialect().read(*file.value(), {}, trace);
    const bool is_said = !status.ok() || file.value()->diagnostics().has_loss() ||
                         trace.diagnostics.has_loss() || trace.events.size() == 14;
    EXPECT_TRUE(is_said) << "cut at " << cut;
  }
}

}  // namespace
}  // namespace lockstep::formats::rpd
