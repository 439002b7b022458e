// Scans of the tables of one session; joins are done in memory.
#include "formats/rocpd/rocpd_session.h"

#include <limits>

#include "formats/shared/record_defects.h"

namespace lockstep::formats::rocpd {
namespace {

constexpr std::int64_t kNoTime = std::numeric_limits<std::int64_t>::min();

WideTime picoseconds(std::int64_t ns) { return WideTime{ns} * kPicosecondsPerNanosecond; }

// The program of a command line, without its folder.
std::string_view program_of(std::string_view command) {
  command = command.substr(0, command.find(' '));
  const std::size_t slash = command.rfind('/');
  return slash == std::string_view::npos ? command : command.substr(slash + 1);
}

std::string allocation_name(std::string_view level, std::string_view type) {
  if (level.empty() && type.empty()) return "memory allocation";
  return std::string(level) + (level.empty() || type.empty() ? "" : " ") + std::string(type);
}

}  // namespace

void collect_times(sqlite::SqliteFile& file, const SessionFacts& session,
                   std::vector<WideTime>& times) {
  const auto take = [&](std::string_view table, std::string_view column) {
    sqlite::SqliteScan row = file.scan(session.table(table), {column});
    while (times.size() < shared::kTimesForOrigin && row.next()) {
      const std::int64_t time = row.integer(0, kNoTime);
      if (time != kNoTime) times.push_back(picoseconds(time));
    }
  };
  take("rocpd_kernel_dispatch", "start");
  take("rocpd_memory_copy", "start");
  take("rocpd_region", "start");
  take("rocpd_memory_allocate", "start");
  take("rocpd_sample", "timestamp");
}

SessionReader::SessionReader(sqlite::SqliteFile& file, const SessionFacts& facts,
                             shared::RankBuilder& builder, bool keeps_correlations)
    : file_(file), facts_(facts), builder_(builder), keeps_correlations_(keeps_correlations) {
  if (!facts.processes.empty()) only_process_ = facts.processes.front().id;
  for (const ProcessRow& process : facts.processes) process_rows_.set(process.id, &process);
  for (const AgentRow& agent : facts.agents) agents_.set(agent.id, {&agent, trace::kNoDevice});
}

void SessionReader::read(RowCounts& rows) {
  read_names();
  read_events();
  rows[static_cast<std::size_t>(Table::kRegion)] += read_regions();
  rows[static_cast<std::size_t>(Table::kSample)] += read_samples();
  rows[static_cast<std::size_t>(Table::kKernelDispatch)] += read_kernels();
  rows[static_cast<std::size_t>(Table::kMemoryCopy)] += read_copies();
  rows[static_cast<std::size_t>(Table::kMemoryAllocate)] += read_allocations();
  if (builder_.keeps_arguments()) read_call_arguments();
}

void SessionReader::read_names() {
  sqlite::SqliteScan string = file_.scan(facts_.table("rocpd_string"), {"id", "string"});
  while (string.next()) strings_.set(string.integer(0), builder_.intern(string.text(1)));
  sqlite::SqliteScan symbol =
      file_.scan(facts_.table("rocpd_info_kernel_symbol"), {"id", "kernel_name", "display_name"});
  while (symbol.next()) {
    const std::string_view name = symbol.text(1).empty() ? symbol.text(2) : symbol.text(1);
    kernels_.set(symbol.integer(0), builder_.intern(rocm::kernel_of_symbol(name)));
  }
  sqlite::SqliteScan stream = file_.scan(facts_.table("rocpd_info_stream"), {"id", "name"});
  while (stream.next()) streams_.set(stream.integer(0), builder_.intern(stream.text(1)));
  sqlite::SqliteScan thread = file_.scan(facts_.table("rocpd_info_thread"), {"id", "tid", "name"});
  while (thread.next()) {
    const std::int64_t id = thread.integer(0);
    threads_.set(id, {thread.integer(1, id), builder_.intern(thread.text(2)), true});
  }
}

// Every record names an event, which holds its category and its place in the stack of calls; the
// id of a launch is its place.
void SessionReader::read_events() {
  shared::IdTable<std::int8_t> kinds(-1);  // by category
  sqlite::SqliteScan row =
      file_.scan(facts_.table("rocpd_event"), {"id", "category_id", "stack_id"});
  while (row.next()) {
    const std::int64_t category = row.integer(1, -1);
    std::int8_t kind = kinds.find(category);
    if (kind < 0) {
      const std::string_view domain = builder_.trace().text(strings_.find(category));
      kind = static_cast<std::int8_t>(rocm::kind_of_rocm_domain(domain));
      kinds.set(category, kind);
    }
    has_markers_ |= static_cast<trace::Kind>(kind) == trace::Kind::kAnnotation;
    // Calls count from 1; 0 is work that no call is known for.
    const std::int64_t stack = row.integer(2);
    events_.set(row.integer(0),
                {stack > 0 ? stack : trace::kNoCorrelation, static_cast<trace::Kind>(kind)});
  }
  if (has_markers_) read_messages();
}

// What the user called a marker stands in the event: {"message": "step 1"}.
void SessionReader::read_messages() {
  sqlite::SqliteScan row = file_.scan(facts_.table("rocpd_event"), {"id", "extdata"});
  while (row.next()) {
    const std::int64_t id = row.integer(0);
    if (events_.find(id).kind != trace::Kind::kAnnotation) continue;
    const std::string message = rocm::json_member(row.text(1), "message");
    if (!message.empty()) messages_.emplace(id, builder_.intern(message));
  }
}

std::uint64_t SessionReader::read_regions() {
  sqlite::SqliteScan row =
      file_.scan(facts_.table("rocpd_region"),
                 {process_column(), "tid", "start", "end", "name_id", "event_id"});
  while (row.next()) {
    Span span;
    if (!take_span(row, 2, 3, span)) continue;
    const std::int64_t event = row.integer(5, -1);
    const EventFacts& facts = events_.find(event);
    trace::Event made;
    made.kind = facts.kind;
    made.track = thread_track(row.integer(0, only_process_), row.integer(1));
    const auto message = has_markers_ ? messages_.find(event) : messages_.end();
    made.name = message == messages_.end()
                    ? name_of(strings_, row.integer(4, -1), "region ", row.rows())
                    : message->second;
    if (made.kind == trace::Kind::kRuntimeCall) made.correlation = correlation_of(facts);
    const trace::EventId id = builder_.add_span(made, span.start, span.end, Place::row(row.rows()));
    if (builder_.keeps_arguments() && id != trace::kNoEvent) calls_.emplace(event, id);
  }
  return row.rows();
}

std::uint64_t SessionReader::read_samples() {
  struct TrackRow {
    std::int64_t process = 0;
    std::int64_t thread = 0;
    StringId name{};
  };
  shared::IdTable<TrackRow> tracks{TrackRow{}};
  sqlite::SqliteScan track =
      file_.scan(facts_.table("rocpd_track"), {"id", "pid", "tid", "name_id"});
  while (track.next()) {
    tracks.set(track.integer(0),
               {track.integer(1), track.integer(2), strings_.find(track.integer(3, -1))});
  }
  sqlite::SqliteScan row =
      file_.scan(facts_.table("rocpd_sample"), {"track_id", "timestamp", "event_id"});
  while (row.next()) {
    const std::int64_t time = row.integer(1, kNoTime);
    if (time == kNoTime) {
      builder_.diagnostics().add(shared::kMissingTime, Place::row(row.rows()));
      continue;
    }
    const TrackRow& where = tracks.find(row.integer(0, -1));
    const std::int64_t event = row.integer(2, -1);
    const auto message = messages_.find(event);
    trace::Event made;
    made.kind = events_.find(event).kind;
    made.track = thread_track(where.process, where.thread);
    made.name = message == messages_.end() ? where.name : message->second;
    builder_.add_point(made, picoseconds(time), trace::Shape::kInstant, Place::row(row.rows()));
  }
  return row.rows();
}

std::uint64_t SessionReader::read_kernels() {
  sqlite::SqliteColumns columns{
      {process_column(), "agent_id", "kernel_id", "stream_id", "start", "end", "event_id"}};
  if (builder_.keeps_arguments()) {
    columns.details = {"queue_id",         "grid_size_x",        "grid_size_y",
                       "grid_size_z",      "workgroup_size_x",   "workgroup_size_y",
                       "workgroup_size_z", "group_segment_size", "private_segment_size",
                       "dispatch_id"};
  }
  sqlite::SqliteScan row = file_.scan(facts_.table("rocpd_kernel_dispatch"), columns);
  rocm::ArgumentList arguments(builder_);
  while (row.next()) {
    Span span;
    if (!take_span(row, 4, 5, span)) continue;
    trace::Event made;
    made.kind = trace::Kind::kKernel;
    made.name = name_of(kernels_, row.integer(2, -1), "kernel ", row.rows());
    made.track =
        stream_track(row.integer(0, only_process_), row.integer(1, -1), row.integer(3), row.rows());
    made.correlation = correlation_of(events_.find(row.integer(6, -1)));
    const trace::EventId id = builder_.add_span(made, span.start, span.end, Place::row(row.rows()));
    if (!builder_.keeps_arguments() || id == trace::kNoEvent) continue;
    const rocm::Extent items = {row.integer(8), row.integer(9), row.integer(10)};
    const rocm::Extent group = {row.integer(11), row.integer(12), row.integer(13)};
    arguments.integer("device", agent_index(row.integer(1, -1)));
    arguments.integer("stream", row.integer(3));
    arguments.integer("queue", row.integer(7));
    arguments.extent("grid", rocm::groups_of(items, group));
    arguments.extent("block", group);
    arguments.integer("shared memory", row.integer(14));
    arguments.integer("private segment", row.integer(15));
    arguments.integer("dispatch", row.integer(16));
    arguments.give_to(id);
  }
  return row.rows();
}

std::uint64_t SessionReader::read_copies() {
  sqlite::SqliteScan row =
      file_.scan(facts_.table("rocpd_memory_copy"),
                 {"pid", "tid", "start", "end", "name_id", "dst_agent_id", "src_agent_id", "size",
                  "queue_id", "stream_id", "event_id"});
  rocm::ArgumentList arguments(builder_);
  while (row.next()) {
    Span span;
    if (!take_span(row, 2, 3, span)) continue;
    // The GPU at its end, else the one at its start; between GPUs the receiving one.
    const std::int64_t to = row.integer(5, -1);
    const std::int64_t from = row.integer(6, -1);
    const bool to_gpu = agents_.find(to).is_gpu();
    const bool from_gpu = !to_gpu && agents_.find(from).is_gpu();
    const bool on_host = !to_gpu && !from_gpu && agents_.find(to).row != nullptr &&
                         agents_.find(from).row != nullptr;
    trace::Event made;
    made.kind = trace::Kind::kMemcpy;
    made.name = name_of(strings_, row.integer(4, -1), "copy ", row.rows());
    made.track =
        on_host ? thread_track(row.integer(0), row.integer(1))
                : stream_track(row.integer(0), from_gpu ? from : to, row.integer(9), row.rows());
    made.correlation = correlation_of(events_.find(row.integer(10, -1)));
    const trace::EventId id = builder_.add_span(made, span.start, span.end, Place::row(row.rows()));
    if (!builder_.keeps_arguments() || id == trace::kNoEvent) continue;
    if (!row.is_null(7)) arguments.integer("bytes", row.integer(7));
    arguments.integer("device", agent_index(from_gpu ? from : to));
    arguments.integer("stream", row.integer(9));
    if (!row.is_null(8)) arguments.integer("queue", row.integer(8));
    arguments.give_to(id);
  }
  return row.rows();
}

std::uint64_t SessionReader::read_allocations() {
  sqlite::SqliteScan row =
      file_.scan(facts_.table("rocpd_memory_allocate"),
                 {"pid", "tid", "start", "end", "type", "level", "size", "address"});
  rocm::ArgumentList arguments(builder_);
  while (row.next()) {
    Span span;
    if (!take_span(row, 2, 3, span)) continue;
    trace::Event made;
    made.kind = row.text(5) == "SCRATCH" ? trace::Kind::kOverhead : trace::Kind::kHostOp;
    made.name = builder_.intern(allocation_name(row.text(5), row.text(4)));
    made.track = thread_track(row.integer(0), row.integer(1));
    const trace::EventId id = builder_.add_span(made, span.start, span.end, Place::row(row.rows()));
    if (!builder_.keeps_arguments() || id == trace::kNoEvent) continue;
    arguments.integer("bytes", row.integer(6));
    arguments.give_to(id);
  }
  return row.rows();
}

// The arguments of calls, as text. Those of one call stand together.
void SessionReader::read_call_arguments() {
  sqlite::SqliteScan row = file_.scan(facts_.table("rocpd_arg"), {"event_id", "name", "value"});
  rocm::ArgumentList arguments(builder_);
  std::int64_t event = -1;
  const auto give = [&] {
    const auto call = calls_.find(event);
    arguments.give_to(call == calls_.end() ? trace::kNoEvent : call->second);
    if (call != calls_.end()) calls_.erase(call);
  };
  while (row.next()) {
    if (row.integer(0, -1) != event) give();
    event = row.integer(0, -1);
    arguments.text(row.text(1), row.text(2));
  }
  give();
}

// Most sessions have one process, and the rows of large tables need not be asked for it.
std::string_view SessionReader::process_column() const {
  return facts_.processes.size() == 1 ? "" : "pid";
}

trace::ProcessId SessionReader::process_of(std::int64_t id) {
  const auto known = processes_.find(id);
  if (known != processes_.end()) return known->second;
  std::string pid = std::to_string(id);
  std::string_view command;
  if (const ProcessRow* process = process_rows_.find(id)) {
    pid = std::to_string(process->pid);
    command = process->command;
  }
  // Two sessions of one node may share a pid: numbers are used again.
  const std::size_t processes_before = builder_.trace().processes.size();
  trace::ProcessId made = builder_.process(pid);
  const bool is_taken = builder_.trace().processes.size() == processes_before;
  if (is_taken) made = builder_.process(pid + " " + facts_.guid);
  builder_.at(made).name = builder_.intern(program_of(command));
  processes_.emplace(id, made);
  return made;
}

SessionReader::Agent SessionReader::agent_of(std::int64_t id, std::uint64_t row) {
  Agent agent = agents_.find(id);
  if (agent.device != trace::kNoDevice) return agent;
  std::string index = "agent " + std::to_string(id);
  std::string_view name;
  if (const AgentRow* known = agent.row) {
    index = (known->is_gpu ? "" : "CPU ") + std::to_string(known->index);
    name = known->name;
  } else {
    builder_.diagnostics().add(rocm::kDanglingId, Place::row(row));
  }
  agent.device = builder_.device(index);
  if (!name.empty()) builder_.at(agent.device).name = builder_.intern(name);
  agents_.set(id, agent);
  return agent;
}

std::int64_t SessionReader::agent_index(std::int64_t id) const {
  const AgentRow* known = agents_.find(id).row;
  return known == nullptr ? id : known->index;
}

trace::TrackId SessionReader::thread_track(std::int64_t process, std::int64_t thread) {
  return thread_tracks_.find({process, 0, thread}, [&] {
    const Thread& known = threads_.find(thread);
    const std::int64_t tid = known.is_known ? known.tid : thread;
    const trace::TrackId track = builder_.host_thread(process_of(process), std::to_string(tid));
    if (known.name != kEmptyString) builder_.at(track).name = known.name;
    return track;
  });
}

trace::TrackId SessionReader::stream_track(std::int64_t process, std::int64_t agent,
                                           std::int64_t stream, std::uint64_t row) {
  return stream_tracks_.find({process, agent, stream}, [&] {
    const trace::TrackId track =
        builder_.stream(process_of(process), agent_of(agent, row).device, std::to_string(stream));
    const StringId name = streams_.find(stream);
    if (name != kEmptyString) builder_.at(track).name = name;
    return track;
  });
}

StringId SessionReader::name_of(const shared::IdTable<StringId>& names, std::int64_t id,
                                std::string_view what, std::uint64_t row) {
  const StringId name = names.find(id);
  if (name != kEmptyString) return name;
  builder_.diagnostics().add(rocm::kDanglingId, Place::row(row));
  return builder_.intern(std::string(what) + std::to_string(id));
}

bool SessionReader::take_span(const sqlite::SqliteScan& row, int start, int end, Span& span) {
  const std::int64_t from = row.integer(start, kNoTime);
  const std::int64_t to = row.integer(end, kNoTime);
  if (from == kNoTime || to == kNoTime) {
    builder_.diagnostics().add(shared::kMissingTime, Place::row(row.rows()));
    return false;
  }
  span = {picoseconds(from), picoseconds(to)};
  return true;
}

std::int64_t SessionReader::correlation_of(const EventFacts& event) const {
  return keeps_correlations_ ? event.stack : trace::kNoCorrelation;
}

}  // namespace lockstep::formats::rocpd
