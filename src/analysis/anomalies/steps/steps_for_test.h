// A device whose steps are written down kernel by kernel, with the gaps before them, for tests of
// what is made of steps. One stream unless said otherwise; all times in microseconds.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/anomalies/anomalies.h"
#include "analysis/anomalies/steps/group_statistics.h"
#include "analysis/anomalies/steps/step_groups.h"
#include "analysis/anomalies/steps/step_outliers.h"
#include "analysis/anomalies/timeline/times_for_test.h"
#include "analysis/anomalies/verdict/findings.h"
#include "analysis/anomalies/verdict/step_verdicts.h"
#include "trace/trace_for_test.h"

namespace lockstep::analysis::anomalies {

struct PlannedKernel {
  std::string name;
  std::int64_t gap = 0;  // before it
  std::int64_t duration = 10;
  trace::Kind kind = trace::Kind::kKernel;
};

// Gaps of this length and more are bubbles.
inline constexpr std::int64_t kTestBubbleUs = 10;

class TestSteps {
 public:
  TestSteps() {
    const trace::DeviceId id = test.add_device("0");
    stream = test.add_stream(id, "7");
    other_stream = test.add_stream(id, "8");
    device.timeline.device_id = "0";
  }

  static std::vector<PlannedKernel> plan(std::initializer_list<const char*> names) {
    std::vector<PlannedKernel> kernels;
    for (const char* name : names) kernels.push_back({.name = name});
    return kernels;
  }

  // Appends a step; its window reaches from the end of the last step to `tail` after its last
  // kernel.
  AnomalyStep& add(const std::vector<PlannedKernel>& kernels, std::int64_t tail = 0) {
    const auto number = static_cast<std::uint32_t>(device.steps.size());
    AnomalyStep& step = device.steps.emplace_back();
    step.id = std::to_string(number);
    step.marker = "step " + std::to_string(number);
    step.window = StepWindow::kHost;
    step.start = now_;
    GapMetrics& gaps = step.facts.gaps;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      const BubbleScope scope = i == 0 ? BubbleScope::kPrelaunch : BubbleScope::kInternal;
      const Time gap = us(kernels[i].gap);
      const std::uint32_t k = add_kernel(kernels[i]);
      step.kernels.push_back(k);
      device.waits.push_back({.to_device = gap, .to_stream = gap, .to_compute = gap});
      add_bubble(number, scope, now_, gap, k == 0 ? kNoKernel : k - 1, k,
                 static_cast<std::uint32_t>(i));
      now_ += gap + us(kernels[i].duration);
      gaps.device_busy += us(kernels[i].duration);
      if (kernels[i].kind != trace::Kind::kCommunication) gaps.computing += us(kernels[i].duration);
      (i == 0 ? gaps.prelaunch : gaps.internal_total) += gap;
      if (i > 0) gaps.largest_internal = std::max(gaps.largest_internal, gap);
    }
    if (!step.kernels.empty())
      add_bubble(number, BubbleScope::kTail, now_, us(tail), step.kernels.back(), kNoKernel,
                 kNoKernel);
    now_ += us(tail);
    gaps.tail = us(tail);
    gaps.prelaunch_launch = gaps.prelaunch;
    step.end = now_;
    step.marker_end = now_;
    gaps.service = step.end - step.start;
    gaps.underfeed = gaps.service - gaps.device_busy;
    step.facts.kernels = static_cast<std::uint32_t>(step.kernels.size());
    return step;
  }

