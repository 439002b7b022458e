// Finding, making and naming of lanes.
#include "formats/nsys_sqlite/nsys_lanes.h"

#include <set>
#include <string>

#include <fmt/format.h>

namespace lockstep::formats::nsys_sqlite {
namespace {

constexpr std::int64_t kThreadMask = 0xFF'FFFF;

std::int64_t without_thread(std::int64_t global_id) { return global_id & ~kThreadMask; }
std::int64_t pid_of(std::int64_t global_id) { return (global_id >> 24) & kThreadMask; }

std::uint64_t gpu_key(std::int64_t pid, std::int64_t cuda_number) {
  return (static_cast<std::uint64_t>(pid) << 32) | static_cast<std::uint32_t>(cuda_number);
}

std::uint64_t mixed(std::uint64_t hash, std::int64_t value) {
  hash ^= static_cast<std::uint64_t>(value);
  hash *= 0x9E37'79B9'7F4A'7C15U;
  return hash ^ (hash >> 29);
}

}  // namespace

std::size_t NsysLanes::KeyHash::operator()(const StreamKey& key) const {
  return mixed(mixed(mixed(mixed(0, key.global_pid), key.device), key.context), key.stream);
}

NsysLanes::NsysLanes(sqlite::SqliteFile& file, shared::RankBuilder& builder)
    : file_(file), builder_(builder) {
  sqlite::SqliteScan scan = file.scan("TARGET_INFO_CUDA_DEVICE", {"pid", "cudaId", "gpuId"});
  while (scan.next()) {
    if (scan.is_null(2)) continue;
    gpus_.try_emplace(gpu_key(scan.integer(0), scan.integer(1)), scan.integer(2));
  }
}

trace::ProcessId NsysLanes::process(std::int64_t global_id) {
  const std::int64_t own = without_thread(global_id);
  const auto known = processes_.find(own);
  if (known != processes_.end()) return known->second;
  const std::int64_t pid = pid_of(own);
  // Reports of several machines may have a pid twice.
  const bool is_first = owners_.try_emplace(pid, own).second;
  const std::string id = is_first ? std::to_string(pid) : fmt::format("{}@{}", pid, own >> 48);
  return processes_.emplace(own, builder_.process(id)).first->second;
}

trace::TrackId NsysLanes::thread(std::int64_t global_tid) {
  const auto known = threads_.find(global_tid);
  if (known != threads_.end()) return known->second;
  const trace::TrackId made =
      builder_.host_thread(process(global_tid), std::to_string(global_tid & kThreadMask));
  threads_.emplace(global_tid, made);
  return made;
}

trace::DeviceId NsysLanes::device(const StreamKey& key) {
  const auto gpu = gpus_.find(gpu_key(pid_of(key.global_pid), key.device));
  return builder_.device(std::to_string(gpu == gpus_.end() ? key.device : gpu->second));
}

trace::TrackId NsysLanes::stream(const StreamKey& key) {
  if (has_last_ && key == last_key_) return last_stream_;
  const auto known = streams_.find(key);
  last_stream_ = known != streams_.end() ? known->second : make_stream(key);
  last_key_ = key;
  has_last_ = true;
  return last_stream_;
}

trace::TrackId NsysLanes::make_stream(const StreamKey& key) {
  const trace::ProcessId process_id = process(key.global_pid);
  const trace::DeviceId device_id = device(key);
  context_devices_.try_emplace({key.global_pid, 0, key.context, 0}, key.device);
  const StreamKey without_context{key.global_pid, key.device, 0, key.stream};
  const auto [first, is_first] = first_contexts_.try_emplace(without_context);
  if (!is_first) first->second.is_shared = true;
  const std::string id = is_first ? std::to_string(key.stream)
                                  : fmt::format("{} (context {})", key.stream, key.context);
  const trace::TrackId made = builder_.stream(process_id, device_id, id);
  builder_.at(made).name = builder_.intern("stream " + id);
  if (is_first) first->second = {made, key.context, key.stream, false};
  streams_.emplace(key, made);
  return made;
}

trace::TrackId NsysLanes::stream_of_context(StreamKey key) {
  const auto known = context_devices_.find({key.global_pid, 0, key.context, 0});
  if (known != context_devices_.end()) key.device = known->second;
  return stream(key);
}

void NsysLanes::name_thread(std::int64_t global_tid, StringId name) {
  const auto known = threads_.find(global_tid);
  if (known != threads_.end()) builder_.at(known->second).name = name;
}

void NsysLanes::set_mpi_rank(std::int64_t global_id, std::int64_t rank) {
  mpi_ranks_.try_emplace(without_thread(global_id), rank);
}

void NsysLanes::number_mpi_rank() {
  sqlite::SqliteScan scan = file_.scan("MPI_RANKS", {"globalTid", "rank"});
  while (scan.next()) {
    if (!scan.is_null(1)) set_mpi_rank(scan.integer(0), scan.integer(1));
  }
  std::set<std::int64_t> ranks;
  for (const auto& [process, rank] : mpi_ranks_) {
    ranks.insert(rank);
    const auto known = processes_.find(process);
    if (known == processes_.end()) continue;
    builder_.at(known->second).labels = builder_.intern("MPI rank " + std::to_string(rank));
  }
  if (ranks.size() != 1 || *ranks.begin() < 0) return;
  builder_.rank().number = *ranks.begin();
  builder_.rank().number_from = trace::RankEvidence::kMetadata;
}

void NsysLanes::name_devices() {
  std::unordered_map<std::string, std::string> names;
  sqlite::SqliteScan scan = file_.scan("TARGET_INFO_GPU", {"id", "cuDevice", "name"});
  while (scan.next()) {
    // Where processes are not mapped to GPUs, rows count GPUs as CUDA does.
    const bool counts_as_cuda = gpus_.empty() && !scan.is_null(1);
    names.try_emplace(std::to_string(scan.integer(counts_as_cuda ? 1 : 0)), scan.text(2));
  }
  for (trace::Device& device : builder_.trace().devices) {
    if (device.rank != builder_.rank_id()) continue;
    auto name = names.find(std::string(builder_.trace().text(device.id)));
    // One name is that of every device, whatever numbers the events go by.
    if (name == names.end() && names.size() == 1) name = names.begin();
    if (name != names.end()) device.name = builder_.intern(name->second);
  }
}

void NsysLanes::finish(sqlite::SqliteStrings& strings) {
  sqlite::SqliteScan processes = file_.scan("PROCESSES", {"globalPid", "name"});
  while (processes.next()) {
    const auto known = processes_.find(without_thread(processes.integer(0)));
    if (known == processes_.end() || processes.is_null(1)) continue;
    builder_.at(known->second).name = builder_.intern(processes.text(1));
  }
  sqlite::SqliteScan threads = file_.scan("ThreadNames", {"globalTid", "nameId"});
  while (threads.next()) {
    const auto known = threads_.find(threads.integer(0));
    // A name that the user gave counts more than the system's.
    if (known == threads_.end() || builder_.at(known->second).name != kEmptyString) continue;
    const auto name = strings.find(threads.integer(1, -1));
    if (name) builder_.at(known->second).name = *name;
  }
  for (const auto& [key, first] : first_contexts_) {
    if (!first.is_shared) continue;
    trace::Track& track = builder_.at(first.track);
    const std::string id = fmt::format("{} (context {})", first.number, first.context);
    track.id = {builder_.intern(id), false};
    track.name = builder_.intern("stream " + id);
  }
  number_mpi_rank();
  name_devices();
}

}  // namespace lockstep::formats::nsys_sqlite
