// From kernels over launches and operators to shapes, and sums that do not depend on the order.
#include "analysis/anomalies/steps/step_shapes.h"

#include <algorithm>

#include "algo/part_table.h"
#include "analysis/anomalies/steps/step_sequence.h"
#include "trace/evidence.h"

namespace lockstep::analysis::anomalies {
namespace {

// Kernels follow each other much as their calls do: so far ahead the next call is looked for before
// it is searched.
constexpr std::size_t kLookAhead = 64;

// Bits spread so that sums of many of them tell sets apart.
std::uint64_t mixed(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

class ShapeFinder {
 public:
  ShapeFinder(const trace::Trace& trace, const HostIndex& host)
      : trace_(trace), host_(host), evidence_(trace), cursors_(host.threads.size(), 64, 0) {}

  [[nodiscard]] bool has_any() const { return evidence_.has(trace::ArgumentRole::kShapes); }

  [[nodiscard]] std::optional<std::uint64_t> shapes_of(const DeviceWork& kernel) {
    if (const auto own = evidence_.shapes(kernel.event)) return own;
    if (kernel.launched_by == trace::kNoEvent) return std::nullopt;
    const auto thread = host_.thread_number(trace_, kernel.launched_by);
    return thread ? around(*thread, kernel.launched_by) : std::nullopt;
  }

 private:
  [[nodiscard]] std::optional<std::uint64_t> around(std::size_t number, trace::EventId call) {
    const HostThread& thread = host_.threads[number];
    std::int32_t i = place_of(number, call);
    for (std::size_t looked_at = 0; i >= 0 && looked_at < kMostCallsAround;
         i = thread.parents[static_cast<std::size_t>(i)], ++looked_at) {
      if (const auto found = evidence_.shapes(thread.events[static_cast<std::size_t>(i)])) {
        return found;
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] std::int32_t place_of(std::size_t number, trace::EventId call) {
    const HostThread& thread = host_.threads[number];
    std::size_t& cursor = cursors_[number];
    const std::size_t end = std::min(cursor + kLookAhead, thread.events.size());
    for (std::size_t i = cursor; i < end; ++i) {
      if (thread.events[i] != call) continue;
      cursor = i;
      return static_cast<std::int32_t>(i);
    }
    const std::int32_t found = thread.index_of_event(trace_, call);
    if (found >= 0) cursor = static_cast<std::size_t>(found);
    return found;
  }

  const trace::Trace& trace_;
  const HostIndex& host_;
  trace::EvidenceReader evidence_;
  algo::PartTable<std::size_t> cursors_;  // by thread: where the last call was
};

ShapeExample example_of(std::span<const StepShapes> shapes, const GroupMembers& group) {
  const auto first = std::ranges::find_if(
      group.steps, [&](std::uint32_t s) { return shapes[s].shapes.has_value(); });
  if (first == group.steps.end()) return std::nullopt;
  const StepShapes& expected = shapes[*first];
  const auto other = std::find_if(first, group.steps.end(), [&](std::uint32_t s) {
    return shapes[s].kernels == expected.kernels && shapes[s].shapes &&
           *shapes[s].shapes != *expected.shapes;
  });
  if (other == group.steps.end()) return std::nullopt;
  return std::pair(*first, *other);
}

}  // namespace

std::vector<StepShapes> shapes_of_steps(const trace::Trace& trace, const DeviceTimeline& timeline,
                                        const HostIndex& host, std::span<const StepFrame> steps) {
  std::vector<StepShapes> found(steps.size());
  ShapeFinder finder(trace, host);
  if (!finder.has_any()) return found;
  const KernelSymbols symbols(trace, timeline);
  for (std::size_t s = 0; s < steps.size(); ++s) {
    for (const std::uint32_t k : steps[s].kernels) {
      const DeviceWork& kernel = timeline.kernels[k];
      const std::uint64_t name = mixed(symbols.of(kernel));
      found[s].kernels += name;
      if (const auto shapes = finder.shapes_of(kernel)) {
        found[s].shapes = found[s].shapes.value_or(0) + mixed(name ^ *shapes);
      }
    }
  }
  return found;
}

std::vector<ShapeExample> shape_examples(std::span<const StepShapes> shapes,
                                         std::span<const GroupMembers> groups) {
  std::vector<ShapeExample> examples;
  examples.reserve(groups.size());
  for (const GroupMembers& group : groups) examples.push_back(example_of(shapes, group));
  return examples;
}

}  // namespace lockstep::analysis::anomalies
