// Rows become events, or correct them.
#include "formats/ascend_text/device_row_mapper.h"

#include <algorithm>

#include "formats/ascend/ascend_tasks.h"
#include "formats/ascend_text/cell_values.h"
#include "formats/shared/record_defects.h"
#include "formats/shared/time_guess.h"

namespace lockstep::formats::ascend_text {
namespace {

constexpr std::string_view kNoStream = "not recorded";

// A row that outlives the reading of the next one.
class HeldRow {
 public:
  explicit HeldRow(const DeviceRow& row) : row_(row) {
    for (const std::string_view cell : row.cells) cells_.emplace_back(cell);
    texts_ = {std::string(row.name),   std::string(row.type),   std::string(row.core),
              std::string(row.stream), std::string(row.device), std::string(row.step)};
  }

  [[nodiscard]] const DeviceRow& get() {
    views_.assign(cells_.begin(), cells_.end());
    row_.cells = views_;
    row_.name = texts_[0];
    row_.type = texts_[1];
    row_.core = texts_[2];
    row_.stream = texts_[3];
    row_.device = texts_[4];
    row_.step = texts_[5];
    return row_;
  }
  [[nodiscard]] WideTime start() const { return row_.start; }

 private:
  DeviceRow row_;
  std::vector<std::string> cells_;
  std::vector<std::string> texts_;
  std::vector<std::string_view> views_;
};

}  // namespace

std::string_view group_in_name(std::string_view name) {
  const std::size_t tail = name.find("__");
  if (!name.starts_with("hcom_") || tail == std::string_view::npos) return {};
  const std::string_view rest = name.substr(tail + 2);
  return rest.substr(0, rest.find('_'));
}

DeviceRowMapper::DeviceRowMapper(shared::RankBuilder& rank, TimelineIndex* timeline,
                                 std::string process)
    : rank_(rank), timeline_(timeline), process_(std::move(process)) {}

Status DeviceRowMapper::read(DeviceTable& table, const std::string& device, bool kernels_known) {
  default_device_ = device;
  only_copies_ = kernels_known && table.sort() == TableSort::kTasks;
  choose_keys(table);
  const bool needs_origin = rank_.rank().origin.clock == Clock::kUnknown && rank_.origin() == 0 &&
                            rank_.trace().events.size() == rank_.first_row();
  std::vector<HeldRow> held;
  DeviceRow row;
  bool more = true;
  while (needs_origin && more && held.size() < shared::kTimesForOrigin) {
    LOCKSTEP_ASSIGN_OR_RETURN(more, table.next(row));
    if (more) held.emplace_back(row);
  }
  if (!held.empty()) {
    std::vector<WideTime> times;
    for (const HeldRow& one : held) times.push_back(one.start());
    const WideTime origin = shared::choose_origin(times);
    const bool is_epoch = shared::is_since_1970(origin / kPicosecondsPerNanosecond);
    rank_.set_origin(origin, is_epoch ? Clock::kEpoch : Clock::kSession);
    for (HeldRow& one : held) take(one.get(), table);
  }
  while (more) {
    LOCKSTEP_ASSIGN_OR_RETURN(more, table.next(row));
    if (more) take(row, table);
  }
  return {};
}

void DeviceRowMapper::choose_keys(const DeviceTable& table) {
  keys_.assign(table.header().size(), kEmptyString);
  if (!rank_.keeps_evidence()) return;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    const std::string& column = table.header()[i];
    const bool is_kept =
        rank_.keeps_arguments() || trace::role_of_argument(column) != trace::ArgumentRole::kNone;
    if (is_kept && !table.is_own_column(i)) keys_[i] = rank_.intern(column);
  }
}

trace::Kind DeviceRowMapper::kind_of(const DeviceRow& row, TableSort sort) {
  if (sort == TableSort::kTasks) {
    const ascend::HardwareTask task = ascend::hardware_task(row.core, row.name);
    if (task.has_unknown_type) {
      rank_.diagnostics().add(ascend::kUnknownTaskType, Place::none(), row.core);
    }
    return task.kind;
  }
  const auto known = ascend::ascend_task_kind(row.core, row.name);
  // Every row of a table of kernels is one; at level 0 it does not say of which sort.
  return known && is_kernel(*known) ? *known : trace::Kind::kKernel;
}

std::string_view DeviceRowMapper::device_of(const DeviceRow& row) const {
  if (!row.device.empty()) return row.device;
  return default_device_.empty() ? std::string_view("0") : default_device_;
}

