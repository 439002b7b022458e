// Reads phases out of annotation names and joins them with kernels through launches.
#include "analysis/cycles/phases/annotation_phases.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <tuple>

#include "trace/steps.h"

namespace lockstep::analysis::cycles {
namespace {

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// Lower case; every word between spaces: "## Forward:emb ##" -> " forward emb ".
std::string as_words(std::string_view name) {
  std::string words = " ";
  for (const char c : name) {
    if (!is_word_character(c)) {
      if (!words.ends_with(' ')) words += ' ';
    } else {
      words += (c >= 'A' && c <= 'Z') ? static_cast<char>(c - 'A' + 'a') : c;
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

const PhaseWindow* window_at(const std::vector<PhaseWindow>& windows, Time time) {
  const auto after = std::ranges::upper_bound(windows, time, {}, &PhaseWindow::start);
  if (after == windows.begin()) return nullptr;
  const PhaseWindow& window = *(after - 1);
  return time < window.end ? &window : nullptr;
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
  const bool decodes = has(" decode ");
  if ((prefills && decodes) || (is_engine_step && has(" mixed "))) return PhaseName::kMixed;
  if (prefills) return PhaseName::kPrefill;
  if (decodes) return PhaseName::kDecode;
  if (has(" zero grad ")) return std::nullopt;
  const bool goes_back = has(" backward ") || has(" bwd ");
  const bool goes_forward = has(" forward ") || has(" fwd ");
  if (goes_back && goes_forward) return std::nullopt;
  if (goes_back) return PhaseName::kBackward;
  if (goes_forward) return PhaseName::kForward;
  return has(" optimizer ") ? std::optional(PhaseName::kOptimizer) : std::nullopt;
}

std::vector<PhaseWindow> innermost(std::vector<PhaseWindow> windows) {
  std::ranges::sort(windows, {}, [](const PhaseWindow& w) {
    return std::tuple(w.start, Time{} - w.end, w.name);
  });
  std::vector<PhaseWindow> result;
  std::vector<PhaseWindow> open;
  Time done;
  const auto emit = [&](const PhaseWindow& window, Time end) {
    if (done < end) result.push_back({done, end, window.phase, window.name});
    done = std::max(done, end);
  };
  const auto close_until = [&](Time time) {
    while (!open.empty() && open.back().end <= time) {
      emit(open.back(), open.back().end);
      open.pop_back();
    }
  };
  for (const PhaseWindow& window : windows) {
    if (result.empty() && open.empty()) done = window.start;
    close_until(window.start);
    const bool keeps_outer =
        !open.empty() && is_inference(open.back().phase) && !is_inference(window.phase);
    if (keeps_outer) continue;
    if (!open.empty()) emit(open.back(), window.start);
    done = std::max(done, window.start);
    open.push_back(window);
  }
  while (!open.empty()) {
    emit(open.back(), open.back().end);
    open.pop_back();
  }
  return result;
}

AnnotationPhases::AnnotationPhases(const trace::Trace& trace) : trace_(trace) {
  collect();
  for (const auto& [rank, windows] : by_rank_) {
    const auto agrees = [&](const PhaseWindow& w) { return w.phase == windows.front().phase; };
    if (is_inference(windows.front().phase) && std::ranges::all_of(windows, agrees)) {
      only_[rank] = windows.front();
    }
  }
  for (auto& [thread, windows] : by_thread_) windows = innermost(std::move(windows));
  for (auto& [rank, windows] : by_rank_) windows = innermost(std::move(windows));
  for (auto& [device, windows] : on_device_) windows = innermost(std::move(windows));
}

void AnnotationPhases::collect() {
  std::map<StringId, std::optional<PhaseName>> known;
  const auto phase_of = [&](StringId name) {
    const auto [found, is_new] = known.try_emplace(name);
    if (is_new) found->second = annotated_phase(trace_.text(name));
    return found->second;
  };
  const trace::EventTable& events = trace_.events;
  const std::optional<StringId> own = trace_.strings.find(trace::kOwnAnnotationCategory);
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events.kind[i] != trace::Kind::kAnnotation || events.shape[i] != trace::Shape::kSpan)
      continue;
    if (own && events.category[i] == *own) continue;
    const auto phase = phase_of(events.name[i]);
    if (!phase) continue;
    const PhaseWindow window{events.start[i], events.end(i), *phase, events.name[i]};
    const trace::Track& track = trace_.track_of(i);
    if (track.side == trace::Track::Side::kDevice) {
      on_device_[track.device].push_back(window);
    } else {
      by_thread_[events.track[i]].push_back(window);
      by_rank_[trace_.rank_of(track)].push_back(window);
    }
  }
  for (const trace::Step& step : trace_.steps) {
    steps_[step.rank].push_back(step);
    const auto phase = phase_of(step.name);
    if (phase) by_rank_[step.rank].push_back({step.start, step.end, *phase, step.name});
  }
  for (auto& [rank, steps] : steps_) std::ranges::stable_sort(steps, {}, &trace::Step::start);
}

bool AnnotationPhases::has_any(const KernelStream& stream) const {
  return by_rank_.contains(stream.rank) || on_device_.contains(stream.device);
}

const PhaseWindow* AnnotationPhases::of(const KernelStream& stream, std::size_t i) const {
  const auto look_up = [](const auto& windows, auto key, Time time) -> const PhaseWindow* {
    const auto found = windows.find(key);
    return found == windows.end() ? nullptr : window_at(found->second, time);
  };
  const trace::EventId call = stream.launched_by[i];
  if (call == trace::kNoEvent) return look_up(on_device_, stream.device, stream.starts[i]);
  const Time launch = trace_.events.start[trace::index_of(call)];
  const PhaseWindow* const own =
      look_up(by_thread_, trace_.events.track[trace::index_of(call)], launch);
  return own != nullptr ? own : look_up(by_rank_, stream.rank, launch);
}

std::span<const trace::Step> AnnotationPhases::steps_of(trace::RankId rank) const {
  const auto found = steps_.find(rank);
  return found == steps_.end() ? std::span<const trace::Step>()
                               : std::span<const trace::Step>(found->second);
}

const PhaseWindow* AnnotationPhases::only_phase(const KernelStream& stream) const {
  const auto found = only_.find(stream.rank);
  return found == only_.end() ? nullptr : &found->second;
}

}  // namespace lockstep::analysis::cycles
