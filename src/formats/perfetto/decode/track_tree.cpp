// Building and writing the tree of tracks.
#include "formats/perfetto/decode/track_tree.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <unordered_set>
#include <utility>

#include "formats/perfetto/map/own_ids.h"
#include "formats/perfetto/write/string_interner.h"

namespace lockstep::formats::perfetto {
namespace {

constexpr std::int32_t kFirstInventedNumber = 1'000'000'000;

// The number that `text` spells when it can serve as a process or thread id; 0, which viewers give
// to the idle task, cannot.
std::optional<std::int32_t> usable_number(std::string_view text) {
  std::int32_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size() || value <= 0) return std::nullopt;
  return value;
}

std::optional<std::int32_t> narrowed(std::optional<std::int64_t> value) {
  using Limits = std::numeric_limits<std::int32_t>;
  if (!value) return std::nullopt;
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(*value, Limits::min(), Limits::max()));
}

template <typename Field>
void add_text(shared::MessageBuilder<Field>& to, Field field, std::string_view text) {
  std::string scratch;
  const std::string_view utf8 = as_utf8(text, scratch);
  if (!utf8.empty()) to.add_string(field, utf8.data(), utf8.size());
}

std::string rank_name(const trace::Rank& rank) {
  if (rank.number) return "rank " + std::to_string(*rank.number);
  return rank.source.empty() ? "rank unknown" : rank.source;
}

std::string device_name(const trace::Trace& trace, const trace::Device& device) {
  const std::string id(trace.text(device.id));
  const bool is_index = std::ranges::all_of(id, [](char c) { return c >= '0' && c <= '9'; });
  std::string name = is_index ? "GPU " + id : id;
  if (device.name != kEmptyString) name.append(" ").append(trace.text(device.name));
  return name;
}

}  // namespace

std::vector<std::int32_t> unique_numbers(const std::vector<std::string_view>& ids) {
  std::vector<std::int32_t> numbers(ids.size(), 0);
  std::unordered_set<std::int32_t> taken;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto own = usable_number(ids[i]);
    if (own && taken.insert(*own).second) numbers[i] = *own;
  }
  std::int32_t next = kFirstInventedNumber;
  for (std::int32_t& number : numbers) {
    if (number != 0) continue;
    while (!taken.insert(next).second) ++next;
    number = next;
  }
  return numbers;
}

void TrackDescription::write_to(shared::MessageBuilder<PacketField>& packet) const {
  using Field = TrackDescriptorField;
  shared::MessageBuilder<Field> descriptor(packet, PacketField::kTrackDescriptor);
  descriptor.add_uint64(Field::kUuid, uuid);
  if (parent_uuid != 0) descriptor.add_uint64(Field::kParentUuid, parent_uuid);
  add_text(descriptor, Field::kName, name);
  descriptor.reserve(description.size());
  add_text(descriptor, Field::kDescription, description);
  if (process) {
    shared::MessageBuilder<ProcessField> message(descriptor, Field::kProcess);
    message.add_int32(ProcessField::kPid, process->pid);
    if (process->sort_index) {
      message.add_int32(ProcessField::kLegacySortIndex, *process->sort_index);
    }
    add_text(message, ProcessField::kName, name);
    add_text(message, ProcessField::kLabels, process->labels);
  }
  if (thread) {
    shared::MessageBuilder<ThreadField> message(descriptor, Field::kThread);
    message.add_int32(ThreadField::kPid, thread->pid);
    message.add_int64(ThreadField::kTid, thread->tid);
    if (thread->sort_index) message.add_int32(ThreadField::kLegacySortIndex, *thread->sort_index);
    add_text(message, ThreadField::kName, name);
  }
  if (is_counter) descriptor.add_message(Field::kCounter, "", 0);
  if (orders_children) descriptor.add_enum(Field::kChildOrdering, kExplicitOrdering);
  if (order) descriptor.add_int32(Field::kSiblingOrderRank, *order);
}

TrackTree::TrackTree(const trace::Trace& trace) : trace_(trace) {
  add_ranks();
  add_processes();
  add_devices();
  number_threads();
}

TrackDescription& TrackTree::add_group(std::string name, std::uint64_t parent_uuid) {
  TrackDescription group;
  group.uuid = next_uuid_++;
  group.parent_uuid = parent_uuid;
  group.name = std::move(name);
  return groups_.emplace_back(std::move(group));
}

