// Which processes of a file are which rank, where a tool has merged the files of several ranks.
//
// Tools keep ranks apart in five ways, all of which are known here: a label in the process id
// ("[TP03] 4711", "rank3_4711", "3:4711", "4711_3"); the name of the process ("RANK 3 - GPU"); one
// process for all that a rank has, host and device; a constant that moves the numbers of a rank
// (3 * 100,000,000 + 4711); and numbers that take turns (4711 * ranks + 3).
//
// A wrong split is worse than none. Where what a file says of its processes does not fit together,
// or leaves one of them open, the file stays one rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::formats::chrome_json {

struct ProcessFacts {
  std::string_view pid;
  std::vector<std::string_view> names = {};  // all that it was given, labels too
  bool has_host = false;                     // events on threads
  bool has_device = false;
  bool launches = false;  // has calls of a device's interface
  // The number that the profiler gave it, where something other than its id still tells: the device
  // of its kernels, or the place that Kineto gives a process among others.
  std::optional<std::int64_t> device = {};
  std::optional<std::int64_t> process = {};

  [[nodiscard]] bool has_events() const { return has_host || has_device; }
};

struct RankPlan {
  std::vector<std::optional<std::int64_t>> numbers;  // by rank; empty when the file is one rank
  std::vector<std::size_t> rank_of;                  // by process, in `numbers`
  std::vector<std::string> own_ids;                  // by process: its id without its rank
  bool is_unclear = false;  // it must be several ranks, and nothing tells which is which

  [[nodiscard]] bool is_merged() const { return numbers.size() > 1; }
};

// A process that launched what another, a device, ran; both by their places.
struct LaunchBond {
  std::size_t host = 0;
  std::size_t device = 0;
};
// Only asked where ids and names of processes say that there are several ranks.
using BondsOfFile = std::function<std::vector<LaunchBond>()>;
// The processes, by their places, that did what another did too: marked the same step, or ran
// operators of the same ids. Only asked where ids of threads alone may be those of several ranks.
using RepeatsOfFile = std::function<std::vector<std::size_t>()>;

// The ranks in the order of their numbers. Processes that no rank owns ("Spans") go to the first.
[[nodiscard]] RankPlan plan_ranks(std::span<const ProcessFacts> processes, const BondsOfFile& bonds,
                                  const RepeatsOfFile& repeats);

}  // namespace lockstep::formats::chrome_json
