// Patterns from cycles, the choice among them, and the nest of the chosen one.
#include "analysis/cycles/anchor_method.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "analysis/cycles/anchor_cycles.h"
#include "analysis/cycles/layer_anchors.h"
#include "analysis/kernels/signature.h"

namespace lockstep {
namespace {

// Patterns that begin with the same signatures, this many, are one. The spec does not say what
// the signature of a pattern is; this is the original's.
constexpr std::uint32_t kSignatureKernels = 10;

struct FoundPattern {
  AnchorCycle cycle;
  AnchorSubCycle sub;

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

FoundPattern with_sub_cycle(const KernelStream& stream, AnchorCycle cycle,
                            const AnchorOptions& options) {
  FoundPattern pattern;
  pattern.sub = find_sub_cycle(stream, cycle, options);
  pattern.cycle = std::move(cycle);
  return pattern;
}

std::vector<std::uint32_t> signature_of(const KernelStream& stream, const FoundPattern& pattern) {
  const std::uint32_t count = std::min(pattern.length(), kSignatureKernels);
  return stream.sequence(SymbolLevel::kSignature, pattern.start(), pattern.start() + count);
}

// One pattern for each signature: the one with the most repetitions, of several the one whose
// anchor was tried first. By centre; patterns with one centre stay in the order of their anchors.
std::vector<FoundPattern> find_patterns(const KernelStream& stream, const AnchorOptions& options) {
  std::vector<FoundPattern> patterns;
  std::map<std::vector<std::uint32_t>, std::size_t> by_signature;
  for (AnchorCycle& cycle : find_anchor_cycles(stream, options)) {
    FoundPattern pattern = with_sub_cycle(stream, std::move(cycle), options);
    const auto [known, is_new] =
        by_signature.try_emplace(signature_of(stream, pattern), patterns.size());
    if (is_new) {
      patterns.push_back(std::move(pattern));
    } else if (pattern.repetitions() > patterns[known->second].repetitions()) {
      patterns[known->second] = std::move(pattern);
    }
  }
  std::ranges::stable_sort(patterns, {}, &FoundPattern::doubled_centre);
  return patterns;
}

// The cycle with the most repetitions, of several the one whose anchor was tried first, and then
// its sub-cycle.
std::optional<FoundPattern> standard_detection(const KernelStream& stream,
                                               const AnchorOptions& options) {
  std::vector<AnchorCycle> cycles = find_anchor_cycles(stream, options);
  const auto most = std::ranges::max_element(
      cycles, {}, [](const AnchorCycle& cycle) { return cycle.starts.size(); });
  if (most == cycles.end()) return std::nullopt;
  return with_sub_cycle(stream, std::move(*most), options);
}

std::optional<FoundPattern> choose(const KernelStream& stream, const AnchorOptions& options,
                                   CycleMode mode) {
  if (mode == CycleMode::kAuto) return standard_detection(stream, options);
  std::vector<FoundPattern> patterns = find_patterns(stream, options);
  // As the spec has it, although both searches verify cycles alike.
  if (patterns.empty()) return standard_detection(stream, options);
  return std::move(mode == CycleMode::kPrefill ? patterns.front() : patterns.back());
}

std::string text_of_signature(const KernelStream& stream, const FoundPattern& pattern) {
  std::string text;
  const std::uint32_t count = std::min(pattern.length(), kSignatureKernels);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (i > 0) text += '|';
    text += kernel_signature(stream.symbol(pattern.start() + i).text);
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
  loop.anchors_per_body = count_layer_anchors(stream, body);
  loop.exceptions = exceptions_in(stream, body, instances.front());
  loop.is_exact = std::ranges::all_of(instances, [&](const LoopInstance& instance) {
    return exceptions_in(stream, body, instance) == 0;
  });
  loop.instances = std::move(instances);
  nest.loops.push_back(std::move(loop));
}

}  // namespace

std::vector<AnchorPattern> find_anchor_patterns(const KernelStream& stream,
                                                const AnchorOptions& options) {
  std::vector<AnchorPattern> patterns;
  for (const FoundPattern& found : find_patterns(stream, options)) {
    AnchorPattern pattern;
    pattern.length = found.length();
    pattern.repetitions = found.repetitions();
    pattern.centre_percent =
        50.0 * static_cast<double>(found.doubled_centre()) / static_cast<double>(stream.size());
    pattern.anchor = stream.symbols[found.cycle.anchor].text;
    pattern.signature = text_of_signature(stream, found);
    pattern.cycle_length = found.cycle.length;
    pattern.cycle_repetitions = static_cast<std::uint32_t>(found.cycle.starts.size());
    patterns.push_back(std::move(pattern));
  }
  return patterns;
}

Nest find_anchor_nest(const KernelStream& stream, const AnchorOptions& options, CycleMode mode) {
  Nest nest;
  const std::optional<FoundPattern> chosen = choose(stream, options, mode);
  if (!chosen) return nest;
  std::vector<LoopInstance> inner;
  if (chosen->sub.length > 0) {
    for (const std::uint32_t start : chosen->cycle.starts) {
      inner.push_back(instance_in({start, start + chosen->cycle.length}, chosen->sub));
    }
  }
  add_loop(stream, chosen->cycle.length, SymbolLevel::kName, instances_of(chosen->cycle), nest);
  if (!inner.empty()) {
    add_loop(stream, chosen->sub.length, SymbolLevel::kSignature, std::move(inner), nest);
  }
  return nest;
}

}  // namespace lockstep
