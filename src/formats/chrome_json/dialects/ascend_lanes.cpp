// Roles of Ascend's lanes.
//
// Process ids of lanes are packed: (process << 10) | (order << 5) | device, and in exports of 2023
// as decimals, one behind the other: process, order in two digits, device in two digits, where the
// process or the device may be missing. Lanes are put back where they belong: runtime calls (CANN)
// on the thread of the process that made them, hardware streams and communication groups on the
// device. Derived lanes stay in their own process: they are no streams of a device.
#include "formats/chrome_json/dialects/ascend_lanes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <string>

#include "formats/ascend/ascend_names.h"
#include "formats/ascend/ascend_tasks.h"
#include "formats/chrome_json/defects.h"
#include "formats/chrome_json/dialects/empty_lanes.h"
#include "formats/chrome_json/map/event_mapper.h"
#include "formats/chrome_json/parse/argument_values.h"
#include "trace/steps.h"

namespace lockstep::formats::chrome_json {
namespace {

enum class AscendRole : std::uint8_t {
  kNone,
  kRuntime,   // CANN
  kHardware,  // streams
  kGroup,     // the collectives of a group
  kPlane,     // the parts of collectives
  kDerived,   // Overlap Analysis: what the exporter worked out from the others
};

constexpr unsigned kPackedDeviceBits = 5;
constexpr unsigned kPackedBits = 10;
constexpr std::size_t kDecimalsOfPart = 2;
constexpr std::uint64_t kDecimalPart = 100;

std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

AscendRole ascend_role(std::string_view process, std::string_view labels, std::string_view lane) {
  if (process == "Ascend Hardware") return AscendRole::kHardware;
  if (process == "CANN") return AscendRole::kRuntime;
  if (process == "Overlap Analysis") return AscendRole::kDerived;
  const bool is_communication =
      process == "HCCL" || (process == "Communication" && labels.starts_with("NPU"));
  if (!is_communication) return AscendRole::kNone;
  return lane.starts_with("Plane") ? AscendRole::kPlane : AscendRole::kGroup;
}

trace::Kind kind_of_call(std::string_view name) {
  return name.find("Synchronize") == std::string_view::npos ? trace::Kind::kRuntimeCall
                                                            : trace::Kind::kSynchronize;
}

class AscendLanes {
 public:
  explicit AscendLanes(const MappedFile& file)
      : trace_(file.trace),
        diagnostics_(file.diagnostics),
        tracks_(file.mapper.tracks()),
        start_(file.start),
        last_track_(file.trace.tracks.size()) {
    roles_.resize(last_track_, AscendRole::kNone);
    moved_.resize(last_track_);
  }

  // Derived lanes beside those of a device that categories tell are what our writer leaves of such
  // a file, and that is no file of Ascend's profiler any more.
  [[nodiscard]] bool find_roles() {
    bool has_lanes = false;
    bool has_derived = false;
    bool has_device = false;
    for (std::size_t t = start_.track; t < last_track_; ++t) {
      moved_[t] = trace::TrackId{static_cast<std::uint32_t>(t)};
      const trace::Track& track = trace_.tracks[t];
      has_device |= track.side == trace::Track::Side::kDevice;
      if (track.side == trace::Track::Side::kDevice) continue;
      const trace::Process& process = trace_.processes[index_of(track.process)];
      roles_[t] =
          ascend_role(trace_.text(process.name), trace_.text(process.labels), name_of(track));
      has_derived |= roles_[t] == AscendRole::kDerived;
      has_lanes |= roles_[t] != AscendRole::kNone && roles_[t] != AscendRole::kDerived;
    }
    return has_lanes || (has_derived && !has_device);
  }

  void move_lanes() {
    name_group_lanes();
    for (std::size_t t = start_.track; t < last_track_; ++t) {
      if (roles_[t] == AscendRole::kRuntime) move_calls(t);
      if (roles_[t] > AscendRole::kRuntime && roles_[t] != AscendRole::kDerived) {
        move_to_device(t, device_of(trace_.tracks[t]));
      }
    }
  }

  [[nodiscard]] bool has_hardware() const {
    return std::ranges::find(roles_, AscendRole::kHardware) != roles_.end();
  }

  void give_kinds(std::span<const AscendTask> tasks) {
    trace::EventTable& events = trace_.events;
    auto task = tasks.begin();
    for (std::size_t i = start_.row; i < events.size(); ++i) {
      while (task != tasks.end() && index_of(task->event) < i) ++task;
      const bool has_task = task != tasks.end() && index_of(task->event) == i;
      const std::size_t t = index_of(events.track[i]);
      if (t >= last_track_ || roles_[t] == AscendRole::kNone) {
        // torch_npu calls the marker of a step an operator.
        if (events.kind[i] == trace::Kind::kHostOp && is_step(events.name[i])) {
          events.kind[i] = trace::Kind::kAnnotation;
        }
        continue;
      }
      events.track[i] = moved_[t];
      if (events.shape[i] != trace::Shape::kSpan) continue;
      const StringId type = has_task ? task->task_type : kEmptyString;
      events.kind[i] = kind_of(roles_[t], type, events.name[i]);
      // The parts of a collective carry its connection; only the whole was launched by it.
      if (events.kind[i] == trace::Kind::kAnnotation) events.correlation[i] = trace::kNoCorrelation;
    }
  }

