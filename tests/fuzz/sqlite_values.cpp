// Any values in the tables of a database that a profiler could have written: no crash, and a
// consistent trace. The first byte chooses the profiler; the others are the rows, table by table.
//
// Changing the bytes of a whole database (sqlite_reader) hardly ever changes a value alone.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include <sqlite3.h>

#include "formats/input/sqlite_format.h"
#include "io/byte_source.h"
#include "trace_check.h"

namespace lockstep {
namespace {

struct Table {
  const char* name;
  const char* columns;
};

constexpr std::array kNsys = {
    Table{"META_DATA_EXPORT", "name, value"},
    Table{"StringIds", "id, value"},
    Table{"TARGET_INFO_SESSION_START_TIME", "utcEpochNs"},
    Table{"TARGET_INFO_CUDA_DEVICE", "pid, cudaId, gpuId"},
    Table{"CUPTI_ACTIVITY_KIND_KERNEL",
          "start, end, deviceId, contextId, streamId, correlationId, globalPid, demangledName, "
          "shortName, mangledName, gridX, gridY, gridZ, blockX, blockY, blockZ, "
          "registersPerThread, staticSharedMemory, dynamicSharedMemory, graphNodeId"},
    Table{"CUPTI_ACTIVITY_KIND_MEMCPY",
          "start, end, deviceId, contextId, streamId, correlationId, globalPid, copyKind, srcKind, "
          "dstKind, bytes"},
    Table{"CUPTI_ACTIVITY_KIND_MEMSET",
          "start, end, deviceId, contextId, streamId, correlationId, globalPid, memKind, bytes, "
          "value"},
    Table{"CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
          "start, end, deviceId, contextId, streamId, correlationId, globalPid, graphId, "
          "graphExecId"},
    Table{"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
          "start, end, deviceId, contextId, streamId, correlationId, globalPid, syncType, eventId"},
    Table{"CUPTI_ACTIVITY_KIND_RUNTIME",
          "start, end, globalTid, nameId, correlationId, returnValue"},
    Table{"NVTX_EVENTS",
          "start, end, eventType, text, textId, globalTid, domainId, jsonText, jsonTextId, "
          "uint64Value, doubleValue"},
    Table{"PROCESSES", "globalPid, name"},
    Table{"ThreadNames", "globalTid, nameId"},
    Table{"MPI_RANKS", "globalTid, rank"},
    Table{"TARGET_INFO_GPU", "id, cuDevice, name"},
};

constexpr std::array kRocpd = {
    Table{"rocpd_metadata_a", "tag, value"},
    Table{"rocpd_string_a", "id, string"},
    Table{"rocpd_info_node_a", "id, machine_id, hostname"},
    Table{"rocpd_info_process_a", "id, pid, command, environment"},
    Table{"rocpd_info_thread_a", "id, tid, name"},
    Table{"rocpd_info_agent_a", "id, type, type_index, logical_index, product_name"},
    Table{"rocpd_info_stream_a", "id, name"},
    Table{"rocpd_info_kernel_symbol_a", "id, kernel_name, display_name"},
    Table{"rocpd_track_a", "id, pid, tid, name_id"},
    Table{"rocpd_event_a", "id, category_id, stack_id, extdata"},
    Table{"rocpd_arg_a", "event_id, name, value"},
    Table{"rocpd_region_a", "pid, tid, start, end, name_id, event_id"},
    Table{"rocpd_sample_a", "track_id, timestamp, event_id"},
    Table{"rocpd_kernel_dispatch_a",
          "pid, agent_id, kernel_id, stream_id, start, end, event_id, queue_id, grid_size_x, "
          "grid_size_y, grid_size_z, workgroup_size_x, workgroup_size_y, workgroup_size_z, "
          "group_segment_size, private_segment_size, dispatch_id"},
    Table{"rocpd_memory_copy_a",
          "pid, tid, start, end, name_id, dst_agent_id, src_agent_id, size, queue_id, stream_id, "
          "event_id"},
    Table{"rocpd_memory_allocate_a", "pid, tid, start, end, type, level, size, address"},
    Table{"rocpd_region_b", "pid, tid, start, end, name_id, event_id"},
    Table{"rocpd_info_node_b", "id, machine_id, hostname"},
    Table{"rocpd_info_process_b", "id, pid, command, environment"},
};

constexpr std::array kRpd = {
    Table{"rocpd_string", "id, string"},
    Table{"rocpd_op", "id, gpuId, queueId, start, end, description_id, opType_id"},
    Table{"rocpd_api", "id, pid, tid, start, end, apiName_id, args_id"},
    Table{"rocpd_api_ops", "api_id, op_id"},
    Table{"rocpd_kernelapi",
          "api_ptr_id, gridX, gridY, gridZ, workgroupX, workgroupY, workgroupZ, groupSegmentSize"},
    Table{"rocpd_copyapi", "api_ptr_id, size"},
    Table{"rocpd_monitor", "deviceType, deviceId, monitorType, start, value"},
    Table{"rocpd_metadata", "tag, value"},
};

constexpr std::array kAscend = {
    Table{"STRING_IDS", "id, value"},
    Table{"META_DATA", "name, value"},
    Table{"HOST_INFO", "hostName"},
    Table{"RANK_DEVICE_MAP", "rankId, deviceId"},
    Table{"NPU_INFO", "id, name"},
    Table{"ENUM_HCCL_DATA_TYPE", "id, name"},
    Table{"TASK",
          "startNs, endNs, deviceId, connectionId, globalTaskId, globalPid, taskType, contextId, "
          "streamId, taskId, modelId"},
    Table{"COMPUTE_TASK_INFO",
          "name, globalTaskId, blockDim, mixBlockDim, taskType, opType, inputFormats, "
          "inputDataTypes, inputShapes"},
    Table{"COMMUNICATION_OP",
          "startNs, endNs, opName, connectionId, groupName, dataType, count, algType, deviceId"},
    Table{"COMMUNICATION_TASK_INFO", "globalTaskId, taskType, name, planeId, size"},
    Table{"MEMCPY_INFO", "globalTaskId, size"},
    Table{"CANN_API", "startNs, endNs, type, globalTid, connectionId, name"},
    Table{"PYTORCH_API",
          "startNs, endNs, globalTid, connectionId, name, type, sequenceNumber, inputDtypes, "
          "inputShapes"},
    Table{"MSTX_EVENTS", "startNs, endNs, eventType, message, globalTid, domainId"},
    Table{"STEP_TIME", "startNs, endNs, id"},
    Table{"CONNECTION_IDS", "id, connectionId"},
};

constexpr std::array kAnalysis = {
    Table{"CommAnalyzerTime",
          "start_timestamp, elapse_time, hccl_op_name, group_name, transit_time, wait_time, "
          "idle_time"},
};

constexpr std::array<std::span<const Table>, 5> kDialects = {kNsys, kRocpd, kRpd, kAscend,
                                                             kAnalysis};

// What readers look for in columns of text.
constexpr std::array<std::string_view, 16> kWords = {"",
                                                     "GPU",
                                                     "KernelExecution",
                                                     "UserMarker",
                                                     "HIP_RUNTIME_API_EXT",
                                                     "MARKER_CORE_API",
                                                     "ncclDevKernel_AllReduce_Sum",
                                                     "ProfilerStep#3",
                                                     "MPI Rank 7",
                                                     "aten::add, op_id = 9",
                                                     "{\"message\":\"step\",\"RANK\":\"3\"}",
                                                     "hcom_allReduce__586_0_1",
                                                     "KERNEL_AICORE",
                                                     "9223372036854775807",
                                                     "-1",
                                                     "1736405443881410320.25"};

class Values {
 public:
  Values(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

  [[nodiscard]] bool empty() const { return at_ >= size_; }
  std::uint8_t byte() { return empty() ? std::uint8_t{0} : data_[at_++]; }

  void bind_next(sqlite3_stmt* statement, int column) {
    const std::uint8_t type = byte();
    switch (type % 10) {
      case 0:
        sqlite3_bind_null(statement, column);
        break;
      case 1:
      case 2:  // ids that meet
        sqlite3_bind_int64(statement, column, byte() % 8);
        break;
      case 3:
      case 4:  // times that lie together
        sqlite3_bind_int64(statement, column, 1'700'000'000'000'000'000 + byte() * 100);
        break;
      case 5:
        sqlite3_bind_int64(statement, column, wide<std::int16_t>());
        break;
      case 6:
        sqlite3_bind_int64(statement, column, wide<std::int64_t>());
        break;
      case 7:
        sqlite3_bind_double(statement, column, wide<double>());
        break;
      case 8: {
        const std::string_view word = kWords[byte() % kWords.size()];
        bind_text(statement, column, std::string(word));
        break;
      }
      default: {
        std::string text(byte() % 24, '\0');
        for (char& c : text) c = static_cast<char>(byte());
        bind_text(statement, column, text);
        break;
      }
    }
  }

 private:
  template <typename Number>
  Number wide() {
    std::array<std::uint8_t, sizeof(Number)> bytes{};
    for (std::uint8_t& one : bytes) one = byte();
    Number number{};
    std::memcpy(&number, bytes.data(), bytes.size());
    return number;
  }

  static void bind_text(sqlite3_stmt* statement, int column, const std::string& text) {
    sqlite3_bind_text(statement, column, text.data(), static_cast<int>(text.size()),
                      SQLITE_TRANSIENT);
  }

  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
};

void fill(sqlite3* database, const Table& table, Values& values) {
  const std::string name(table.name);
  const std::string create = "CREATE TABLE " + name + "(" + table.columns + ")";
  // "end" is a word of SQL that SQLite takes as a name here.
  LOCKSTEP_FUZZ_CHECK(sqlite3_exec(database, create.c_str(), nullptr, nullptr, nullptr) ==
                      SQLITE_OK);
  std::string marks = "?";
  for (const char* c = table.columns; *c != '\0'; ++c) marks += *c == ',' ? ",?" : "";
  const std::string insert = "INSERT INTO " + name + " VALUES (" + marks + ")";
  sqlite3_stmt* statement = nullptr;
  LOCKSTEP_FUZZ_CHECK(sqlite3_prepare_v2(database, insert.c_str(), -1, &statement, nullptr) ==
                      SQLITE_OK);
  for (int rows = values.byte() % 5; rows > 0 && !values.empty(); --rows) {
    for (int i = 1; i <= sqlite3_bind_parameter_count(statement); ++i) {
      values.bind_next(statement, i);
    }
    sqlite3_step(statement);
    sqlite3_reset(statement);
  }
  sqlite3_finalize(statement);
}

std::string database_of(std::span<const Table> tables, Values& values) {
  sqlite3* database = nullptr;
  LOCKSTEP_FUZZ_CHECK(sqlite3_open(":memory:", &database) == SQLITE_OK);
  sqlite3_exec(database, "PRAGMA page_size = 512; BEGIN", nullptr, nullptr, nullptr);
  for (const Table& table : tables) fill(database, table, values);
  sqlite3_exec(database, "COMMIT", nullptr, nullptr, nullptr);
  sqlite3_int64 size = 0;
  unsigned char* bytes = sqlite3_serialize(database, "main", &size, 0);
  LOCKSTEP_FUZZ_CHECK(bytes != nullptr);
  std::string out(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  sqlite3_free(bytes);
  sqlite3_close(database);
  return out;
}

std::size_t events_read(const std::string& bytes, bool keep_arguments) {
  io::MemorySource source{bytes};
  formats::shared::ReadOptions options;
  options.keep_arguments =
      keep_arguments ? trace::KeepArguments::kAll : trace::KeepArguments::kNone;
  trace::Trace trace;
  const Status status = formats::input::sqlite_format().read(source, "-", options, trace);
  if (!status.ok()) {
    LOCKSTEP_FUZZ_CHECK(trace.ranks.empty() && trace.events.size() == 0);
    return 0;
  }
  check_trace(trace);
  return trace.events.size();
}

}  // namespace
}  // namespace lockstep

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  if (size == 0) return 0;
  Values values(data + 1, size - 1);
  const std::string bytes = database_of(kDialects[data[0] % kDialects.size()], values);
  LOCKSTEP_FUZZ_CHECK(events_read(bytes, false) == events_read(bytes, true));
  return 0;
}
