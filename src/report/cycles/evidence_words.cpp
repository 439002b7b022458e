// Words for each ground.
#include "report/cycles/evidence_words.h"

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"

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

}  // namespace

std::string evidence_words(const analysis::cycles::Evidence& one) {
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
      return fmt::format("an attention kernel takes {}, that of other passes {}",
                         human_time(one.time), human_time(one.other_time));
    case PhaseGround::kShortAttention:
      return fmt::format("an attention kernel takes {}, that of a prefill {}", human_time(one.time),
                         human_time(one.other_time));
    case PhaseGround::kLongerPass:
      return fmt::format("its kernels take {}, those of a decode pass of as many layers {}",
                         human_time(one.time), human_time(one.other_time));
    case PhaseGround::kOtherKernels:
      return "other attention and matrix kernels than in decode passes of as many layers";
    case PhaseGround::kShorterPass:
      return fmt::format("its kernels take {}, those of a prefill of as many layers {}",
                         human_time(one.time), human_time(one.other_time));
    case PhaseGround::kClosedSteps:
      return fmt::format("'{}' updates the weights in {}", one.name, part_words(one, "step"));
    case PhaseGround::kTrainingWork:
      return training_words(one);
    case PhaseGround::kCutOff:
      return fmt::format("a cut-off {} pass", name_of(one.phase));
  }
  return "";
}

}  // namespace lockstep::report::cycles
