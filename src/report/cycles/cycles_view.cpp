// Choosing and naming.
#include "report/cycles/cycles_view.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "report/layout/quantities.h"
#include "report/layout/text_width.h"

namespace lockstep::report::cycles {
namespace {

constexpr std::uint64_t kMinPercentOfParent = 5;
constexpr std::size_t kFewIterations = 2;
// One kernel again and again is no loop that anybody looks for.
constexpr std::uint32_t kFewestKernelsOfALoop = 2;
constexpr std::size_t kMaxIdWidth = 40;

WideTime total_wall(const analysis::cycles::Loop& loop) {
  WideTime total = 0;
  for (const analysis::cycles::IterationTime& iteration : loop.iterations)
    total += iteration.wall.ps;
  return total;
}

// A loop that somebody has a name for is worth a line at the top however short the rest makes it
// look: the layers of one prefill before a thousand decode passes.
bool has_name(const analysis::cycles::Loop& loop) {
  return loop.role != analysis::cycles::LoopRole::kInner &&
         loop.role != analysis::cycles::LoopRole::kUnknown;
}

bool is_minor(const analysis::cycles::StreamCycles& stream, std::size_t i) {
  const analysis::cycles::NestLoop& loop = stream.nest.loops[i];
  if (loop.period < kFewestKernelsOfALoop) return true;
  if (loop.instances.empty() || loop.instances.front().iterations.size() <= kFewIterations) {
    return true;
  }
  if (loop.parent == analysis::cycles::kNoLoop && has_name(stream.loops[i])) return false;
  const std::uint64_t around =
      loop.parent == analysis::cycles::kNoLoop
          ? stream.stream.size()
          : kernels_in(stream.nest.loops[static_cast<std::size_t>(loop.parent)]);
  return kernels_in(loop) * 100 < around * kMinPercentOfParent;
}

std::string shown_id(const std::string& id) {
  return layout::shorten_middle(one_line(id), kMaxIdWidth);
}

}  // namespace

std::uint64_t kernels_in(const analysis::cycles::NestLoop& loop) {
  std::uint64_t kernels = 0;
  for (const analysis::cycles::LoopInstance& instance : loop.instances) {
    for (const analysis::cycles::Iteration& iteration : instance.iterations)
      kernels += iteration.size();
  }
  return kernels;
}

bool holds_passes_by_chance(const analysis::cycles::StreamCycles& stream, std::size_t i) {
  if (stream.loops[i].role != analysis::cycles::LoopRole::kUnknown) return false;
  const analysis::cycles::LoopInstance& instance = stream.nest.loops[i].instances.front();
  const analysis::cycles::Iteration whole{instance.start(), instance.end()};
  return std::ranges::any_of(stream.families, [&](const analysis::cycles::PassFamily& family) {
    std::size_t inside = 0;
    for (const analysis::cycles::PassClass& one : family.classes) {
      inside += static_cast<std::size_t>(std::ranges::count_if(one.passes, [&](const auto& pass) {
        return pass.start >= whole.start && pass.end <= whole.end;
      }));
    }
    return inside > 1;
  });
}

std::optional<std::size_t> main_loop(const analysis::cycles::StreamCycles& stream) {
  if (stream.selected) return *stream.selected;
  std::optional<std::size_t> best;
  WideTime longest = -1;
  for (std::size_t i = 0; i < stream.loops.size(); ++i) {
    if (stream.nest.loops[i].parent != analysis::cycles::kNoLoop) continue;
    if (stream.nest.loops[i].period < kFewestKernelsOfALoop) continue;
    if (holds_passes_by_chance(stream, i)) continue;
    const WideTime wall = total_wall(stream.loops[i]);
    if (wall <= longest) continue;
    longest = wall;
    best = i;
  }
  return best;
}

std::optional<std::size_t> main_child(const analysis::cycles::StreamCycles& stream,
                                      std::size_t loop) {
  const std::uint64_t kernels = kernels_in(stream.nest.loops[loop]);
  for (std::size_t i = loop + 1; i < stream.nest.loops.size(); ++i) {
    const analysis::cycles::NestLoop& child = stream.nest.loops[i];
    if (child.parent == static_cast<std::int32_t>(loop) && 2 * kernels_in(child) >= kernels) {
      return i;
    }
  }
  return std::nullopt;
}

std::vector<std::size_t> shown_loops(const analysis::cycles::StreamCycles& stream, bool show_all) {
  const std::size_t count = stream.loops.size();
  const std::optional<std::size_t> main = main_loop(stream);
  std::vector<bool> is_shown(count, false);
  // From the last to the first: children come after their parent.
  for (std::size_t i = count; i-- > 0;) {
    if (show_all || main == i || !is_minor(stream, i)) is_shown[i] = true;
    const std::int32_t parent = stream.nest.loops[i].parent;
    if (is_shown[i] && parent != analysis::cycles::kNoLoop)
      is_shown[static_cast<std::size_t>(parent)] = true;
  }
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < count; ++i) {
    if (is_shown[i]) shown.push_back(i);
  }
  return shown;
}

