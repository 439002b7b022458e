// A sweep over starts and ends, and sums over its stretches.
#include "analysis/breakdown/breakdown.h"

#include <algorithm>
#include <optional>
#include <queue>

#include "algo/statistics/largest_remainder.h"

namespace lockstep::analysis::breakdown {
namespace {

// By part; what has none is no kernel.
constexpr std::array<std::optional<kernels::KernelRole>, kPartCount> kRoles = {
    kernels::KernelRole::kGemm,
    kernels::KernelRole::kExpertGemm,
    kernels::KernelRole::kConvolution,
    kernels::KernelRole::kAttention,
    kernels::KernelRole::kNorm,
    kernels::KernelRole::kRope,
    kernels::KernelRole::kActivation,
    kernels::KernelRole::kMoeRouting,
    kernels::KernelRole::kOptimizer,
    kernels::KernelRole::kSampling,
    kernels::KernelRole::kReduction,
    kernels::KernelRole::kElementwise,
    kernels::KernelRole::kCopy,
    kernels::KernelRole::kOther,
    kernels::KernelRole::kCommunication,
    std::nullopt,
    std::nullopt};

std::uint32_t bit_of(Part part) { return 1U << index_of(part); }

// How many spans of each part run.
class RunningParts {
 public:
  void begin(Part part) {
    if (counts_[index_of(part)]++ == 0) parts_ |= bit_of(part);
  }
  void end(Part part) {
    if (--counts_[index_of(part)] == 0) parts_ &= ~bit_of(part);
  }
  [[nodiscard]] std::uint32_t parts() const { return parts_; }

 private:
  std::array<std::uint32_t, kPartCount> counts_{};
  std::uint32_t parts_ = 0;
};

struct EndsLater {
  bool operator()(const std::pair<Time, Part>& a, const std::pair<Time, Part>& b) const {
    return a.first > b.first;
  }
};

// What a name says, asked once a name.
class PartsOfNames {
 public:
  explicit PartsOfNames(const trace::Trace& trace) : trace_(trace), known_(trace.strings.size()) {}

  Part of_event(std::size_t event) {
    const trace::Kind kind = trace_.events.kind[event];
    if (!trace::is_kernel(kind)) return Part::kMemcpy;
    if (kind == trace::Kind::kCommunication) return Part::kCommunication;
    const StringId name = trace_.events.name[event];
    std::optional<Part>& part = known_[static_cast<std::size_t>(name)];
    if (!part) part = part_of(kernels::kernel_facts(trace_.text(name)).role);
    return *part;
  }

