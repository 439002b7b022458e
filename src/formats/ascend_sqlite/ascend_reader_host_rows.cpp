// Calls on the host, marks of the user, steps, and the arrows from PyTorch to the device.
#include <algorithm>

#include <fmt/format.h>

#include "formats/ascend_sqlite/ascend_reader.h"
#include "formats/shared/record_defects.h"
#include "trace/steps.h"

namespace lockstep::formats::ascend_sqlite {
namespace {

// Rows of unknown level are kept as what their table mostly holds.
const ApiLevel& level_of(std::int64_t number, int otherwise) {
  const auto found = std::ranges::find(kApiLevels, number, &ApiLevel::number);
  if (found != kApiLevels.end()) return *found;
  return *std::ranges::find(kApiLevels, otherwise, &ApiLevel::number);
}

// Names of arrows as trace_view.json has them.
constexpr std::string_view kTorchToDevice = "async_npu";
constexpr std::string_view kQueueArrow = "async_task_queue";
constexpr std::string_view kForwardBackward = "fwdbwd";

}  // namespace

trace::TrackId AscendReader::thread(std::int64_t global_tid) {
  const auto known = threads_.find(global_tid);
  if (known != threads_.end()) return known->second;
  const trace::ProcessId process = builder_.process(std::to_string(global_tid >> 32));
  const trace::TrackId made =
      builder_.host_thread(process, std::to_string(global_tid & 0xFFFF'FFFF));
  threads_.emplace(global_tid, made);
  return made;
}

StringId AscendReader::call_name(const ApiLevel& level, std::int64_t string, std::uint64_t row) {
  if (level.prefix.empty()) return name_of(string, row);
  const auto key =
      (static_cast<std::uint64_t>(string) << 16) ^ static_cast<std::uint64_t>(level.number);
  const auto known = call_names_.find(key);
  if (known != call_names_.end()) return known->second;
  const StringId plain = name_of(string, row);
  const StringId name =
      builder_.intern(fmt::format("{}{}", level.prefix, builder_.trace().text(plain)));
  return call_names_.emplace(key, name).first->second;
}

void AscendReader::read_cann_calls() {
  sqlite::SqliteScan scan =
      file_.scan("CANN_API", {"startNs", "endNs", "type", "globalTid", "connectionId", "name"});
  while (scan.next()) {
    Times times;
    if (!take_times(scan, times)) continue;
    const ApiLevel& level = level_of(scan.integer(2), 20000);
    trace::Event row;
    row.kind = level.kind;
    row.name = call_name(level, scan.integer(5, sqlite::kNoId), scan.rows());
    row.track = thread(scan.integer(3));
    const std::int64_t connection = scan.integer(4, sqlite::kNoId);
    if (connection >= 0 && connection != kNoConnection) row.correlation = connection;
    const trace::EventId event =
        builder_.add_span(row, times.start, times.end, Place::row(scan.rows()));
    if (event != trace::kNoEvent && row.correlation >= 0) cann_connections_.add(row.correlation, 0);
  }
  use("CANN_API", scan.rows(), "calls of CANN");
}

void AscendReader::read_torch_calls() {
  sqlite::SqliteScan scan =
      file_.scan("PYTORCH_API", {"startNs", "endNs", "globalTid", "connectionId", "name", "type",
                                 "sequenceNumber", "inputDtypes", "inputShapes"});
  while (scan.next()) {
    Times times;
    if (!take_times(scan, times)) continue;
    const ApiLevel& level = level_of(scan.integer(5), 50001);
    trace::Event row;
    row.kind = level.kind;
    row.name = name_of(scan.integer(4, sqlite::kNoId), scan.rows());
    row.track = thread(scan.integer(2));
    // The profiler writes its steps as operators.
    const bool is_step = trace::is_step_name(builder_.trace().text(row.name));
    if (is_step) row.kind = trace::Kind::kAnnotation;
    const trace::EventId event =
        builder_.add_span(row, times.start, times.end, Place::row(scan.rows()));
    if (event == trace::kNoEvent) continue;
    has_step_marker_ |= is_step;
    if (!scan.is_null(3))
      torch_joins_.push_back({scan.integer(3, sqlite::kNoId), event, level.number == kQueueLevel});
    if (builder_.keeps_evidence()) keep_torch_call(scan, event);
  }
  use("PYTORCH_API", scan.rows(), "operators and Python functions");
}

void AscendReader::keep_torch_call(const sqlite::SqliteScan& scan, trace::EventId event) {
  kept_.clear();
  // The names that Kineto has for the same.
  if (builder_.keeps_arguments() && scan.integer(6, sqlite::kNoId) >= 0) {
    kept_.push_back(trace::Argument::integer(builder_.intern("Sequence number"), scan.integer(6)));
  }
  const auto types = strings_.find(scan.integer(7, sqlite::kNoId));
  if (builder_.keeps_arguments() && types) {
    kept_.push_back(trace::Argument::string(builder_.intern("Input type"), *types));
  }
  if (const auto shapes = strings_.find(scan.integer(8, sqlite::kNoId))) {
    kept_.push_back(trace::Argument::string(builder_.intern("Input Dims"), *shapes));
  }
  builder_.set_arguments(event, kept_);
}

void AscendReader::read_marks() {
  sqlite::SqliteScan scan = file_.scan(
      "MSTX_EVENTS", {"startNs", "endNs", "eventType", "message", "globalTid", "domainId"});
  while (scan.next()) {
    Times times;
    if (!take_times(scan, times)) continue;
    trace::Event row;
    row.kind = trace::Kind::kAnnotation;
    row.name = name_of(scan.integer(3, sqlite::kNoId), scan.rows());
    row.track = thread(scan.integer(4));
    const std::int64_t type = scan.integer(2, sqlite::kNoId);
    const bool is_point = type == kMstxMarker || type == kMstxMarkerEx;
    const Place place = Place::row(scan.rows());
    const trace::EventId event =
        is_point ? builder_.add_point(row, times.start, trace::Shape::kInstant, place)
                 : builder_.add_span(row, times.start, times.end, place);
    if (event == trace::kNoEvent) continue;
    has_step_marker_ |= !is_point && trace::is_step_name(builder_.trace().text(row.name));
    const auto domain = strings_.find(scan.integer(5, sqlite::kNoId));
    if (!builder_.keeps_arguments() || !domain) continue;
    kept_ = {trace::Argument::string(builder_.intern("domain"), *domain)};
    builder_.set_arguments(event, kept_);
  }
  use("MSTX_EVENTS", scan.rows(), "ranges and marks of the user");
}

void AscendReader::read_steps() {
  sqlite::SqliteScan scan = file_.scan("STEP_TIME", {"startNs", "endNs", "id"});
  while (scan.next()) {
    Times times;
    if (has_step_marker_ || !take_times(scan, times)) continue;
    const auto start = builder_.relative(times.start);
    const auto end = builder_.relative(times.end);
    if (!start || !end || *end < *start) {
      builder_.diagnostics().add(
          !start || !end ? shared::kTimeOutOfRange : shared::kNegativeDuration,
          Place::row(scan.rows()));
      continue;
    }
    builder_.add_step(builder_.intern(fmt::format("ProfilerStep#{}", scan.integer(2))), *start,
                      *end);
  }
  if (scan.rows() == 0) return;
  builder_.add_part(
      has_step_marker_ ? trace::SourcePart::Use::kUnused : trace::SourcePart::Use::kUsed,
      "STEP_TIME", scan.rows(),
      has_step_marker_ ? "the steps are marked in PYTORCH_API too" : "steps");
}

std::vector<AscendReader::Joined> AscendReader::joined_torch_calls() {
  std::ranges::sort(torch_joins_, {}, &Joined::connection);
  std::vector<Joined> joined;
  sqlite::SqliteScan scan = file_.scan("CONNECTION_IDS", {"id", "connectionId"});
  while (scan.next()) {
    if (scan.is_null(0) || scan.is_null(1)) continue;
    const auto calls =
        std::ranges::equal_range(torch_joins_, scan.integer(0), {}, &Joined::connection);
    // One call has one number of its own; more would be damage, and could be many.
    if (!calls.empty()) {
      joined.push_back({scan.integer(1), calls.front().event, calls.front().is_queue});
    }
  }
  use("CONNECTION_IDS", scan.rows(), "arrows from PyTorch");
  const trace::EventTable& events = builder_.trace().events;
  std::ranges::sort(joined, [&](const Joined& a, const Joined& b) {
    return std::tuple(a.connection, events.start[trace::index_of(a.event)],
                      trace::index_of(a.event)) < std::tuple(b.connection,
                                                             events.start[trace::index_of(b.event)],
                                                             trace::index_of(b.event));
  });
  return joined;
}

void AscendReader::join_torch_calls() {
  const std::vector<Joined> hosts = joined_torch_calls();
  std::ranges::sort(device_joins_, [](const Joined& a, const Joined& b) {
    return std::tuple(a.connection, trace::index_of(a.event)) <
           std::tuple(b.connection, trace::index_of(b.event));
  });
  for (std::size_t first = 0; first < hosts.size();) {
    std::size_t last = first + 1;
    while (last < hosts.size() && hosts[last].connection == hosts[first].connection) ++last;
    const auto devices =
        std::ranges::equal_range(device_joins_, hosts[first].connection, {}, &Joined::connection);
    join_group(std::span(hosts).subspan(first, last - first), devices);
    first = last;
  }
}

void AscendReader::join_group(std::span<const Joined> hosts, std::span<const Joined> devices) {
  // Where CANN was recorded its call is the launch, by correlation; PyTorch stands behind it.
  const bool has_call = cann_connections_.find(hosts.front().connection) != shared::IdIndex::kNone;
  const auto kind = has_call ? trace::Flow::Kind::kOther : trace::Flow::Kind::kLaunch;
  const StringId name = has_call ? builder_.intern(kTorchToDevice) : kEmptyString;
  for (const Joined& device : devices)
    builder_.add_flow(hosts.front().event, device.event, kind, name);
  if (!devices.empty()) return;
  const StringId arrow = builder_.intern(hosts.front().is_queue ? kQueueArrow : kForwardBackward);
  for (const Joined& other : hosts.subspan(1)) {
    if (other.event == hosts.front().event) continue;
    builder_.add_flow(hosts.front().event, other.event, trace::Flow::Kind::kOther, arrow);
  }
}

}  // namespace lockstep::formats::ascend_sqlite