std::vector<std::size_t> shown_streams(const analysis::cycles::Cycles& cycles, bool show_all) {
  std::vector<std::size_t> order(cycles.streams.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::size_t i) { return cycles.streams[i].stream.size(); });
  if (!show_all && order.size() > kMaxShownStreams) order.resize(kMaxShownStreams);
  return order;
}

std::string stream_words(const analysis::cycles::KernelStream& stream) {
  const std::string rank =
      stream.rank_number ? fmt::format("rank {}, ", *stream.rank_number) : std::string();
  const std::string source =
      stream.is_told_by_rank ? std::string() : fmt::format(" in {}", one_line(stream.source));
  return fmt::format("{}{}{}{}", rank, layout::with_id("stream", shown_id(stream.stream_id)),
                     stream.device_id.empty() ? "" : " of device " + shown_id(stream.device_id),
                     source);
}

std::string loop_words(analysis::cycles::LoopRole role, analysis::cycles::PhaseName phase,
                       std::string_view otherwise) {
  std::string_view noun = role == analysis::cycles::LoopRole::kUnknown ? otherwise : name_of(role);
  if (role == analysis::cycles::LoopRole::kInner) noun = "inner loop";
  // Micro-steps are there in training alone.
  if (role == analysis::cycles::LoopRole::kMicroStep) return "micro-step";
  // A request is a role and a phase: once is enough.
  if (phase == analysis::cycles::PhaseName::kUnknown || name_of(phase) == noun)
    return std::string(noun);
  return fmt::format("{} {}", name_of(phase), noun);
}

std::string loop_words(const analysis::cycles::Loop& loop) {
  return loop_words(loop.role, loop.phase);
}

std::string border_words(analysis::cycles::BorderEvidence border) {
  switch (border) {
    case analysis::cycles::BorderEvidence::kOnlyChoice:
      return "only fit";
    case analysis::cycles::BorderEvidence::kGap:
      return "longest gap";
    case analysis::cycles::BorderEvidence::kLeftmost:
      return "first repeat";
    case analysis::cycles::BorderEvidence::kAnchor:
      return "anchor kernel";
    default:
      break;
  }
  std::string words(name_of(border));
  std::ranges::replace(words, '_', ' ');
  return words;
}

