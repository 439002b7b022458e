// Scans of RPD's tables; joins are done in memory.
#include "formats/rpd/rpd_reader.h"

#include <charconv>
#include <limits>

#include "formats/rpd/rpd_words.h"
#include "formats/shared/record_defects.h"

namespace lockstep::formats::rpd {
namespace {

constexpr std::int64_t kNoTime = std::numeric_limits<std::int64_t>::min();
constexpr StringId kNoString{0xFFFF'FFFF};

WideTime picoseconds(std::int64_t ns) { return WideTime{ns} * kPicosecondsPerNanosecond; }

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, failure] = std::from_chars(text.begin(), text.end(), value);
  if (text.empty() || failure != std::errc() || end != text.end()) return std::nullopt;
  return value;
}

}  // namespace

void collect_times(sqlite::SqliteFile& file, std::vector<WideTime>& times) {
  for (const std::string_view table : {"rocpd_op", "rocpd_api", "rocpd_monitor"}) {
    sqlite::SqliteScan row = file.scan(table, {"start"});
    while (times.size() < shared::kTimesForOrigin && row.next()) {
      const std::int64_t time = row.integer(0, kNoTime);
      if (time != kNoTime) times.push_back(picoseconds(time));
    }
  }
}

RowCounts Reader::read() {
  RowCounts rows;
  read_strings();
  if (builder_.keeps_arguments()) read_launch_facts();
  rows.launches = read_launches();
  rows.calls = read_calls();
  rows.operations = read_operations();
  rows.monitors = read_monitors();
  return rows;
}

void Reader::read_strings() {
  sqlite::SqliteScan row = file_.scan("rocpd_string", {"id", "string"});
  while (row.next())
    strings_.set(row.integer(0), builder_.intern(rocm::kernel_of_symbol(row.text(1))));
}

std::uint64_t Reader::read_launches() {
  sqlite::SqliteScan row = file_.scan("rocpd_api_ops", {"api_id", "op_id"});
  while (row.next()) {
    const std::int64_t operation = row.integer(1, -1);
    // Of several calls the first launched it.
    if (call_of_operation_.find(operation) < 0) {
      call_of_operation_.set(operation, row.integer(0, -1));
    }
  }
  return row.rows();
}

std::uint64_t Reader::read_calls() {
  shared::IdTable<std::int8_t> kinds(-1);  // by name
  rocm::LaneTracks threads;
  const bool keeps_names = builder_.keeps_arguments();
  sqlite::SqliteScan row =
      file_.scan("rocpd_api", {"id", "pid", "tid", "start", "end", "apiName_id", "args_id"});
  while (row.next()) {
    WideTime start = 0;
    WideTime end = 0;
    if (!take_span(row, 3, start, end)) continue;
    const std::int64_t id = row.integer(0);
    const std::int64_t pid = row.integer(1);
    if (only_pid_ < 0) only_pid_ = pid;
    has_several_processes_ |= pid != only_pid_;
    const std::int64_t name_id = row.integer(5, -1);
    trace::Event made;
    made.name = string_of(name_id, "call ", row.rows());
    std::int8_t kind = kinds.find(name_id);
    if (kind < 0) {
      kind = static_cast<std::int8_t>(kind_of_call(builder_.trace().text(made.name)));
      kinds.set(name_id, kind);
    }
    made.kind = static_cast<trace::Kind>(kind);
    if (made.kind == trace::Kind::kRuntimeCall) {
      made.correlation = id;
      if (keeps_names || has_several_processes_) calls_.set(id, {pid, made.name});
    }
    const StringId arguments = strings_.find(row.integer(6, -1));
    const bool has_arguments = arguments != kNoString && arguments != kEmptyString;
    if (made.kind == trace::Kind::kAnnotation && has_arguments)
      made.name = arguments;  // its message
    made.track = threads.find({pid, 0, row.integer(2)}, [&] {
      return builder_.host_thread(builder_.process(std::to_string(pid)),
                                  std::to_string(row.integer(2)));
    });
    const trace::EventId event = builder_.add_span(made, start, end, Place::row(row.rows()));
    if (!builder_.keeps_arguments() || !has_arguments || made.name == arguments) continue;
    rocm::ArgumentList list(builder_);
    list.text("args", builder_.trace().text(arguments));
    list.give_to(event);
  }
  return row.rows();
}

std::uint64_t Reader::read_operations() {
  rocm::LaneTracks queues;
  shared::IdTable<std::int8_t> kinds_with_name(-1);  // by type
  shared::IdTable<std::int8_t> kinds_without(-1);
  rocm::ArgumentList arguments(builder_);
  sqlite::SqliteScan row = file_.scan(
      "rocpd_op", {"id", "gpuId", "queueId", "start", "end", "description_id", "opType_id"});
  while (row.next()) {
    WideTime start = 0;
    WideTime end = 0;
    if (!take_span(row, 3, start, end)) continue;
    const std::int64_t type = row.integer(6, -1);
    const StringId description = string_of(row.integer(5, -1), "operation ", row.rows());
    const bool has_name = description != kEmptyString;
    shared::IdTable<std::int8_t>& kinds = has_name ? kinds_with_name : kinds_without;
    std::int8_t kind = kinds.find(type);
    if (kind < 0) {
      const StringId word = string_of(type, "type ", row.rows());
      kind = static_cast<std::int8_t>(kind_of_operation(builder_.trace().text(word), has_name));
      kinds.set(type, kind);
    }
    const std::int64_t call = call_of_operation_.find(row.integer(0));
    const std::int64_t gpu = row.integer(1);
    const std::int64_t queue = row.integer(2);
    trace::Event made;
    made.kind = static_cast<trace::Kind>(kind);
    made.name = has_name ? description : string_of(type, "type ", row.rows());
    const std::int64_t pid = pid_of(call);
    made.track = queues.find({pid, gpu, queue}, [&] {
      return builder_.stream(builder_.process(std::to_string(pid)),
                             builder_.device(std::to_string(gpu)), std::to_string(queue));
    });
    if (call > 0) made.correlation = call;
    const trace::EventId event = builder_.add_span(made, start, end, Place::row(row.rows()));
    if (builder_.keeps_arguments()) add_arguments(event, made.kind, call, gpu, queue, arguments);
  }
  return row.rows();
}