 private:
  const trace::Trace& trace_;
  std::vector<std::optional<Part>> known_;
};

}  // namespace

std::string_view name_of(Part part) {
  if (part == Part::kMemcpy) return "memcpy";
  if (part == Part::kIdle) return "idle";
  return kernels::name_of(*kRoles[index_of(part)]);
}

Part part_of(kernels::KernelRole role) {
  const auto* found = std::ranges::find(kRoles, role);
  return static_cast<Part>(found - kRoles.begin());
}

void Breakdown::add(const Breakdown& other) {
  windows += other.windows;
  wall += other.wall;
  for (std::size_t i = 0; i < kPartCount; ++i) {
    parts[i].elapsed += other.parts[i].elapsed;
    parts[i].running += other.parts[i].running;
  }
}

std::array<std::int64_t, kPartCount> mean_ns(const Breakdown& breakdown) {
  std::array<std::int64_t, kPartCount> means{};
  if (breakdown.windows == 0) return means;
  std::array<WideTime, kPartCount> sums{};
  for (std::size_t i = 0; i < kPartCount; ++i) sums[i] = breakdown.parts[i].elapsed;
  const std::vector<std::int64_t> rounded = algo::round_to_sum(
      sums, static_cast<WideTime>(breakdown.windows) * kPicosecondsPerNanosecond);
  std::ranges::copy(rounded, means.begin());
  return means;
}

Occupancy::Occupancy(std::vector<PartSpan> spans) {
  std::erase_if(spans, [](const PartSpan& span) { return span.end <= span.start; });
  if (!std::ranges::is_sorted(spans, {}, &PartSpan::start))
    std::ranges::sort(spans, {}, &PartSpan::start);
  std::priority_queue<std::pair<Time, Part>, std::vector<std::pair<Time, Part>>, EndsLater> ends;
  RunningParts running;
  const auto end_first = [&] {
    running.end(ends.top().second);
    begin_at(ends.top().first, running.parts());
    ends.pop();
  };
  for (const PartSpan& span : spans) {
    while (!ends.empty() && ends.top().first <= span.start) end_first();
    running.begin(span.part);
    begin_at(span.start, running.parts());
    ends.emplace(span.end, span.part);
  }
  while (!ends.empty()) end_first();
}

void Occupancy::begin_at(Time time, PartSet running) {
  if (!starts_.empty() && starts_.back() == time) {
    running_.back() = running;
  } else {
    starts_.push_back(time);
    running_.push_back(running);
  }
  // What went on unchanged is one stretch.
  const std::size_t count = running_.size();
  const PartSet before = count > 1 ? running_[count - 2] : 0;
  if (running_.back() != before) return;
  starts_.pop_back();
  running_.pop_back();
}

template <typename Use>
void Occupancy::walk(const Window& window, Use use) const {
  if (window.end <= window.start) return;
  const auto after = std::ranges::upper_bound(starts_, window.start);
  auto next = static_cast<std::size_t>(after - starts_.begin());
  Time reached = window.start;
  while (reached < window.end) {
    const Time until = next < starts_.size() ? std::min(starts_[next], window.end) : window.end;
    use(until - reached, next == 0 ? PartSet{0} : running_[next - 1]);
    reached = until;
    ++next;
  }
}

Breakdown Occupancy::over(std::span<const Window> windows) const {
  Breakdown sums;
  sums.windows = windows.size();
  for (const Window& window : windows) {
    walk(window, [&](Time length, PartSet running) {
      sums.wall += length.ps;
      const PartSet all = running == 0 ? bit_of(Part::kIdle) : running;
      sums.parts[static_cast<std::size_t>(std::countr_zero(all))].elapsed += length.ps;
      for (PartSet rest = all; rest != 0; rest &= rest - 1) {
        sums.parts[static_cast<std::size_t>(std::countr_zero(rest))].running += length.ps;
      }
    });
  }
  return sums;
}

std::vector<Time> Occupancy::idle_stretches(std::span<const Window> windows) const {
  std::vector<Time> stretches;
  for (const Window& window : windows) {
    walk(window, [&](Time length, PartSet running) {
      if (running == 0) stretches.push_back(length);
    });
  }
  return stretches;
}

DeviceOccupancy::DeviceOccupancy(const trace::Trace& trace) {
  std::map<std::pair<trace::RankId, trace::DeviceId>, std::vector<PartSpan>> spans;
  std::vector<std::vector<PartSpan>*> of_track(trace.tracks.size(), nullptr);
  for (std::size_t t = 0; t < trace.tracks.size(); ++t) {
    const trace::Track& track = trace.tracks[t];
    if (track.side != trace::Track::Side::kDevice) continue;
    of_track[t] = &spans[{trace.rank_of(track), track.device}];
  }
  PartsOfNames parts(trace);
  const trace::EventTable& events = trace.events;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (!trace::is_device_work(events.kind[i]) || events.shape[i] != trace::Shape::kSpan) continue;
    std::vector<PartSpan>* device = of_track[trace::index_of(events.track[i])];
    if (device == nullptr) continue;
    device->push_back({events.start[i], events.end(i), parts.of_event(i)});
  }
  for (auto& [place, of_device] : spans) devices_.try_emplace(place, std::move(of_device));
}

const Occupancy& DeviceOccupancy::of(trace::RankId rank, trace::DeviceId device) const {
  const auto found = devices_.find({rank, device});
  return found == devices_.end() ? nothing_ : found->second;
}

}  // namespace lockstep::analysis::breakdown
