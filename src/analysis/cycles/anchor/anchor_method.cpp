// Patterns from cycles, the choice among them, and the nest of the chosen one.
#include "analysis/cycles/anchor/anchor_method.h"

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "analysis/cycles/anchor/anchor_cycles.h"
#include "analysis/cycles/stream/layer_count.h"
#include "analysis/kernels/signature.h"

namespace lockstep::analysis::cycles {
namespace {

// Patterns that begin with the same signatures, this many, are one. The spec does not say what
// the signature of a pattern is; this is the original's.
constexpr std::uint32_t kSignatureKernels = 10;

struct FoundPattern {
  AnchorCycle cycle;
  AnchorSubCycle sub;
  std::vector<std::uint32_t> signature;  // of its first kernels

  [[nodiscard]] std::uint32_t length() const { return sub.length > 0 ? sub.length : cycle.length; }
  [[nodiscard]] std::uint64_t repetitions() const {
    return cycle.starts.size() * std::max<std::size_t>(1, sub.offsets.size());
  }
  [[nodiscard]] std::uint32_t start() const {
    return cycle.starts.front() + (sub.offsets.empty() ? 0 : sub.offsets.front());
  }
  [[nodiscard]] std::uint32_t end() const {
    return cycle.starts.back() + (sub.offsets.empty() ? 0 : sub.offsets.back()) + length();
  }
  // Twice the centre, which is a whole number.
  [[nodiscard]] std::uint64_t doubled_centre() const { return std::uint64_t{start()} + end(); }
};

// Of every cycle, in the order of the anchors.
std::vector<FoundPattern> patterns_of_cycles(const KernelStream& stream,
                                             const AnchorOptions& options) {
  const SubCycleSearch search(stream, options);
  std::vector<FoundPattern> found;
  for (AnchorCycle& cycle : find_anchor_cycles(stream, options)) {
    FoundPattern pattern;
    pattern.sub = search.find_in(cycle);
    pattern.cycle = std::move(cycle);
    const std::uint32_t count = std::min(pattern.length(), kSignatureKernels);
    pattern.signature =
        stream.sequence(SymbolLevel::kSignature, pattern.start(), pattern.start() + count);
    found.push_back(std::move(pattern));
  }
  return found;
}

// One pattern for each signature: the one with the most repetitions, of several the one whose
// anchor was tried first. By centre; patterns with one centre stay in the order of their anchors.
std::vector<FoundPattern> distinct(std::vector<FoundPattern> found) {
  std::vector<FoundPattern> patterns;
  std::map<std::vector<std::uint32_t>, std::size_t> by_signature;
  for (FoundPattern& pattern : found) {
    const auto [known, is_new] = by_signature.try_emplace(pattern.signature, patterns.size());
    if (is_new) {
      patterns.push_back(std::move(pattern));
    } else if (pattern.repetitions() > patterns[known->second].repetitions()) {
      patterns[known->second] = std::move(pattern);
    }
  }
  std::ranges::stable_sort(patterns, {}, &FoundPattern::doubled_centre);
  return patterns;
}

// The cycle with the most repetitions, of several the one whose anchor was tried first.
FoundPattern standard_choice(std::span<const FoundPattern> found) {
  return *std::ranges::max_element(
      found, {}, [](const FoundPattern& pattern) { return pattern.cycle.starts.size(); });
}

std::string text_of_signature(const KernelStream& stream, const FoundPattern& pattern) {
  std::string text;
  for (std::uint32_t i = 0; i < pattern.signature.size(); ++i) {
    if (i > 0) text += '|';
    text += kernels::kernel_signature(stream.symbol(pattern.start() + i).text);
  }
  return text;
}

// Iterations that follow each other without a window left out between them.
std::vector<LoopInstance> instances_of(const AnchorCycle& cycle) {
  std::vector<LoopInstance> instances;
  for (const std::uint32_t start : cycle.starts) {
    if (instances.empty() || instances.back().end() != start) instances.emplace_back();
    instances.back().iterations.push_back({start, start + cycle.length});
  }
  return instances;
}

// Distances vary, so a sub-cycle ends where the next one begins, if that is earlier. What the end
// of the cycle cuts off is partial.
LoopInstance instance_in(Iteration around, const AnchorSubCycle& sub) {
  LoopInstance instance;
  for (std::size_t i = 0; i < sub.offsets.size(); ++i) {
    const std::uint32_t start = around.start + sub.offsets[i];
    std::uint32_t end = start + sub.length;
    if (i + 1 < sub.offsets.size()) end = std::min(end, around.start + sub.offsets[i + 1]);
    if (end > around.end) {
      instance.partial_after = around.end - start;
    } else {
      instance.iterations.push_back({start, end});
    }
  }
  return instance;
}

// Kernels that differ from the body by name, in iterations of its length; all of those that a
// shorter one lacks.
std::uint64_t exceptions_in(const KernelStream& stream, Iteration body,
                            const LoopInstance& instance) {
  std::uint64_t exceptions = 0;
  for (const Iteration& iteration : instance.iterations) {
    exceptions += body.size() - iteration.size();
    for (std::uint32_t k = 0; k < iteration.size(); ++k) {
      if (stream.names[iteration.start + k] != stream.names[body.start + k]) ++exceptions;
    }
  }
  return exceptions;
}

void add_loop(const KernelStream& stream, std::uint32_t period, SymbolLevel symbol,
              std::vector<LoopInstance> instances, Nest& nest) {
  NestLoop loop;
  loop.id = static_cast<std::uint32_t>(nest.loops.size());
  loop.depth = loop.id;  // the cycle, then the sub-cycle inside it
  loop.parent = static_cast<std::int32_t>(loop.id) - 1;
  loop.period = period;
  loop.symbol = symbol;
  loop.border = BorderEvidence::kAnchor;
  loop.body_start = instances.front().start();
  loop.run_start = instances.front().start();
  loop.run_end = instances.front().end();
  const Iteration body{loop.body_start, loop.body_start + period};
  loop.anchors_per_body = count_layers(stream, body, StretchEnd::kRepeats);
  loop.exceptions = exceptions_in(stream, body, instances.front());
  loop.is_exact = std::ranges::all_of(instances, [&](const LoopInstance& instance) {
    return exceptions_in(stream, body, instance) == 0;
  });
  loop.instances = std::move(instances);
  nest.loops.push_back(std::move(loop));
}

// The cycle, and the sub-cycle inside it where there is one.
Nest nest_of(const KernelStream& stream, const FoundPattern& chosen) {
  Nest nest;
  add_loop(stream, chosen.cycle.length, SymbolLevel::kName, instances_of(chosen.cycle), nest);
  if (chosen.sub.length == 0) return nest;
  std::vector<LoopInstance> inner;
  for (const std::uint32_t start : chosen.cycle.starts) {
    inner.push_back(instance_in({start, start + chosen.cycle.length}, chosen.sub));
  }
  add_loop(stream, chosen.sub.length, SymbolLevel::kSignature, std::move(inner), nest);
  return nest;
}

AnchorPattern described(const KernelStream& stream, const FoundPattern& found) {
  AnchorPattern pattern;
  pattern.length = found.length();
  pattern.repetitions = found.repetitions();
  pattern.centre_percent =
      50.0 * static_cast<double>(found.doubled_centre()) / static_cast<double>(stream.size());
  pattern.anchor = stream.symbols[found.cycle.anchor].text;
  pattern.signature = text_of_signature(stream, found);
  pattern.cycle_length = found.cycle.length;
  pattern.cycle_repetitions = static_cast<std::uint32_t>(found.cycle.starts.size());
  return pattern;
}

}  // namespace

AnchorLoops find_anchor_loops(const KernelStream& stream, const AnchorOptions& options,
                              CycleMode mode) {
  AnchorLoops loops;
  std::vector<FoundPattern> found = patterns_of_cycles(stream, options);
  // The spec turns to the other choice here, but both choose from the same cycles.
  if (found.empty()) return loops;
  const FoundPattern standard = standard_choice(found);
  const std::vector<FoundPattern> patterns = distinct(std::move(found));
  const FoundPattern& chosen = mode == CycleMode::kPrefill  ? patterns.front()
                               : mode == CycleMode::kDecode ? patterns.back()
                                                            : standard;
  loops.nest = nest_of(stream, chosen);
  for (const FoundPattern& pattern : patterns) {
    loops.patterns.push_back(described(stream, pattern));
    loops.patterns.back().is_selected = pattern.signature == chosen.signature;
  }
  return loops;
}

}  // namespace lockstep::analysis::cycles