 private:
  [[nodiscard]] std::string_view name_of(const trace::Track& track) const {
    return trace_.text(track.name == kEmptyString ? track.id.text : track.name);
  }

  [[nodiscard]] bool is_step(StringId name) {
    const auto i = static_cast<std::size_t>(name);
    if (i >= step_names_.size()) step_names_.resize(trace_.strings.size(), -1);
    if (step_names_[i] < 0) step_names_[i] = trace::is_step_name(trace_.text(name)) ? 1 : 0;
    return step_names_[i] == 1;
  }

  [[nodiscard]] trace::Kind kind_of(AscendRole role, StringId type, StringId name) {
    switch (role) {
      case AscendRole::kRuntime:
        return kind_of_call(trace_.text(name));
      case AscendRole::kHardware:
        return kind_of_task(type, name);
      case AscendRole::kGroup:
        return trace::Kind::kCommunication;
      case AscendRole::kDerived:
        return trace::Kind::kDuplicate;
      default:
        return trace::Kind::kAnnotation;
    }
  }

  [[nodiscard]] trace::Kind kind_of_task(StringId type, StringId name) {
    const auto [known, is_new] = tasks_.try_emplace({type, name});
    if (is_new) known->second = ascend::hardware_task(trace_.text(type), trace_.text(name));
    if (known->second.has_unknown_type) {
      diagnostics_.add(ascend::kUnknownTaskType, Place::none(), trace_.text(type));
    }
    return known->second.kind;
  }

  // Planes are named from 0 in every group; the lanes of a group follow it in the order of ids.
  void name_group_lanes() {
    std::map<std::pair<trace::ProcessId, std::uint64_t>, std::size_t> by_id;
    for (std::size_t t = start_.track; t < last_track_; ++t) {
      if (roles_[t] != AscendRole::kGroup && roles_[t] != AscendRole::kPlane) continue;
      const trace::Track& track = trace_.tracks[t];
      by_id[{track.process, number_of(trace_.text(track.id.text)).value_or(t)}] = t;
    }
    std::string group;
    for (const auto& [id, t] : by_id) {
      const std::string name(name_of(trace_.tracks[t]));
      if (roles_[t] == AscendRole::kGroup) {
        group = name.substr(0, name.find(" Communication"));
      } else {
        lane_ids_[t] = group.empty() ? name : group + " " + name;
      }
    }
  }

  [[nodiscard]] std::string_view pid_of(const trace::Track& track) const {
    return trace_.text(trace_.processes[index_of(track.process)].id.text);
  }

  [[nodiscard]] std::optional<trace::ProcessId> known_process(std::string_view id) const {
    for (std::size_t p = start_.process; p < trace_.processes.size(); ++p) {
      if (trace_.text(trace_.processes[p].id.text) == id) {
        return trace::ProcessId{static_cast<std::uint32_t>(p)};
      }
    }
    return std::nullopt;
  }

  // How many digits stand behind the process in a decimal id: its order, or order and device.
  [[nodiscard]] std::size_t decimals_behind_owner(std::string_view pid) const {
    for (const std::size_t behind : {2 * kDecimalsOfPart, kDecimalsOfPart}) {
      if (pid.size() > behind && known_process(pid.substr(0, pid.size() - behind))) return behind;
    }
    return 0;
  }

  // The process that a packed id names, when that is plausible. Where the file has none of them,
  // the id is taken for packed bits.
  [[nodiscard]] std::optional<trace::ProcessId> owner_of(const trace::Track& track) {
    const std::string_view pid = pid_of(track);
    const auto packed = number_of(pid);
    if (!packed || (*packed >> kPackedBits) == 0) return std::nullopt;
    const std::string owner = std::to_string(*packed >> kPackedBits);
    const std::size_t behind = known_process(owner) ? 0 : decimals_behind_owner(pid);
    if (behind > 0) return known_process(pid.substr(0, pid.size() - behind));
    return tracks_.process_with_id(owner);
  }

  // "NPU 3", else the packed id.
  [[nodiscard]] std::string device_of(const trace::Track& track) const {
    const trace::Process& process = trace_.processes[index_of(track.process)];
    const std::string_view labels = trace_.text(process.labels);
    const std::size_t digit = labels.find_first_of("0123456789");
    if (labels.starts_with("NPU") && digit != std::string_view::npos) {
      const std::size_t end = labels.find_first_not_of("0123456789", digit);
      return std::string(labels.substr(digit, end == labels.npos ? end : end - digit));
    }
    const std::string_view pid = pid_of(track);
    const auto packed = number_of(pid);
    if (!packed) return "0";
    // Without a process in front, bits would say that it is 0, which no process is.
    const bool is_decimal =
        (*packed >> kPackedBits) == 0 || (!known_process(std::to_string(*packed >> kPackedBits)) &&
                                          decimals_behind_owner(pid) == 2 * kDecimalsOfPart);
    if (!is_decimal) return std::to_string(*packed & ((1U << kPackedDeviceBits) - 1));
    return std::to_string(pid.size() > kDecimalsOfPart ? *packed % kDecimalPart : 0);
  }