trace::TrackId DeviceRowMapper::track_of(const DeviceRow& row, trace::Kind kind) {
  const trace::ProcessId process = rank_.process(process_);
  const trace::DeviceId device = rank_.device(device_of(row));
  if (!row.stream.empty()) return rank_.stream(process, device, row.stream);
  if (kind != trace::Kind::kCommunication) return rank_.stream(process, device, kNoStream);
  const std::string_view group = group_in_name(row.name);
  return rank_.stream(process, device,
                      group.empty() ? "Communication" : "Group " + std::string(group));
}

trace::EventId DeviceRowMapper::correct(const DeviceRow& row, trace::Kind kind, StringId name) {
  const std::optional<Time> start = rank_.relative(row.start);
  const std::optional<Time> end = rank_.relative(row.start + row.duration);
  if (timeline_ == nullptr || !start || !end || *end < *start) return trace::kNoEvent;
  const trace::DeviceId device = row.device.empty() ? trace::kNoDevice : rank_.device(row.device);
  const trace::TrackId track = row.stream.empty() ? kNoTrack : track_of(row, kind);
  const trace::EventId event = timeline_->take(name, *start, device, track);
  if (event == trace::kNoEvent) return trace::kNoEvent;
  trace::EventTable& events = rank_.trace().events;
  const std::size_t at = trace::index_of(event);
  events.start[at] = *start;
  events.duration[at] = *end - *start;
  const bool is_lane_of_collectives = events.kind[at] == trace::Kind::kCommunication;
  if (!is_lane_of_collectives && events.kind[at] != trace::Kind::kDuplicate) events.kind[at] = kind;
  return event;
}

trace::EventId DeviceRowMapper::add(const DeviceRow& row, trace::Kind kind, StringId name) {
  trace::Event event;
  event.name = name;
  event.kind = kind;
  event.track = track_of(row, kind);
  return rank_.add_span(event, row.start, row.start + row.duration, Place::row(row.row));
}

void DeviceRowMapper::take(const DeviceRow& row, const DeviceTable& table) {
  const trace::Kind kind = kind_of(row, table.sort());
  if (only_copies_ && is_kernel(kind)) return;
  const StringId name = rank_.intern(row.name);
  trace::EventId event = correct(row, kind, name);
  if (event == trace::kNoEvent) event = add(row, kind, name);
  if (event == trace::kNoEvent) return;
  ++placed_;
  knows_cores_ |= !row.core.empty() && kind != trace::Kind::kCommunication;
  if (table.sort() == TableSort::kKernels) note(row, event);
  if (rank_.keeps_evidence()) set_arguments(row, event);
}

void DeviceRowMapper::note(const DeviceRow& row, trace::EventId event) {
  const auto type = static_cast<std::uint64_t>(rank_.intern(row.type));
  ++counts_[(type << 32) | static_cast<std::uint64_t>(rank_.intern(row.core))];
  if (row.step.empty()) return;
  const trace::EventTable& events = rank_.trace().events;
  const Time start = events.start[trace::index_of(event)];
  const Time end = events.end(trace::index_of(event));
  const auto key = static_cast<std::uint32_t>(rank_.intern(row.step));
  const auto [window, is_new] = steps_.try_emplace(key, StepWindow{start, end});
  if (is_new) return;
  window->second.start = std::min(window->second.start, start);
  window->second.end = std::max(window->second.end, end);
}

void DeviceRowMapper::set_arguments(const DeviceRow& row, trace::EventId event) {
  const std::span<const trace::Argument> before = rank_.trace().arguments.of(event);
  arguments_.assign(before.begin(), before.end());
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    if (keys_[i] == kEmptyString) continue;
    if (const auto value = cell_argument(keys_[i], row.cells[i], rank_.trace().strings)) {
      arguments_.push_back(*value);
    }
  }
  rank_.set_arguments(event, arguments_);
}

std::vector<KernelCount> DeviceRowMapper::counts() const {
  std::vector<KernelCount> counts;
  for (const auto& [key, count] : counts_) {
    const auto type = StringId{static_cast<std::uint32_t>(key >> 32)};
    const auto core = StringId{static_cast<std::uint32_t>(key)};
    counts.push_back(
        {std::string(rank_.trace().text(type)), std::string(rank_.trace().text(core)), count});
  }
  std::ranges::sort(counts, {}, [](const KernelCount& c) { return std::tie(c.type, c.core); });
  return counts;
}

void DeviceRowMapper::add_steps() {
  std::vector<std::pair<std::uint32_t, StepWindow>> sorted(steps_.begin(), steps_.end());
  std::ranges::sort(sorted, {}, [](const auto& step) { return step.second.start; });
  for (const auto& [id, window] : sorted) {
    const std::string name = "ProfilerStep#" + std::string(rank_.trace().text(StringId{id}));
    rank_.add_step(rank_.intern(name), window.start, window.end);
  }
}

}  // namespace lockstep::formats::ascend_text
