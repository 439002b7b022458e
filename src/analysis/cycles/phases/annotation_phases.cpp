// Reads phases out of annotation names and joins them with kernels through launches.
#include "analysis/cycles/phases/annotation_phases.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "base/letters.h"
#include "trace/host/annotations.h"

namespace lockstep::analysis::cycles {
namespace {

// Lower case; every word between spaces: "## Forward:emb ##" -> " forward emb ".
std::string as_words(std::string_view name) {
  std::string words = " ";
  for (const char c : name) {
    if (is_letter(c) || is_digit(c)) {
      words += small_letter(c);
    } else if (!words.ends_with(' ')) {
      words += ' ';
    }
  }
  if (!words.ends_with(' ')) words += ' ';
  return words;
}

// The number after `key`: 9 for "context_" in "execute_8192_context_9(...)".
std::optional<std::uint64_t> number_after(std::string_view name, std::string_view key) {
  const std::size_t at = name.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = name.substr(at + key.size());
  std::uint64_t value = 0;
  const auto result = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (result.ec != std::errc()) return std::nullopt;
  return value;
}

bool is_inference(PhaseName phase) {
  return phase == PhaseName::kPrefill || phase == PhaseName::kDecode || phase == PhaseName::kMixed;
}

// The annotations that name phases, by where they count.
struct FoundWindows {
  std::map<trace::TrackId, std::vector<PhaseWindow>> by_thread;
  std::map<trace::RankId, std::vector<PhaseWindow>> by_rank;
  std::map<trace::DeviceId, std::vector<PhaseWindow>> on_device;
};

FoundWindows find_windows(const trace::Trace& trace) {
  std::map<StringId, std::optional<PhaseName>> known;
  const auto phase_of = [&](StringId name) {
    const auto [found, is_new] = known.try_emplace(name);
    if (is_new) found->second = annotated_phase(trace.text(name));
    return found->second;
  };
  const trace::EventTable& events = trace.events;
  FoundWindows found;
  for (const trace::EventId event : trace::annotations_of(trace)) {
    const std::size_t i = trace::index_of(event);
    const auto phase = phase_of(events.name[i]);
    if (!phase) continue;
    const PhaseWindow window{events.start[i], events.end(i), {events.name[i], *phase}};
    const trace::Track& track = trace.track_of(i);
    if (track.side == trace::Track::Side::kDevice) {
      found.on_device[track.device].push_back(window);
    } else {
      found.by_thread[events.track[i]].push_back(window);
      found.by_rank[trace.rank_of(track)].push_back(window);
    }
  }
  for (const trace::Step& step : trace.steps) {
    const auto phase = phase_of(step.name);
    if (phase) found.by_rank[step.rank].push_back({step.start, step.end, {step.name, *phase}});
  }
  return found;
}

template <typename Id>
std::map<Id, trace::WindowIndex<NamedPhase>> indexed(
    std::map<Id, std::vector<PhaseWindow>>& found) {
  std::map<Id, trace::WindowIndex<NamedPhase>> indices;
  for (auto& [id, windows] : found) indices.try_emplace(id, telling(std::move(windows)));
  return indices;
}

// Pictures, sounds and texts are decoded as well, by no phase of a model that writes words.
bool is_of_media(std::string_view words) {
  static constexpr std::array<std::string_view, 12> kMedia = {
      " vae ",   " latent ", " latents ", " image ", " images ",    " video ",
      " audio ", " frame ",  " jpeg ",    " png ",   " tokenizer ", " first stage "};
  return std::ranges::any_of(kMedia, [&](std::string_view word) { return words.contains(word); });
}

}  // namespace

std::optional<PhaseName> annotated_phase(std::string_view name) {
  const auto context = number_after(name, "context_");
  const auto generation = number_after(name, "generation_");
  if (context && generation) {
    if (*context > 0 && *generation > 0) return PhaseName::kMixed;
    if (*context > 0) return PhaseName::kPrefill;
    return *generation > 0 ? std::optional(PhaseName::kDecode) : std::nullopt;
  }
  const std::string words = as_words(name);
  const auto has = [&](std::string_view word) { return words.contains(word); };
  const bool is_engine_step = words.starts_with(" step ") && name.contains('[');
  const bool prefills = has(" prefill ") || (is_engine_step && has(" extend "));
  const bool decodes = has(" decode ") && !is_of_media(words);
  if ((prefills && decodes) || (is_engine_step && has(" mixed "))) return PhaseName::kMixed;
  if (prefills) return PhaseName::kPrefill;
  if (decodes) return PhaseName::kDecode;
  if (has(" zero grad ")) return std::nullopt;
  const bool goes_back = has(" backward ") || has(" bwd ");
  const bool goes_forward = has(" forward ") || has(" fwd ");
  if (goes_back && goes_forward) return std::nullopt;
  if (goes_back) return PhaseName::kBackward;
  if (goes_forward) return PhaseName::kForward;
  if (has(" encoder ") || has(" encode ")) return PhaseName::kEncoder;
  return has(" optimizer ") ? std::optional(PhaseName::kOptimizer) : std::nullopt;
}

std::vector<PhaseWindow> telling(std::vector<PhaseWindow> windows) {
  std::sort(windows.begin(), windows.end());
  std::vector<PhaseWindow> kept;
  Time inference_end{std::numeric_limits<std::int64_t>::min()};
  for (const PhaseWindow& window : windows) {
    if (is_inference(window.item.phase)) {
      inference_end = std::max(inference_end, window.end);
    } else if (window.start < inference_end) {
      continue;
    }
    kept.push_back(window);
  }
  return kept;
}

AnnotationPhases::AnnotationPhases(const trace::Trace& trace) : trace_(trace) {
  FoundWindows found = find_windows(trace);
  for (const auto& [rank, windows] : found.by_rank) {
    const NamedPhase& first = windows.front().item;
    const auto updates = [](const PhaseWindow& w) { return w.item.phase == PhaseName::kOptimizer; };
    if (std::ranges::any_of(windows, updates)) optimizers_.insert(rank);
    const auto agrees = [&](const PhaseWindow& w) { return w.item.phase == first.phase; };
    if (is_inference(first.phase) && std::ranges::all_of(windows, agrees)) only_[rank] = first;
  }
  by_thread_ = indexed(found.by_thread);
  by_rank_ = indexed(found.by_rank);
  on_device_ = indexed(found.on_device);
  for (const trace::Step& step : trace.steps) steps_[step.rank].push_back(step);
  for (auto& [rank, steps] : steps_) std::ranges::stable_sort(steps, {}, &trace::Step::start);
}

bool AnnotationPhases::has_any(const KernelStream& stream) const {
  return by_rank_.contains(stream.rank) || on_device_.contains(stream.device);
}

const NamedPhase* AnnotationPhases::of(const KernelStream& stream, std::size_t i) const {
  const auto look_up = [](const auto& windows, auto key, Time time) -> const NamedPhase* {
    const auto found = windows.find(key);
    if (found == windows.end()) return nullptr;
    const PhaseWindow* const innermost = found->second.innermost_at(time);
    return innermost == nullptr ? nullptr : &innermost->item;
  };
  const trace::EventId call = stream.launched_by[i];
  if (call == trace::kNoEvent) return look_up(on_device_, stream.device, stream.starts[i]);
  const Time launch = trace_.events.start[trace::index_of(call)];
  const NamedPhase* const own =
      look_up(by_thread_, trace_.events.track[trace::index_of(call)], launch);
  return own != nullptr ? own : look_up(by_rank_, stream.rank, launch);
}

std::span<const trace::Step> AnnotationPhases::steps_of(trace::RankId rank) const {
  const auto found = steps_.find(rank);
  return found == steps_.end() ? std::span<const trace::Step>()
                               : std::span<const trace::Step>(found->second);
}

const NamedPhase* AnnotationPhases::only_phase(const KernelStream& stream) const {
  const auto found = only_.find(stream.rank);
  return found == only_.end() ? nullptr : &found->second;
}

}  // namespace lockstep::analysis::cycles