  void move_calls(std::size_t t) {
    const trace::Track track = trace_.tracks[t];
    const std::optional<trace::ProcessId> owner = owner_of(track);
    if (owner && *owner != track.process) {
      moved_[t] = tracks_.move_host_track(trace::TrackId{static_cast<std::uint32_t>(t)}, *owner);
    }
  }

  void move_to_device(std::size_t t, std::string_view device_id) {
    const trace::Track track = trace_.tracks[t];
    const std::optional<trace::ProcessId> owner = owner_of(track);
    const trace::DeviceId device = tracks_.device(trace_.strings.intern(device_id));
    moved_[t] = tracks_.as_device_track(trace::TrackId{static_cast<std::uint32_t>(t)}, device);
    if (index_of(moved_[t]) != t) return;
    trace::Track& made = trace_.tracks[t];
    if (owner) made.process = *owner;
    if (roles_[t] == AscendRole::kHardware) return;
    // Ids of these lanes are only an order, and would be taken for those of streams.
    const auto id = lane_ids_.find(t);
    const std::string text(id == lane_ids_.end() ? std::string(name_of(track)) : id->second);
    made.id = {trace_.strings.intern(text), false};
  }

  trace::Trace& trace_;
  Diagnostics& diagnostics_;
  TrackLookup& tracks_;
  RankStart start_;
  std::size_t last_track_;
  std::vector<AscendRole> roles_;      // by track
  std::vector<trace::TrackId> moved_;  // by track: where its events belong
  std::map<std::size_t, std::string> lane_ids_;
  std::map<std::pair<StringId, StringId>, ascend::HardwareTask> tasks_;  // by type and name
  std::vector<std::int8_t> step_names_;  // by StringId: -1 not asked yet
};

void describe_collectives(trace::Trace& trace, std::span<const AscendTask> tasks) {
  for (const AscendTask& task : tasks) {
    if (task.data_type == kEmptyString && !task.elements) continue;
    const auto entry =
        std::ranges::lower_bound(trace.collectives, index_of(task.event), {},
                                 [](const trace::Collective& c) { return index_of(c.event); });
    if (entry == trace.collectives.end() || entry->event != task.event) continue;
    const auto type = ascend::hccl_data_type(trace.text(task.data_type));
    entry->dtype = type ? trace.strings.intern(type->torch) : task.data_type;
    if (!task.elements || *task.elements < 0) continue;
    entry->elements_in = task.elements;
    entry->elements_out = task.elements;
    if (type && *task.elements <= INT64_MAX / type->bytes) {
      entry->bytes = *task.elements * type->bytes;
    }
  }
}

class AscendDialect : public Dialect {
 public:
  [[nodiscard]] bool recognises(const MappedFile& file) const override {
    return AscendLanes(file).find_roles();
  }
  [[nodiscard]] std::string_view format() const override { return "ascend_trace"; }
  [[nodiscard]] std::optional<Clock> clock(const MappedFile& /*file*/) const override {
    return Clock::kSession;
  }

  void place_lanes(MappedFile& file) const override {
    const std::span<const AscendTask> tasks = file.mapper.evidence().ascend.tasks();
    AscendLanes lanes(file);
    if (!lanes.find_roles()) return;
    if (!lanes.has_hardware()) file.diagnostics.add(kNoHardwareLanes);
    lanes.move_lanes();
    lanes.give_kinds(tasks);
    file.diagnostics.add(ascend::kDuplicateCollective, Place::none(), {},
                         ascend::settle_second_records(file.trace, file.start.row));
    describe_collectives(file.trace, tasks);
  }

  void tidy(MappedFile& file) const override { drop_empty_lanes(file); }
};

}  // namespace

void AscendTasks::note(trace::EventId event, std::span<const RawArgument> arguments,
                       StringPool& strings) {
  AscendTask task;
  task.event = event;
  if (const RawArgument* type = find_argument(arguments, "Task Type")) {
    task.task_type = strings.intern(text_value(type->value));
  } else if (const RawArgument* data = find_argument(arguments, "data_type")) {
    task.data_type = strings.intern(text_value(data->value));
    const RawArgument* count = find_argument(arguments, "count");
    if (count != nullptr) task.elements = whole_number(count->value);
  } else {
    return;
  }
  tasks_.push_back(task);
}

const Dialect& ascend_dialect() {
  static const AscendDialect dialect;
  return dialect;
}

}  // namespace lockstep::formats::chrome_json