std::string phase_words(const analysis::cycles::StreamCycles& stream,
                        const analysis::cycles::PhaseSpan& span) {
  const bool is_step =
      span.loop != analysis::cycles::kNoLoop &&
      stream.loops[static_cast<std::size_t>(span.loop)].role == analysis::cycles::LoopRole::kStep;
  if (span.phase != analysis::cycles::PhaseName::kUnknown || !is_step)
    return std::string(name_of(span.phase));
  std::map<analysis::cycles::PhaseName, std::uint32_t> first;  // kernel
  for (std::size_t i = 0; i < stream.nest.loops.size(); ++i) {
    const analysis::cycles::NestLoop& loop = stream.nest.loops[i];
    const analysis::cycles::PhaseName phase = stream.loops[i].phase;
    if (loop.parent != span.loop || phase == analysis::cycles::PhaseName::kUnknown ||
        loop.instances.empty())
      continue;
    const std::uint32_t start = loop.instances.front().start();
    const auto [place, is_new] = first.try_emplace(phase, start);
    if (!is_new) place->second = std::min(place->second, start);
  }
  std::vector<std::pair<std::uint32_t, analysis::cycles::PhaseName>> order;
  for (const auto& [phase, start] : first) order.emplace_back(start, phase);
  std::ranges::sort(order);
  std::vector<std::string_view> names;
  for (const auto& [start, phase] : order) names.push_back(name_of(phase));
  return names.empty() ? "-" : fmt::format("{}", fmt::join(names, " + "));
}

std::string left_out_words(const analysis::cycles::Cycles& cycles) {
  if (cycles.asked_mark_classes == cycles.mark_classes) return {};
  return fmt::format(
      "only the {} of {} names of annotations that last longest were asked where loops begin: "
      "there are too many",
      grouped(cycles.asked_mark_classes), grouped(cycles.mark_classes));
}

std::vector<analysis::cycles::Iteration> outside_of_loops(
    const analysis::cycles::StreamCycles& stream) {
  std::vector<analysis::cycles::Iteration> inside;
  for (const analysis::cycles::NestLoop& loop : stream.nest.loops) {
    if (loop.parent != analysis::cycles::kNoLoop) continue;
    for (const analysis::cycles::LoopInstance& instance : loop.instances) {
      inside.push_back({instance.start(), instance.end()});
    }
  }
  std::ranges::sort(inside, {}, &analysis::cycles::Iteration::start);
  std::vector<analysis::cycles::Iteration> outside;
  std::uint32_t reached = 0;
  const auto end = static_cast<std::uint32_t>(stream.stream.size());
  inside.push_back({end, end});
  for (const analysis::cycles::Iteration& part : inside) {
    if (part.start > reached) outside.push_back({reached, part.start});
    reached = std::max(reached, part.end);
  }
  return outside;
}

Time wall_of(const analysis::cycles::KernelStream& stream, std::uint32_t start, std::uint32_t end) {
  if (start >= end || end > stream.size()) return {};
  const Time last = *std::max_element(stream.ends.begin() + start, stream.ends.begin() + end);
  return last - stream.starts[start];
}

std::vector<Time> pass_walls(const analysis::cycles::KernelStream& stream,
                             const std::vector<analysis::cycles::Iteration>& passes) {
  std::vector<Time> walls;
  for (std::size_t i = 0; i < passes.size(); ++i) {
    const analysis::cycles::Iteration& pass = passes[i];
    const bool goes_on = i + 1 < passes.size() && passes[i + 1].start == pass.end;
    walls.push_back(goes_on ? stream.starts[pass.end] - stream.starts[pass.start]
                            : wall_of(stream, pass.start, pass.end));
  }
  return walls;
}

std::optional<std::uint64_t> repetition_hundredths(const analysis::cycles::NestLoop& loop) {
  if (!loop.is_exact || loop.period == 0) return std::nullopt;
  const std::uint64_t scaled = std::uint64_t{loop.run_end - loop.run_start} * 100;
  const std::uint64_t whole = scaled / loop.period;
  const std::uint64_t twice_rest = scaled % loop.period * 2;
  const bool is_up = twice_rest > loop.period || (twice_rest == loop.period && whole % 2 == 1);
  return whole + (is_up ? 1 : 0);
}

}  // namespace lockstep::report::cycles
