// Random steps: groups and places hold what they promise, told the slow and obvious way.
#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "analysis/anomalies/steps/step_groups.h"
#include "analysis/anomalies/steps/step_sequence.h"
#include "analysis/anomalies/steps/steps_for_test.h"

namespace lockstep::analysis::anomalies {
namespace {

// Levenshtein's table.
std::size_t slow_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

// Steps of one letter a kernel: copies of few templates, some of them with a letter changed, added
// or left out.
std::vector<std::string> any_steps() {
  const auto letter = rc::gen::inRange('a', 'e');
  const auto sequence = rc::gen::container<std::string>(letter);
  const auto templates = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(sequence));
  std::vector<std::string> steps;
  for (int i = *rc::gen::inRange(1, 12); i > 0; --i) {
    std::string step = *rc::gen::elementOf(templates);
    const std::size_t at = *rc::gen::inRange<std::size_t>(0, step.size() + 1);
    const int edit = *rc::gen::inRange(0, 6);
    if (edit == 0) step.insert(at, 1, 'x');
    if (edit == 1 && at < step.size()) step.erase(at, 1);
    if (edit == 2 && at < step.size()) step[at] = 'y';
    steps.push_back(step);
  }
  return steps;
}

struct Grouped {
  explicit Grouped(std::vector<std::string> some) : texts(std::move(some)) {
    thresholds.group_distance = 0.2;
    thresholds.recurring_steps = 1;
    for (const std::string& text : texts) {
      std::vector<PlannedKernel> kernels;
      for (const char name : text) kernels.push_back({.name = std::string(1, name)});
      steps.add(kernels, 5);
    }
    steps.group(thresholds);
  }
  [[nodiscard]] const std::vector<StepGroup>& groups() const { return steps.device.groups; }

  std::vector<std::string> texts;
  Thresholds thresholds;
  TestSteps steps;
};

RC_GTEST_PROP(StepGroupsProperty, EveryStepIsInOneGroupNearItsTemplate, ()) {
  const Grouped grouped(any_steps());
  std::multiset<std::uint32_t> all;
  for (std::uint32_t g = 0; g < grouped.groups().size(); ++g) {
    const StepGroup& group = grouped.groups()[g];
    const std::string& model = grouped.texts[group.template_step];
    RC_ASSERT(group.kernels == model.size());
    RC_ASSERT(std::ranges::is_sorted(group.steps));
    for (const std::uint32_t s : group.steps) {
      all.insert(s);
      RC_ASSERT(grouped.steps.device.steps[s].group == g);
      RC_ASSERT(slow_distance(model, grouped.texts[s]) <=
                distance_limit(model.size(), grouped.thresholds));
    }
  }
  RC_ASSERT(all.size() == grouped.texts.size());
  RC_ASSERT(std::set(all.begin(), all.end()).size() == all.size());
}

RC_GTEST_PROP(StepGroupsProperty, EqualStepsAreInOneGroup, ()) {
  const Grouped grouped(any_steps());
  std::map<std::string, std::uint32_t> known;
  for (std::size_t s = 0; s < grouped.texts.size(); ++s) {
    const std::uint32_t group = grouped.steps.device.steps[s].group;
    RC_ASSERT(known.try_emplace(grouped.texts[s], group).first->second == group);
  }
}

RC_GTEST_PROP(StepGroupsProperty, PlacesRiseAndAreThoseOfTheTemplate, ()) {
  const Grouped grouped(any_steps());
  const KernelPlaces places(grouped.steps.test.trace, grouped.steps.device.timeline,
                            grouped.steps.frames(), grouped.steps.members(), grouped.thresholds);
  for (const StepGroup& group : grouped.groups()) {
    const std::string& model = grouped.texts[group.template_step];
    for (const std::uint32_t s : group.steps) {
      std::size_t edits = 0;
      std::int64_t last = -1;
      std::size_t placed = 0;
      const std::vector<std::uint32_t>& kernels = grouped.steps.device.steps[s].kernels;
      for (std::size_t i = 0; i < kernels.size(); ++i) {
        RC_ASSERT(places.owner(kernels[i]) == s);
        const std::uint32_t place = places.place(kernels[i]);
        if (place == algo::kUnaligned) {
          ++edits;
          continue;
        }
        ++placed;
        RC_ASSERT(place < model.size());
        RC_ASSERT(static_cast<std::int64_t>(place) > last);
        last = place;
        if (model[place] != grouped.texts[s][i]) ++edits;
      }
      RC_ASSERT(edits + model.size() - placed == slow_distance(model, grouped.texts[s]));
    }
  }
}

}  // namespace
}  // namespace lockstep::analysis::anomalies