void TrackTree::add_ranks() {
  rank_uuids_.resize(trace_.ranks.size());
  if (trace_.ranks.size() < 2) return;
  for (std::size_t r = 0; r < trace_.ranks.size(); ++r) {
    rank_uuids_[r] = add_group(rank_name(trace_.ranks[r]), 0).uuid;
  }
}

void TrackTree::add_processes() {
  std::vector<bool> has_threads(trace_.processes.size());
  for (const trace::Track& track : trace_.tracks) {
    if (!has_device(track)) has_threads[index_of(track.process)] = true;
  }
  std::vector<std::string_view> ids;
  for (const trace::Process& process : trace_.processes)
    ids.push_back(trace_.text(process.id.text));
  pids_ = unique_numbers(ids);
  process_uuids_.resize(trace_.processes.size());
  for (std::size_t p = 0; p < trace_.processes.size(); ++p) {
    if (!has_threads[p]) continue;
    const trace::Process& process = trace_.processes[p];
    std::string name(trace_.text(process.name));
    if (name.empty()) name.append("process ").append(ids[p]);
    // Viewers that show processes at the top level, whatever their parent, need the rank here.
    if (trace_.ranks.size() > 1)
      name = rank_name(trace_.ranks[index_of(process.rank)]) + " " + name;
    TrackDescription& group = add_group(std::move(name), rank_uuids_[index_of(process.rank)]);
    group.process = {pids_[p], narrowed(process.sort_index),
                     std::string(trace_.text(process.labels))};
    process_uuids_[p] = group.uuid;
  }
}

void TrackTree::add_devices() {
  for (const trace::Device& device : trace_.devices) {
    TrackDescription& group =
        add_group(device_name(trace_, device), rank_uuids_[index_of(device.rank)]);
    group.orders_children = true;  // by name, stream 13 would stand before stream 7
    device_uuids_.push_back(group.uuid);
  }
}

void TrackTree::number_threads() {
  std::vector<std::string_view> ids;
  std::vector<std::size_t> threads;
  for (std::size_t t = 0; t < trace_.tracks.size(); ++t) {
    if (has_device(trace_.tracks[t])) continue;
    ids.push_back(trace_.text(trace_.tracks[t].id.text));
    threads.push_back(t);
  }
  const std::vector<std::int32_t> numbers = unique_numbers(ids);
  tids_.resize(trace_.tracks.size());
  for (std::size_t i = 0; i < threads.size(); ++i) tids_[threads[i]] = numbers[i];
}

TrackDescription TrackTree::lane(trace::TrackId track_id, std::uint32_t lane) {
  const trace::Track& track = trace_.tracks[index_of(track_id)];
  TrackDescription description;
  description.uuid = lane_uuid(index_of(track_id), lane);
  description.parent_uuid = parent_of(track);
  description.name = name_of_track(track);
  const std::optional<std::int32_t> sort_index = narrowed(track.sort_index);
  if (has_device(track)) {
    description.order = sort_index ? sort_index : usable_number(trace_.text(track.id.text));
  } else if (lane == 0) {
    description.thread = {pids_[index_of(track.process)], tids_[index_of(track_id)], sort_index};
  }
  return description;
}

TrackDescription TrackTree::counter(trace::TrackId track_id, std::uint32_t number,
                                    std::string name) {
  TrackDescription description;
  description.uuid = counter_uuid(index_of(track_id), number);
  description.parent_uuid = parent_of(trace_.tracks[index_of(track_id)]);
  description.name = std::move(name);
  description.is_counter = true;
  return description;
}

std::uint64_t TrackTree::parent_of(const trace::Track& track) const {
  return has_device(track) ? device_uuids_[index_of(track.device)]
                           : process_uuids_[index_of(track.process)];
}

std::string TrackTree::name_of_track(const trace::Track& track) const {
  if (track.name != kEmptyString) return std::string(trace_.text(track.name));
  const std::string_view kind = track.side == trace::Track::Side::kDevice ? "stream " : "thread ";
  return std::string(kind).append(trace_.text(track.id.text));
}

bool TrackTree::has_device(const trace::Track& track) const {
  return track.side == trace::Track::Side::kDevice &&
         index_of(track.device) < trace_.devices.size();
}

}  // namespace lockstep::formats::perfetto
