// Adds up what is alike, then finds words that tell the rest apart.
#include "report/cycles/pass_times.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "analysis/cycles/spans/capture_cut.h"
#include "base/text.h"
#include "report/cycles/cycles_view.h"

namespace lockstep::report::cycles {
namespace {

using analysis::breakdown::Breakdown;
using analysis::cycles::PassClass;
using analysis::cycles::PassFamily;
using analysis::cycles::PhaseSpan;
using analysis::cycles::StreamCycles;

constexpr std::size_t kMaxColumns = 3;
// Of the time of all: passes that take less are not shown.
constexpr WideTime kMinPassPerMille = 10;
// Share of the kernels that a loop must run for its iterations to say where the time of a stream
// goes.
constexpr double kMainLoopShare = 0.5;

// Passes that may be added up: a mean of several families would be the time of no pass.
struct PassSum {
  std::string words;
  std::uint32_t layers = 0;
  std::optional<std::size_t> family;
  std::uint32_t from = 0;  // the first kernel of the first of them
  Breakdown times;

  [[nodiscard]] bool is_like(const PassSum& other) const {
    return words == other.words && layers == other.layers && family == other.family;
  }
};

void add_to(PassSum pass, std::vector<PassSum>& all) {
  const auto known =
      std::ranges::find_if(all, [&](const PassSum& other) { return other.is_like(pass); });
  if (known != all.end()) return known->times.add(pass.times);
  all.push_back(std::move(pass));
}

std::string pass_words(analysis::cycles::PhaseName phase) {
  const bool is_known = phase != analysis::cycles::PhaseName::kUnknown;
  return is_known ? fmt::format("{} pass", name_of(phase)) : "pass";
}

bool repeat_by_chance(const StreamCycles& cycles) {
  return std::ranges::any_of(cycles.phases, [&](const PhaseSpan& span) {
    return span.loop != analysis::cycles::kNoLoop &&
           holds_passes_by_chance(cycles, static_cast<std::size_t>(span.loop));
  });
}

// The family that has the first pass of a stretch.
std::optional<std::size_t> family_of(const StreamCycles& cycles, const PhaseSpan& span) {
  for (std::size_t i = 0; i < cycles.families.size(); ++i) {
    const bool is_there =
        std::ranges::any_of(cycles.families[i].classes, [&](const PassClass& one) {
          return std::ranges::binary_search(one.passes, span.start, {},
                                            &analysis::cycles::Iteration::start);
        });
    if (is_there) return i;
  }
  return std::nullopt;
}

std::vector<PassSum> passes_of_families(const StreamCycles& cycles) {
  std::vector<PassSum> passes;
  for (std::size_t i = 0; i < cycles.families.size(); ++i) {
    const PassFamily& family = cycles.families[i];
    for (const PassClass& one : family.classes) {
      const std::uint32_t from = one.passes.empty() ? 0 : one.passes.front().start;
      add_to({pass_words(one.phase), family.layers, i, from, one.breakdown}, passes);
    }
  }
  return passes;
}

// Loops of passes count with all their iterations, single passes as what they are. Where they come
// in an order that repeats by chance, all passes of a class count together.
std::vector<PassSum> passes_of(const StreamCycles& cycles, bool with_cut_ones) {
  if (repeat_by_chance(cycles)) return passes_of_families(cycles);
  std::vector<PassSum> passes;
  std::set<std::int32_t> counted_loops;
  for (const PhaseSpan& span : cycles.phases) {
    const std::optional<std::size_t> family = family_of(cycles, span);
    const std::uint32_t layers = family ? cycles.families[*family].layers : span.layers;
    if (span.loop != analysis::cycles::kNoLoop) {
      if (!counted_loops.insert(span.loop).second) continue;
      const auto& loop = cycles.loops[static_cast<std::size_t>(span.loop)];
      add_to({loop_words(loop), layers, family, span.start, loop.breakdown}, passes);
    } else if (span.passes == 1 && (with_cut_ones || analysis::cycles::cut_of(cycles, span) ==
                                                         analysis::cycles::Cut::kNone)) {
      add_to({pass_words(span.phase), layers, family, span.start, span.breakdown}, passes);
    }
  }
  return passes;
}

PassSum capture_of(const StreamCycles& cycles) {
  PassSum sums{"capture", 0, std::nullopt, 0, {}};
  for (const PhaseSpan& span : cycles.phases) sums.times.add(span.breakdown);
  sums.times.windows = std::min<std::uint64_t>(sums.times.windows, 1);
  return sums;
}

std::vector<PassSum> main_passes(const StreamCycles& cycles) {
  std::vector<PassSum> passes;
  if (!cycles.selected) passes = passes_of(cycles, false);
  const std::optional<std::size_t> main = main_loop(cycles);
  const bool tells = main && (cycles.selected || cycles.loops[*main].coverage >= kMainLoopShare);
  if (passes.empty() && tells) {
    const analysis::cycles::Loop& loop = cycles.loops[*main];
    passes.push_back({loop_words(loop), 0, std::nullopt, 0, loop.breakdown});
  }
  if (passes.empty()) passes = passes_of(cycles, true);
  if (passes.empty()) passes.push_back(capture_of(cycles));
  return passes;
}

// Layers tell families apart; where they do not, the place of the first pass does, as in the table
// of phases.
std::string telling_words(const PassSum& pass, const std::vector<PassSum>& all) {
  const auto alike = [&](const auto& is_so) {
    return std::ranges::count_if(all, [&](const PassSum& other) {
             return other.words == pass.words && is_so(other);
           }) > 1;
  };
  if (!alike([](const PassSum&) { return true; })) return pass.words;
  if (alike([&](const PassSum& other) { return other.layers == pass.layers; }))
    return fmt::format("{}, from kernel {}", pass.words, grouped(pass.from));
  if (pass.layers == 0) return pass.words;
  return fmt::format("{}, {}", pass.words, counted(pass.layers, "layer"));
}

}  // namespace

std::vector<BrokenDown> main_breakdowns(const StreamCycles& cycles) {
  const std::vector<PassSum> passes = main_passes(cycles);
  WideTime all = 0;
  for (const PassSum& pass : passes) all += pass.times.wall;
  std::vector<BrokenDown> shown;
  for (const PassSum& pass : passes) {
    if (pass.times.wall > 0 && pass.times.wall * 1000 >= all * kMinPassPerMille)
      shown.push_back({telling_words(pass, passes), pass.times});
  }
  std::ranges::stable_sort(shown, std::ranges::greater{},
                           [](const BrokenDown& one) { return one.times.wall; });
  if (shown.size() > kMaxColumns) shown.resize(kMaxColumns);
  return shown;
}

}  // namespace lockstep::report::cycles
