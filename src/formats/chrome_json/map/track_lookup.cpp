// Tracks by file ids.
#include "formats/chrome_json/map/track_lookup.h"

#include "formats/chrome_json/scan/json_text.h"
#include "formats/chrome_json/scan/value_walk.h"

namespace lockstep::formats::chrome_json {

namespace {

// An id of at most seven characters as one number; longer ids are looked up the long way.
std::optional<std::uint64_t> packed(std::string_view id) {
  if (id.size() > 7) return std::nullopt;
  std::uint64_t value = id.size();
  for (const char c : id) value = (value << 8) | static_cast<unsigned char>(c);
  return value;
}

}  // namespace

// The slot for these ids; its value is theirs when it is valid.
TrackLookup::Recent* TrackLookup::recent(const Token& pid, const Token& tid, Sort sort) {
  const auto p = packed(pid.text());
  const auto t = packed(tid.text());
  if (!p || !t) return nullptr;
  const std::uint64_t slot = *p * 3 + *t + static_cast<std::uint64_t>(sort) * 5;
  Recent& entry = recent_[slot % recent_.size()];
  if (entry.pid != *p || entry.tid != *t || entry.sort != sort) entry = {*p, *t, sort, 0, false};
  return &entry;
}

trace::TrackId TrackLookup::track(const Token& pid, const Token& tid, trace::Track::Side side) {
  Recent* entry = recent(pid, tid, side == trace::Track::Side::kHost ? Sort::kHost : Sort::kDevice);
  if (entry != nullptr && entry->valid) return trace::TrackId{entry->value};
  const trace::TrackId found = find_or_make(pid, tid, side);
  if (entry != nullptr) {
    entry->value = static_cast<std::uint32_t>(found);
    entry->valid = true;
  }
  return found;
}

std::uint32_t TrackLookup::lane(const Token& pid, const Token& tid) {
  Recent* entry = recent(pid, tid, Sort::kLane);
  if (entry != nullptr && entry->valid) return entry->value;
  const std::uint32_t found = lane_of(pid, tid);
  if (entry != nullptr) {
    entry->value = found;
    entry->valid = true;
  }
  return found;
}

std::uint32_t TrackLookup::lane_of(const Token& pid, const Token& tid) {
  const std::uint64_t key = thread_key(process(pid), intern_id(tid));
  const auto next = static_cast<std::uint32_t>(lane_keys_.size());
  const auto [it, is_new] = lanes_.try_emplace(key, next);
  if (is_new) lane_keys_.push_back(key);
  return it->second;
}

std::vector<std::optional<trace::TrackId>> TrackLookup::tracks_of_lanes(
    trace::Track::Side preferred) const {
  const auto first = static_cast<std::size_t>(preferred);
  std::vector<std::optional<trace::TrackId>> tracks(lane_keys_.size());
  for (std::size_t lane = 0; lane < lane_keys_.size(); ++lane) {
    for (const std::size_t side : {1 - first, first}) {  // the preferred one last: it stays
      const auto it = tracks_[side].find(lane_keys_[lane]);
      if (it != tracks_[side].end()) tracks[lane] = it->second;
    }
  }
  return tracks;
}

StringId TrackLookup::intern_id(const Token& id) {
  const bool is_plain = id.text().find('\\') == std::string_view::npos;
  const StringId text =
      is_plain ? trace_.strings.intern(id.text()) : trace_.strings.intern(unescaped(id.text()));
  if (!id.quoted && !is_bare_word(id.text())) broken_ids_.insert(text);
  return text;
}

std::uint64_t TrackLookup::thread_key(trace::ProcessId process, StringId tid) const {
  return (static_cast<std::uint64_t>(process) << 32) | static_cast<std::uint64_t>(tid);
}

trace::TrackId TrackLookup::find_or_make(const Token& pid, const Token& tid,
                                         trace::Track::Side side) {
  const trace::ProcessId owner = process(pid);
  const StringId thread = intern_id(tid);
  auto& known = tracks_[static_cast<std::size_t>(side)];
  const auto [it, is_new] = known.try_emplace(thread_key(owner, thread), trace::TrackId{});
  if (!is_new) return it->second;
  trace::Track track;
  track.process = owner;
  track.side = side;
  track.id = {thread, !tid.quoted && tid.present()};
  if (side == trace::Track::Side::kDevice) {
    track.device = device(trace_.processes[trace::index_of(owner)].id.text);
  }
  it->second = trace::TrackId{static_cast<std::uint32_t>(trace_.tracks.size())};
  trace_.tracks.push_back(track);
  return it->second;
}

trace::TrackId TrackLookup::as_device_track(trace::TrackId host_track) {
  const trace::ProcessId owner = trace_.tracks[trace::index_of(host_track)].process;
  return as_device_track(host_track, device(trace_.processes[trace::index_of(owner)].id.text));
}

trace::TrackId TrackLookup::as_device_track(trace::TrackId host_track, trace::DeviceId device) {
  trace::Track& track = trace_.tracks[trace::index_of(host_track)];
  const std::uint64_t key = thread_key(track.process, track.id.text);
  tracks_[static_cast<std::size_t>(trace::Track::Side::kHost)].erase(key);
  auto& known = tracks_[static_cast<std::size_t>(trace::Track::Side::kDevice)];
  const auto [it, is_new] = known.try_emplace(key, host_track);
  if (is_new) {
    track.side = trace::Track::Side::kDevice;
    track.device = device;
  }
  return it->second;
}

trace::TrackId TrackLookup::move_host_track(trace::TrackId host_track, trace::ProcessId owner) {
  const trace::Track track = trace_.tracks[trace::index_of(host_track)];
  auto& known = tracks_[static_cast<std::size_t>(trace::Track::Side::kHost)];
  const auto next = trace::TrackId{static_cast<std::uint32_t>(trace_.tracks.size())};
  const auto [it, is_new] = known.try_emplace(thread_key(owner, track.id.text), next);
  const trace::TrackId target = it->second;
  if (is_new) {
    trace_.tracks.push_back(track);
    trace_.tracks.back().process = owner;
  }
  known[thread_key(track.process, track.id.text)] = target;
  return target;
}

trace::ProcessId TrackLookup::process_with_id(std::string_view id) {
  return process(Token{id.data(), static_cast<std::uint32_t>(id.size()), false});
}

trace::ProcessId TrackLookup::process(const Token& pid) {
  const StringId id = intern_id(pid);
  const auto [it, is_new] =
      processes_.try_emplace(static_cast<std::uint32_t>(id), trace::ProcessId{});
  if (is_new) {
    it->second = trace::ProcessId{static_cast<std::uint32_t>(trace_.processes.size())};
    trace::Process process;
    process.rank = rank_;
    process.id = {id, !pid.quoted && pid.present()};
    trace_.processes.push_back(process);
  }
  return it->second;
}

trace::DeviceId TrackLookup::device(StringId id) {
  const auto [it, is_new] = devices_.try_emplace(static_cast<std::uint32_t>(id), trace::DeviceId{});
  if (is_new) {
    it->second = trace::DeviceId{static_cast<std::uint32_t>(trace_.devices.size())};
    trace_.devices.push_back({rank_, id, {}});
  }
  return it->second;
}

void TrackLookup::name_process(const Token& pid, std::string_view name) {
  const trace::ProcessId id = process(pid);
  trace_.processes[trace::index_of(id)].name = trace_.strings.intern(name);
}

void TrackLookup::label_process(const Token& pid, std::string_view labels) {
  const trace::ProcessId id = process(pid);
  trace_.processes[trace::index_of(id)].labels = trace_.strings.intern(labels);
}

void TrackLookup::sort_process(const Token& pid, std::int64_t index) {
  trace_.processes[trace::index_of(process(pid))].sort_index = index;
}

void TrackLookup::name_thread(const Token& pid, const Token& tid, std::string_view name) {
  const std::uint64_t key = thread_key(process(pid), intern_id(tid));
  thread_facts_[key].name = trace_.strings.intern(name);
}

void TrackLookup::sort_thread(const Token& pid, const Token& tid, std::int64_t index) {
  thread_facts_[thread_key(process(pid), intern_id(tid))].sort_index = index;
}

void TrackLookup::apply_names() {
  for (const auto& known : tracks_) {
    for (const auto& [key, id] : known) {
      const auto facts = thread_facts_.find(key);
      if (facts == thread_facts_.end()) continue;
      trace_.tracks[trace::index_of(id)].name = facts->second.name;
      trace_.tracks[trace::index_of(id)].sort_index = facts->second.sort_index;
    }
  }
}

}  // namespace lockstep::formats::chrome_json