// The grid of kernels and the size of copies stand beside the calls that started them.
void Reader::read_launch_facts() {
  sqlite::SqliteScan kernel =
      file_.scan("rocpd_kernelapi", {"api_ptr_id", "gridX", "gridY", "gridZ", "workgroupX",
                                     "workgroupY", "workgroupZ", "groupSegmentSize"});
  while (kernel.next()) {
    LaunchFacts& facts = kernel_facts_[kernel.integer(0)];
    facts.grid = {kernel.integer(1), kernel.integer(2), kernel.integer(3)};
    facts.group = {kernel.integer(4), kernel.integer(5), kernel.integer(6)};
    facts.shared_bytes = kernel.integer(7);
  }
  sqlite::SqliteScan copy = file_.scan("rocpd_copyapi", {"api_ptr_id", "size"});
  while (copy.next()) {
    const std::int64_t bytes = copy.integer(1, -1);
    if (bytes >= 0) copy_bytes_[copy.integer(0)] = bytes;
  }
}

void Reader::add_arguments(trace::EventId event, trace::Kind kind, std::int64_t call,
                           std::int64_t gpu, std::int64_t queue, rocm::ArgumentList& arguments) {
  arguments.integer("device", gpu);
  arguments.integer("stream", queue);
  const auto kernel = kernel_facts_.find(call);
  if (kind == trace::Kind::kKernel && kernel != kernel_facts_.end()) {
    const LaunchFacts& facts = kernel->second;
    const bool in_items = counts_work_items(builder_.trace().text(calls_.find(call).name));
    arguments.extent("grid", in_items ? rocm::groups_of(facts.grid, facts.group) : facts.grid);
    arguments.extent("block", facts.group);
    arguments.integer("shared memory", facts.shared_bytes);
  }
  const auto copy = copy_bytes_.find(call);
  if ((kind == trace::Kind::kMemcpy || kind == trace::Kind::kMemset) && copy != copy_bytes_.end()) {
    arguments.integer("bytes", copy->second);
  }
  arguments.give_to(event);
}

// Clocks and power of devices. Their devices are numbered otherwise than those of operations.
std::uint64_t Reader::read_monitors() {
  std::unordered_map<std::string, trace::TrackId> tracks;
  sqlite::SqliteScan row =
      file_.scan("rocpd_monitor", {"deviceType", "deviceId", "monitorType", "start", "value"});
  while (row.next()) {
    const std::int64_t time = row.integer(3, kNoTime);
    if (time == kNoTime) {
      builder_.diagnostics().add(shared::kMissingTime, Place::row(row.rows()));
      continue;
    }
    const std::string lane = std::string(row.text(0)) + " " + std::string(row.text(1));
    auto track = tracks.find(lane);
    if (track == tracks.end()) {
      track = tracks.emplace(lane, builder_.host_thread(builder_.process("monitor"), lane)).first;
    }
    trace::Event made;
    made.track = track->second;
    made.name = builder_.intern(row.text(2));
    const trace::EventId event =
        builder_.add_point(made, picoseconds(time), trace::Shape::kCounter, Place::row(row.rows()));
    if (!builder_.keeps_arguments()) continue;
    rocm::ArgumentList arguments(builder_);
    if (const auto value = whole_number(row.text(4))) {
      arguments.integer("value", *value);
    } else {
      arguments.text("value", row.text(4));
    }
    arguments.give_to(event);
  }
  return row.rows();
}

StringId Reader::string_of(std::int64_t id, std::string_view what, std::uint64_t row) {
  const StringId text = strings_.find(id);
  if (text != kNoString) return text;
  builder_.diagnostics().add(rocm::kDanglingId, Place::row(row));
  return builder_.intern(std::string(what) + std::to_string(id));
}

// An operation belongs to the process that launched it; RPD does not write that of the others.
std::int64_t Reader::pid_of(std::int64_t call) const {
  std::int64_t pid = only_pid_;
  if (has_several_processes_ && call > 0) {
    const std::int64_t own = calls_.find(call).pid;
    if (own >= 0) pid = own;
  }
  return pid < 0 ? 0 : pid;
}

bool Reader::take_span(const sqlite::SqliteScan& row, int start, WideTime& from, WideTime& to) {
  const std::int64_t begin = row.integer(start, kNoTime);
  const std::int64_t end = row.integer(start + 1, kNoTime);
  if (begin == kNoTime || end == kNoTime) {
    builder_.diagnostics().add(shared::kMissingTime, Place::row(row.rows()));
    return false;
  }
  from = picoseconds(begin);
  to = picoseconds(end);
  return true;
}

}  // namespace lockstep::formats::rpd
