// Names of annotations that mean something to us: those that lockstep's writer adds, and those of
// profilers.
#pragma once

#include <cstdint>
#include <string_view>

namespace lockstep::formats::perfetto {

enum class KnownWord : std::uint8_t {
  kNone,
  // lockstep's own, in the order of OwnWord
  kKind,
  kOwnCorrelation,
  kStartPs,
  kDurationPs,
  kShape,
  kCollective,
  // of profilers
  kCorrelation,
  kAgent,
  kSourceAgent,
  kTargetAgent,
  kStream,
  kEvidence,  // what analyses read; see trace/evidence.h
};

[[nodiscard]] KnownWord known_word(std::string_view name);

}  // namespace lockstep::formats::perfetto
