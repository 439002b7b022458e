// The trace: what every reader fills and every analysis and writer reads.
//
// A rank has processes; a process has host threads; a rank has devices; a device has streams.
// A Track is one lane of events: a host thread or a device stream. Ids in the file may be numbers
// or strings; they are kept as text (`id`) and named inside by dense strong ids.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/column.h"
#include "base/diagnostics.h"
#include "base/string_pool.h"
#include "base/time.h"
#include "trace/arguments.h"
#include "trace/event_table.h"
#include "trace/kind.h"

namespace lockstep::trace {

enum class RankId : std::uint32_t {};
enum class ProcessId : std::uint32_t {};
enum class DeviceId : std::uint32_t {};
inline constexpr DeviceId kNoDevice{0xFFFF'FFFF};

// A process or thread id as the file wrote it.
struct FileId {
  StringId text{};
  bool is_number = true;  // written without quotes

  friend bool operator==(const FileId&, const FileId&) = default;
};

// A fact of the file that no analysis reads but a writer gives back: "cupti_version": 130001.
struct Metadata {
  std::string key;
  std::string json;  // the value as JSON text
};

// Where the number of a rank comes from.
enum class RankEvidence : std::uint8_t { kNone, kMetadata, kName };
[[nodiscard]] std::string_view name_of(RankEvidence evidence);  // "none", "metadata", "name"

// A part of an input (a file of a directory, a table, a plane) and whether it was used, so that
// people know on which evidence an answer stands and which is missing.
struct SourcePart {
  enum class Use : std::uint8_t { kUsed, kUnused, kMissing };
  Use use = Use::kUsed;
  std::string name;           // "kernel_details.csv", "CUPTI_ACTIVITY_KIND_KERNEL"
  std::uint64_t records = 0;  // rows or events read; 0 where that means nothing
  std::string note;           // what it gave, or what is missing without it
};
[[nodiscard]] std::string_view name_of(SourcePart::Use use);  // "used", "unused", "missing"

// One process group member's view of the run; usually one input file.
struct Rank {
  std::optional<std::int64_t> number;  // unknown when neither file nor name says
  std::string source;                  // the input it came from
  std::string format;                  // "kineto", "chrome", ...
  Origin origin;                       // zero of this rank's times
  std::vector<Metadata> metadata;
  std::vector<SourcePart> parts = {};  // none for formats that are all of one piece
  RankEvidence number_from = RankEvidence::kNone;
};

struct Process {
  RankId rank{};
  FileId id;
  StringId name{};    // "python3"
  StringId labels{};  // "CPU", "GPU 0"
  std::optional<std::int64_t> sort_index;
};

struct Device {
  RankId rank{};
  StringId id{};    // "0"
  StringId name{};  // "NVIDIA H200"; empty when the file does not say
};

struct Track {
  enum class Side : std::uint8_t { kHost, kDevice };
  ProcessId process{};
  Side side = Side::kHost;
  DeviceId device = kNoDevice;  // of a device track
  FileId id;                    // thread or stream
  StringId name{};              // "thread 966 (python3)", "stream 7"
  std::optional<std::int64_t> sort_index;
};

// An arrow from one event to another.
struct Flow {
  enum class Kind : std::uint8_t {
    kLaunch,  // a host call and the device work that it launched
    kOther,   // forward to backward, or whatever else the file connects
  };
  EventId from = kNoEvent;
  EventId to = kNoEvent;
  Kind kind = Kind::kLaunch;
  StringId name{};  // of a kOther flow: the file's category, "fwdbwd"
};

// A window marked by the user: ProfilerStep#3.
struct Step {
  StringId name{};
  RankId rank{};
  Time start;
  Time end;
};

// What is known of one communication event beyond its times.
struct Collective {
  EventId event = kNoEvent;
  StringId op{};     // "all_reduce"
  StringId group{};  // process group; empty when unknown
  StringId dtype{};
  std::optional<std::int64_t> sequence = {};
  std::optional<std::int64_t> elements_in = {};
  std::optional<std::int64_t> elements_out = {};
  std::optional<std::int64_t> bytes = {};
  // How the profiler says that its time was spent, where it does.
  std::optional<Time> transit = {};
  std::optional<Time> wait = {};
  std::optional<Time> idle = {};
};

struct Trace {
  StringPool strings;
  std::vector<Rank> ranks;
  std::vector<Process> processes;
  std::vector<Device> devices;
  std::vector<Track> tracks;
  EventTable events;
  ArgumentTable arguments;
  Column<Flow> flows;
  std::vector<Step> steps;
  std::vector<Collective> collectives;
  Diagnostics diagnostics;

  [[nodiscard]] std::string_view text(StringId id) const { return strings.view(id); }
  [[nodiscard]] const Track& track_of(std::size_t event) const {
    return tracks[index_of(events.track[event])];
  }
  [[nodiscard]] bool on_device(std::size_t event) const {
    return track_of(event).side == Track::Side::kDevice;
  }
  [[nodiscard]] RankId rank_of(const Track& track) const {
    return processes[static_cast<std::size_t>(track.process)].rank;
  }
};

[[nodiscard]] constexpr std::size_t index_of(RankId id) { return static_cast<std::size_t>(id); }
[[nodiscard]] constexpr std::size_t index_of(ProcessId id) { return static_cast<std::size_t>(id); }
[[nodiscard]] constexpr std::size_t index_of(DeviceId id) { return static_cast<std::size_t>(id); }

}  // namespace lockstep::trace
