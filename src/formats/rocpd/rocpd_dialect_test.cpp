// Reading of rocpd databases made by hand: sessions, names, launches, markers, defects.
#include "formats/rocpd/rocpd_dialect.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/rocm/rocm_records.h"
#include "formats/rocpd/rocpd_tables.h"
#include "formats/shared/record_defects.h"
#include "formats/sqlite/sqlite_file.h"
#include "formats/sqlite/sqlite_file_for_test.h"

namespace lockstep::formats::rocpd {
namespace {

using testing::HasSubstr;

// The tables of one session with one process, one GPU and a launched kernel.
std::string session(const std::string& guid, const std::string& pid, const std::string& machine,
                    const std::string& environment = "{}") {
  const std::string made = R"(
    CREATE TABLE rocpd_metadata_G(id INTEGER PRIMARY KEY, tag TEXT, value TEXT);
    INSERT INTO rocpd_metadata_G VALUES (1,'schema_version','3'),(2,'guid','G');
    CREATE TABLE rocpd_string_G(id INTEGER PRIMARY KEY, guid TEXT, string TEXT);
    INSERT INTO rocpd_string_G VALUES (1,'G',''),(2,'G','HIP_RUNTIME_API_EXT'),
      (3,'G','KERNEL_DISPATCH'),(4,'G','hipLaunchKernel'),(5,'G','MEMORY_COPY'),
      (6,'G','MEMORY_COPY_HOST_TO_DEVICE'),(7,'G','MARKER_CORE_RANGE_API'),
      (8,'G','roctxThreadRangeA'),(9,'G','roctxMarkA');
    CREATE TABLE rocpd_info_node_G(id INTEGER PRIMARY KEY, machine_id TEXT, hostname TEXT);
    INSERT INTO rocpd_info_node_G VALUES (1,'MACHINE','host-MACHINE');
    CREATE TABLE rocpd_info_process_G(id INTEGER PRIMARY KEY, nid, pid, command, environment);
    INSERT INTO rocpd_info_process_G VALUES (PID,1,PID,'./bin/train -x','ENVIRONMENT');
    CREATE TABLE rocpd_info_thread_G(id INTEGER PRIMARY KEY, pid, tid, name);
    INSERT INTO rocpd_info_thread_G VALUES (5,PID,77,'main');
    CREATE TABLE rocpd_info_agent_G(id INTEGER PRIMARY KEY, type TEXT, type_index, product_name);
    INSERT INTO rocpd_info_agent_G VALUES (0,'CPU',0,'EPYC'),(4,'GPU',2,'MI300X');
    CREATE TABLE rocpd_info_stream_G(id INTEGER PRIMARY KEY, name TEXT);
    INSERT INTO rocpd_info_stream_G VALUES (3,'Stream 3');
    CREATE TABLE rocpd_info_kernel_symbol_G(id INTEGER PRIMARY KEY, kernel_name, display_name);
    INSERT INTO rocpd_info_kernel_symbol_G VALUES (1,'_Z3addPf.kd','add(float*)');
    CREATE TABLE rocpd_track_G(id INTEGER PRIMARY KEY, pid, tid, name_id);
    INSERT INTO rocpd_track_G VALUES (1,PID,5,7);
    CREATE TABLE rocpd_event_G(id INTEGER PRIMARY KEY, category_id, stack_id, extdata);
    INSERT INTO rocpd_event_G VALUES (1,2,10,'{}'),(2,3,10,'{}'),(3,5,0,'{}'),
      (4,7,12,'{"message":"step 1"}'),(5,7,13,'{"message":"here"}');
    CREATE TABLE rocpd_arg_G(id INTEGER PRIMARY KEY, event_id, position, type, name, value);
    INSERT INTO rocpd_arg_G VALUES (1,1,0,'dim3','numBlocks','{2,1,1}');
    CREATE TABLE rocpd_region_G(id INTEGER PRIMARY KEY, nid, pid, tid, start, "end", name_id,
      event_id);
    INSERT INTO rocpd_region_G VALUES (1,1,PID,5,1000000,1000200,4,1),
      (2,1,PID,5,999000,1009000,8,4);
    CREATE TABLE rocpd_sample_G(id INTEGER PRIMARY KEY, track_id, timestamp, event_id);
    INSERT INTO rocpd_sample_G VALUES (1,1,1000500,5);
    CREATE TABLE rocpd_kernel_dispatch_G(id INTEGER PRIMARY KEY, nid, pid, tid, agent_id, kernel_id,
      dispatch_id, queue_id, stream_id, start, "end", private_segment_size, group_segment_size,
      workgroup_size_x, workgroup_size_y, workgroup_size_z, grid_size_x, grid_size_y, grid_size_z,
      event_id);
    INSERT INTO rocpd_kernel_dispatch_G VALUES
      (1,1,PID,5,4,1,1,16,3,1001000,1003001,0,128,256,1,1,512,1,1,2);
    CREATE TABLE rocpd_memory_copy_G(id INTEGER PRIMARY KEY, pid, tid, start, "end", name_id,
      dst_agent_id, src_agent_id, size, queue_id, stream_id, event_id);
    INSERT INTO rocpd_memory_copy_G VALUES (1,PID,5,1004000,1005000,6,4,0,4096,NULL,3,3);
    CREATE TABLE rocpd_memory_allocate_G(id INTEGER PRIMARY KEY, pid, tid, type, level, start,
      "end", size);
    INSERT INTO rocpd_memory_allocate_G VALUES (1,PID,5,'ALLOC','REAL',999500,999600,8192);
  )";
  std::string out;
  for (std::size_t i = 0; i < made.size(); ++i) {
    const std::string_view rest = std::string_view(made).substr(i);
    const auto take = [&](std::string_view word, const std::string& value) {
      if (!rest.starts_with(word)) return false;
      out += value;
      i += word.size() - 1;
      return true;
    };
    if (take("MACHINE", machine) || take("ENVIRONMENT", environment) || take("PID", pid)) continue;
    if (rest.starts_with("_G") || rest.starts_with("'G'")) {
      out += rest[0] + guid;
      ++i;
      continue;
    }
    out += made[i];
  }
  return out;
}

struct Reading {
  trace::Trace trace;
  Status status;
};

Reading read_rocpd(const sqlite::SqliteTestFile& made, bool keep_arguments = false) {
  Reading reading;
  io::MemorySource unused("");
  auto file = sqlite::SqliteFile::open(unused, made.path());
  EXPECT_TRUE(file.ok());
  if (!file.ok()) return reading;
  const shared::SqliteDialect dialect = rocpd_dialect();
  EXPECT_TRUE(dialect.recognises(*file.value()));
  shared::ReadOptions options;
  options.keep_arguments =
      keep_arguments ? trace::KeepArguments::kAll : trace::KeepArguments::kNone;
  reading.status = dialect.read(*file.value(), options, reading.trace);
  reading.trace.diagnostics.absorb(file.value()->diagnostics(), made.path());
  return reading;
}

std::optional<std::size_t> find(const trace::Trace& trace, std::string_view name) {
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    if (trace.text(trace.events.name[i]) == name) return i;
  }
  return std::nullopt;
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

TEST(Rocpd, KernelsLieOnStreamsOfTheirDevice) {
  sqlite::SqliteTestFile made;
  made.run(session("aa", "42", "m1"));
  const Reading reading = read_rocpd(made);
  ASSERT_TRUE(reading.status.ok());
  const trace::Trace& trace = reading.trace;
  const auto kernel = find(trace, "_Z3addPf");
  ASSERT_TRUE(kernel);
  EXPECT_EQ(trace.events.kind[*kernel], trace::Kind::kKernel);
  EXPECT_EQ(trace.events.duration[*kernel], Time{2'001'000});
  const trace::Track& track = trace.track_of(*kernel);
  EXPECT_EQ(trace.text(track.id.text), "3");
  EXPECT_EQ(trace.text(track.name), "Stream 3");
  const trace::Device& device = trace.devices[trace::index_of(track.device)];
  EXPECT_EQ(trace.text(device.id), "2");
  EXPECT_EQ(trace.text(device.name), "MI300X");
  EXPECT_EQ(trace.text(trace.processes[trace::index_of(track.process)].id.text), "42");
  EXPECT_EQ(trace.text(trace.processes[trace::index_of(track.process)].name), "train");
  EXPECT_EQ(trace.ranks[0].format, "rocpd");
  EXPECT_EQ(trace.ranks[0].origin.ns, 1001000);
  EXPECT_EQ(trace.ranks[0].origin.clock, Clock::kBoot);
}

TEST(Rocpd, CallsLaunchTheKernelsOfTheirStack) {
  sqlite::SqliteTestFile made;
  made.run(session("aa", "42", "m1"));
  const Reading reading = read_rocpd(made);
  const trace::Trace& trace = reading.trace;
  const auto call = find(trace, "hipLaunchKernel");
  const auto kernel = find(trace, "_Z3addPf");
  ASSERT_TRUE(call && kernel);
  EXPECT_EQ(trace.events.kind[*call], trace::Kind::kRuntimeCall);
  EXPECT_EQ(trace.text(trace.track_of(*call).id.text), "77");
  EXPECT_EQ(trace.text(trace.track_of(*call).name), "main");
  ASSERT_EQ(trace.flows.size(), 1U);  // the copy has place 0: no call is known
  EXPECT_EQ(trace::index_of(trace.flows[0].from), *call);
  EXPECT_EQ(trace::index_of(trace.flows[0].to), *kernel);
}

TEST(Rocpd, MarkersCarryTheirMessage) {
  sqlite::SqliteTestFile made;
  made.run(session("aa", "42", "m1"));
  const Reading reading = read_rocpd(made);
  const trace::Trace& trace = reading.trace;
  const auto range = find(trace, "step 1");
  const auto mark = find(trace, "here");
  ASSERT_TRUE(range && mark);
  EXPECT_EQ(trace.events.kind[*range], trace::Kind::kAnnotation);
  EXPECT_EQ(trace.events.duration[*range], Time{10'000'000});
  EXPECT_EQ(trace.events.shape[*mark], trace::Shape::kInstant);
  EXPECT_EQ(trace.events.kind[*mark], trace::Kind::kAnnotation);
}

TEST(Rocpd, CopiesAndAllocationsAreKept) {
  sqlite::SqliteTestFile made;
  made.run(session("aa", "42", "m1"));
  const Reading reading = read_rocpd(made, true);
  const trace::Trace& trace = reading.trace;
  const auto copy = find(trace, "MEMORY_COPY_HOST_TO_DEVICE");
  const auto allocation = find(trace, "REAL ALLOC");
  ASSERT_TRUE(copy && allocation);
  EXPECT_EQ(trace.events.kind[*copy], trace::Kind::kMemcpy);
  EXPECT_TRUE(trace.on_device(*copy));
  EXPECT_EQ(argument(trace, *copy, "bytes"), "4096");
  EXPECT_EQ(trace.events.kind[*allocation], trace::Kind::kHostOp);
  EXPECT_FALSE(trace.on_device(*allocation));
}

TEST(Rocpd, ArgumentsAreThoseThatPeopleKnow) {
  sqlite::SqliteTestFile made;
  made.run(session("aa", "42", "m1"));
  const Reading reading = read_rocpd(made, true);
  const trace::Trace& trace = reading.trace;
  const auto kernel = find(trace, "_Z3addPf");
  ASSERT_TRUE(kernel);
  EXPECT_EQ(argument(trace, *kernel, "grid"), "[2, 1, 1]");
  EXPECT_EQ(argument(trace, *kernel, "block"), "[256, 1, 1]");
  EXPECT_EQ(argument(trace, *kernel, "queue"), "16");
  EXPECT_EQ(argument(trace, *kernel, "shared memory"), "128");
  EXPECT_EQ(argument(trace, *find(trace, "hipLaunchKernel"), "numBlocks"), "{2,1,1}");
}

TEST(Rocpd, SessionsOfOneNodeAreOneRank) {
  sqlite::SqliteTestFile made;
  made.run(session("aa", "42", "m1") + session("bb", "43", "m1"));
  const Reading reading = read_rocpd(made);
  const trace::Trace& trace = reading.trace;
  EXPECT_EQ(trace.ranks.size(), 1U);
  EXPECT_EQ(trace.processes.size(), 2U);
  EXPECT_EQ(trace.devices.size(), 1U);  // both use the same GPU
  EXPECT_EQ(trace.flows.size(), 2U);
  for (const trace::Flow& flow : trace.flows) {
    EXPECT_EQ(trace.track_of(trace::index_of(flow.from)).process,
              trace.track_of(trace::index_of(flow.to)).process);
  }
}

TEST(Rocpd, SessionsWithOnePidAreTwoProcesses) {
  sqlite::SqliteTestFile made;
  made.run(session("aa", "42", "m1") + session("bb", "42", "m1"));
  const Reading reading = read_rocpd(made);
  ASSERT_EQ(reading.trace.processes.size(), 2U);
  EXPECT_EQ(reading.trace.text(reading.trace.processes[1].id.text), "42 bb");
  EXPECT_EQ(reading.trace.flows.size(), 2U);
}

// For SQLite they have one name.
TEST(Rocpd, TablesWhoseNamesDifferInTheirCaseAreOfOneSession) {
  sqlite::SqliteTestFile made;
  made.run(session("aa", "42", "m1") +
           "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET name = 'rocpd_region_Aa' WHERE "
           "name = 'rocpd_region_aa'");
  const Reading reading = read_rocpd(made);
  EXPECT_EQ(reading.trace.processes.size(), 1U);
  EXPECT_EQ(reading.trace.flows.size(), 1U);
}

TEST(Rocpd, SessionsOfTwoNodesAreTwoRanks) {
  sqlite::SqliteTestFile made;
  made.run(session("aa", "42", "m1") + session("bb", "42", "m2"));
  EXPECT_EQ(read_rocpd(made).trace.ranks.size(), 2U);
}

TEST(Rocpd, EnvironmentsTellRanks) {
  sqlite::SqliteTestFile made;
  made.run(session("aa", "42", "m1", R"({"RANK":"1"})") +
           session("bb", "43", "m1", R"({"RANK":"0"})"));
  const Reading reading = read_rocpd(made);
  ASSERT_EQ(reading.trace.ranks.size(), 2U);
  EXPECT_EQ(reading.trace.ranks[0].number, 0);
  EXPECT_EQ(reading.trace.ranks[1].number, 1);
  EXPECT_EQ(reading.trace.ranks[0].number_from, trace::RankEvidence::kMetadata);
}

TEST(Rocpd, WorkIsNotJoinedToTheCallsOfAnotherProcess) {
  sqlite::SqliteTestFile made;
  made.run(session("aa", "42", "m1") + session("bb", "43", "m1") + "DELETE FROM rocpd_region_bb;");
  EXPECT_EQ(read_rocpd(made).trace.flows.size(), 1U);
}

TEST(Rocpd, DanglingIdsAreCountedAndKept) {
  sqlite::SqliteTestFile made;
  made.run(session("aa", "42", "m1") +
           "DELETE FROM rocpd_info_kernel_symbol_aa; DELETE FROM rocpd_info_agent_aa;"
           "DELETE FROM rocpd_string_aa WHERE id = 4;");
  const Reading reading = read_rocpd(made);
  ASSERT_TRUE(reading.status.ok());
  EXPECT_TRUE(find(reading.trace, "kernel 1"));
  EXPECT_TRUE(find(reading.trace, "region 4"));
  EXPECT_GE(reading.trace.diagnostics.count_of(rocm::kDanglingId), 3U);
}

TEST(Rocpd, RowsWithoutTimesAreCountedAndDropped) {
  sqlite::SqliteTestFile made;
  made.run(
      session("aa", "42", "m1") +
      "INSERT INTO rocpd_kernel_dispatch_aa(pid, agent_id, kernel_id, stream_id, start) VALUES "
      "(42,4,1,3,NULL), (42,4,1,3,'soon'), (42,4,1,3,1000000);"
      "INSERT INTO rocpd_kernel_dispatch_aa(pid, agent_id, kernel_id, stream_id, start, \"end\")"
      " VALUES (42,4,1,3,1000400,1000300), ('x',4,1,'y',1000400,1000500);"
      "INSERT INTO rocpd_sample_aa VALUES (2,1,NULL,5);");
  const Reading reading = read_rocpd(made);
  EXPECT_EQ(reading.trace.diagnostics.count_of(shared::kMissingTime), 4U);
  EXPECT_EQ(reading.trace.diagnostics.count_of(shared::kNegativeDuration), 1U);
  EXPECT_EQ(std::ranges::count(reading.trace.events.kind, trace::Kind::kKernel), 2);
}

TEST(Rocpd, SaysWhichTablesWereUsed) {
  sqlite::SqliteTestFile made;
  made.run(session("aa", "42", "m1") +
           "DELETE FROM rocpd_region_aa; DROP TABLE rocpd_memory_copy_aa;");
  const Reading reading = read_rocpd(made);
  std::string parts;
  for (const trace::SourcePart& part : reading.trace.ranks[0].parts) {
    parts += std::string(name_of(part.use)) + " " + part.name + " " + std::to_string(part.records) +
             " " + part.note + "\n";
  }
  EXPECT_EQ(parts,
            "missing rocpd_region 0 host calls and markers; kernels have no launches (the table is "
            "empty)\n"
            "used rocpd_sample 1 marks without a duration\n"
            "used rocpd_kernel_dispatch 1 kernels\n"
            "missing rocpd_memory_copy 0 copies\n"
            "used rocpd_memory_allocate 1 allocations and scratch memory\n"
            "unused rocpd_arg 1 arguments of host calls, read by convert only\n");
}

TEST(Rocpd, SaysThatNothingWasRecorded) {
  sqlite::SqliteTestFile made;
  made.run("CREATE TABLE rocpd_kernel_dispatch_aa(id); CREATE TABLE rocpd_info_agent_aa(id);");
  const Reading reading = read_rocpd(made);
  ASSERT_FALSE(reading.status.ok());
  EXPECT_THAT(reading.status.error().text(),
              HasSubstr("is a rocpd database without kernels, copies and host calls. rocprofv3 "
                        "records them with --sys-trace"));
  EXPECT_TRUE(reading.trace.ranks.empty());
}

TEST(Rocpd, SaysThatAllRecordsAreDamaged) {
  sqlite::SqliteTestFile made;
  made.run(session("aa", "42", "m1"));
  for (const char* table : {"rocpd_region_aa", "rocpd_sample_aa", "rocpd_kernel_dispatch_aa",
                            "rocpd_memory_copy_aa", "rocpd_memory_allocate_aa"}) {
    made.damage(table);
  }
  const Reading reading = read_rocpd(made);
  ASSERT_FALSE(reading.status.ok());
  EXPECT_THAT(reading.status.error().text(),
              HasSubstr("is a damaged rocpd database: none of its records can be read. It may be "
                        "cut off; export it again"));
  EXPECT_TRUE(reading.trace.ranks.empty());
}

TEST(Rocpd, EveryKernelFindsItsAgentAndProcessAmongMany) {
  sqlite::SqliteTestFile made;
  made.run(session("aa", "42", "m1") + R"(
    CREATE TABLE n(i); WITH RECURSIVE c(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM c WHERE
      i < 1099) INSERT INTO n SELECT i FROM c;
    INSERT INTO rocpd_info_agent_aa SELECT i, 'GPU', i, 'x' FROM n;
    INSERT INTO rocpd_info_process_aa SELECT i, 1, i, 'x', '{}' FROM n;
    INSERT INTO rocpd_kernel_dispatch_aa(pid, agent_id, kernel_id, stream_id, start, "end")
      SELECT i, i, 1, 1, 1001000 + i, 1001001 + i FROM n;)");
  const Reading reading = read_rocpd(made, true);
  EXPECT_EQ(std::ranges::count(reading.trace.events.kind, trace::Kind::kKernel), 1'001);
  EXPECT_EQ(reading.trace.diagnostics.count_of(rocm::kDanglingId), 0U);
}

TEST(Rocpd, EverySessionOfANodeOfItsOwnIsARank) {
  std::vector<std::string> tables;
  for (int i = 0; i < 1'000; ++i) tables.push_back("rocpd_region_" + std::to_string(i));
  const std::vector<std::string> suffixes = rocpd::session_suffixes(tables);
  std::vector<rocpd::SessionFacts> sessions(suffixes.size());
  for (std::size_t i = 0; i < suffixes.size(); ++i) sessions[i].node = suffixes[i];
  EXPECT_EQ(rocpd::grouped_by_rank(std::move(sessions)).size(), 1'000U);
}

// Every truncation is either refused or read with a word about the damage.
TEST(Rocpd, DatabasesCutAnywhereDoNotCrash) {
  sqlite::SqliteTestFile made;
  made.run("PRAGMA page_size = 512;" + session("aa", "42", "m1"));
  const auto size = std::filesystem::file_size(made.path());
  for (std::uintmax_t cut = 512; cut < size; cut += 512) {
    const std::string path = (made.folder() / "cut.db").string();
    std::filesystem::copy_file(made.path(), path,
                               std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(path, cut);
    io::MemorySource unused("");
    auto file = sqlite::SqliteFile::open(unused, path);
    if (!file.ok() || !rocpd_dialect().recognises(*file.value())) continue;
    trace::Trace trace;
    const Status status = rocpd_dialect().read(*file.value(), {}, trace);
    const bool is_said = !status.ok() || file.value()->diagnostics().has_loss() ||
                         trace.diagnostics.has_loss() || trace.events.size() == 6;
    EXPECT_TRUE(is_said) << "cut at " << cut;
  }
}

}  // namespace
}  // namespace lockstep::formats::rocpd
