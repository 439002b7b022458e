// Words for each ground.
#include "report/cycles/evidence_words.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "base/time.h"

namespace lockstep::report::cycles {
namespace {

// "3 of 4 kernels", "1 of 1 kernel"
std::string part_words(const analysis::cycles::Evidence& one, std::string_view noun) {
  return fmt::format("{} of {} {}{}", one.count, one.of, noun, one.of == 1 ? "" : "s");
}

std::string training_words(const analysis::cycles::Evidence& one) {
  std::vector<std::string> found;
  if (one.of > 0) found.push_back(counted(one.of, "kernel") + " of backward attention");
  if (one.count > 0) found.push_back(counted(one.count, "kernel") + " of an optimizer");
  return fmt::format("{} in each", fmt::join(found, " and "));
}

// Times in words: those of one piece of evidence, or ranges.
std::string timed_words(const analysis::cycles::Evidence& one, const std::string& time,
                        const std::string& other_time) {
  using analysis::cycles::PhaseGround;
  switch (one.ground) {
    case PhaseGround::kAnnotatedKernels:
      return fmt::format("annotation '{}' ({})", one.name, part_words(one, "kernel"));
    case PhaseGround::kAnnotatedIterations:
      return fmt::format("annotation '{}' ({})", one.name, part_words(one, "iteration"));
    case PhaseGround::kOnlyAnnotation:
      return fmt::format("annotation '{}', the only phase that the file names", one.name);
    case PhaseGround::kBackward:
      return fmt::format("backward attention '{}'", one.name);
    case PhaseGround::kBackwardRecomputed:
      return fmt::format("backward attention '{}', with forward attention computed again",
                         one.name);
    case PhaseGround::kOptimizer:
      return "optimizer kernels";
    case PhaseGround::kForwardInTraining:
      return "forward attention in a stream that also trains";
    case PhaseGround::kPrefillThenDecode:
      return fmt::format("passes with attention for prefill '{}' and for decode '{}'", one.name,
                         one.other_name);
    case PhaseGround::kPrefillAndDecode:
      return fmt::format("attention for prefill '{}' and decode '{}'", one.name, one.other_name);
    case PhaseGround::kPrefill:
      return fmt::format("attention for prefill '{}'", one.name);
    case PhaseGround::kDecode:
      return fmt::format("attention for decode '{}'", one.name);
    case PhaseGround::kSplitAttention:
      return "attention is split over keys, as for few words at once";
    case PhaseGround::kMoreAttention:
      return fmt::format("{} attention kernels in a pass, {} in a decode pass of as many layers",
                         one.count, one.of);
    case PhaseGround::kGrowth:
      return fmt::format("attention takes longer half a loop later in {} of {} passes", one.count,
                         one.of);
    case PhaseGround::kLongAttention:
      return fmt::format("an attention kernel takes {}, that of other passes {}", time, other_time);
    case PhaseGround::kShortAttention:
      return fmt::format("an attention kernel takes {}, that of a prefill {}", time, other_time);
    case PhaseGround::kLongerPass:
      return fmt::format("its kernels take {}, those of a decode pass of as many layers {}", time,
                         other_time);
    case PhaseGround::kOtherKernels:
      return "other attention and matrix kernels than in decode passes of as many layers";
    case PhaseGround::kShorterPass:
      return fmt::format("its kernels take {}, those of a prefill of as many layers {}", time,
                         other_time);
    case PhaseGround::kClosedSteps:
      return fmt::format("'{}' updates the weights in {}", one.name, part_words(one, "step"));
    case PhaseGround::kTrainingWork:
      return training_words(one);
    case PhaseGround::kCutOff:
      return fmt::format("a cut-off {} pass", name_of(one.phase));
  }
  return "";
}

struct TimeRange {
  Time least;
  Time most;

  void add(Time time) {
    least = std::min(least, time);
    most = std::max(most, time);
  }
  // "372.706 us", "372.706 us to 394.625 us"
  [[nodiscard]] std::string words() const {
    std::string words = human_time(least);
    if (const std::string last = human_time(most); last != words) words += " to " + last;
    return words;
  }
};

// What says the same, with other figures.
struct AlikeEvidence {
  const analysis::cycles::Evidence* first;
  TimeRange time;
  TimeRange other_time;
};

bool say_the_same(const analysis::cycles::Evidence& one, const analysis::cycles::Evidence& other) {
  return one.strength == other.strength && one.ground == other.ground && one.name == other.name &&
         one.other_name == other.other_name && one.phase == other.phase;
}

}  // namespace

std::string evidence_words(const analysis::cycles::Evidence& one) {
  return timed_words(one, human_time(one.time), human_time(one.other_time));
}

std::vector<std::string> evidence_lines(const std::vector<analysis::cycles::Evidence>& evidence) {
  std::vector<AlikeEvidence> told;
  for (const analysis::cycles::Evidence& one : evidence) {
    const auto known = std::ranges::find_if(
        told, [&](const AlikeEvidence& other) { return say_the_same(*other.first, one); });
    if (known == told.end()) {
      told.push_back({&one, {one.time, one.time}, {one.other_time, one.other_time}});
    } else {
      known->time.add(one.time);
      known->other_time.add(one.other_time);
    }
  }
  std::vector<std::string> lines;
  for (const AlikeEvidence& one : told) {
    const bool is_fact = one.first->strength == analysis::cycles::Strength::kFact;
    std::string words = timed_words(*one.first, one.time.words(), one.other_time.words());
    lines.push_back(is_fact ? std::move(words)
                            : fmt::format("{}: {}", name_of(one.first->strength), words));
  }
  return lines;
}

}  // namespace lockstep::report::cycles