  void group(const Thresholds& thresholds = {}) {
    Grouping grouping = group_steps(test.trace, device.timeline, frames(), "g", thresholds);
    device.groups.clear();
    for (GroupMembers& members : grouping.groups)
      device.groups.push_back({std::move(members), {}, {}, {}});
    for (std::size_t s = 0; s < device.steps.size(); ++s)
      device.steps[s].group = grouping.group_of[s];
  }
  void aggregate_groups(const Thresholds& thresholds = {}) {
    group(thresholds);
    std::vector<GroupStatistics> statistics = group_statistics(
        test.trace, device.timeline, Measured(*this).view(), device.bubbles, thresholds);
    for (std::size_t g = 0; g < device.groups.size(); ++g)
      static_cast<GroupStatistics&>(device.groups[g]) = std::move(statistics[g]);
  }
  std::vector<StepOutlier> outliers(const Thresholds& thresholds = {}) {
    aggregate_groups(thresholds);
    const Measured measured(*this);
    std::vector<StepOutlier> found = find_outliers(test.trace, device.timeline, device.waits,
                                                   measured.view(), device.bubbles, thresholds);
    const std::vector<std::optional<Time>> excesses =
        outlier_excesses(measured.view(), found, thresholds);
    for (std::size_t s = 0; s < device.steps.size(); ++s)
      device.steps[s].facts.outlier_excess = excesses[s];
    return found;
  }
  // From the tags that the steps have.
  void tag_groups() {
    std::vector<Verdict> verdicts;
    for (const AnomalyStep& step : device.steps) verdicts.push_back({step.tags, step.reasons});
    const std::vector<GroupTags> tags =
        tags_of_groups(verdicts, members(),
                       {std::vector<GroupStatistics>(device.groups.begin(), device.groups.end())});
    for (std::size_t g = 0; g < device.groups.size(); ++g)
      static_cast<GroupTags&>(device.groups[g]) = tags[g];
  }

  // What follows once the steps, their bubbles and their tags are known.
  const std::vector<Finding>& conclude(const Thresholds& thresholds = {}) {
    const std::vector<StepOutlier> found = outliers(thresholds);
    tag_groups();
    static_cast<Conclusion&>(device) = anomalies::conclude(test.trace, found, thresholds, device);
    return device.findings;
  }

  [[nodiscard]] std::vector<StepFrame> frames() const {
    return {device.steps.begin(), device.steps.end()};
  }
  [[nodiscard]] std::vector<GroupMembers> members() const {
    return {device.groups.begin(), device.groups.end()};
  }
  // The group numbers of the steps.
  [[nodiscard]] std::vector<std::uint32_t> group_numbers() const {
    std::vector<std::uint32_t> numbers;
    for (const AnomalyStep& step : device.steps) numbers.push_back(step.group);
    return numbers;
  }

  trace::TestTrace test;
  DeviceAnomalies device;
  trace::TrackId stream{};
  trace::TrackId other_stream{};

 private:
  // The parts of the device that stages before verdicts see.
  struct Measured {
    explicit Measured(const TestSteps& steps)
        : frames(steps.frames()), groups(steps.members()), group_of(steps.group_numbers()) {
      for (const AnomalyStep& step : steps.device.steps) gaps.push_back(step.facts.gaps);
    }
    [[nodiscard]] MeasuredSteps view() const { return {frames, gaps, group_of, groups}; }

    std::vector<StepFrame> frames;
    std::vector<GroupMembers> groups;
    std::vector<std::uint32_t> group_of;
    std::vector<MeasuredGaps> gaps;
  };

  std::uint32_t add_kernel(const PlannedKernel& kernel) {
    DeviceWork work;
    work.start = now_ + us(kernel.gap);
    work.end = work.start + us(kernel.duration);
    work.track = stream;
    work.name = test.trace.strings.intern(kernel.name);
    work.kind = kernel.kind;
    work.event = test.add_ps(stream, kernel.kind, kernel.name, work.start.ps, work.duration().ps);
    device.timeline.kernels.push_back(work);
    return static_cast<std::uint32_t>(device.timeline.kernels.size() - 1);
  }

  void add_bubble(std::uint32_t step, BubbleScope scope, Time start, Time length,
                  std::uint32_t before, std::uint32_t after, std::uint32_t position) {
    if (length < us(kTestBubbleUs)) return;
    ++device.steps[step].facts.gaps.significant_bubble_count;
    Bubble bubble;
    bubble.step = step;
    bubble.scope = scope;
    bubble.start = start;
    bubble.end = start + length;
    bubble.kernel_before = before;
    bubble.kernel_after = after;
    bubble.position = position;
    bubble.labels = {SoftLabel::kHostLaunchLag};
    device.bubbles.push_back(bubble);
  }

  Time now_;
};

}  // namespace lockstep::analysis::anomalies
