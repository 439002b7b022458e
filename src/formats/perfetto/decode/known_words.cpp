// The table of names.
#include "formats/perfetto/decode/known_words.h"

#include <algorithm>
#include <array>
#include <utility>

#include "trace/evidence.h"

namespace lockstep::formats::perfetto {
namespace {

constexpr std::array<std::pair<std::string_view, KnownWord>, 15> kWords = {{
    {"lockstep.kind", KnownWord::kKind},
    {"lockstep.correlation", KnownWord::kOwnCorrelation},
    {"lockstep.start_ps", KnownWord::kStartPs},
    {"lockstep.duration_ps", KnownWord::kDurationPs},
    {"lockstep.shape", KnownWord::kShape},
    {"lockstep.collective", KnownWord::kCollective},
    {"correlation", KnownWord::kCorrelation},  // PyTorch
    {"corr_id", KnownWord::kCorrelation},      // rocprofv3
    {"agent", KnownWord::kAgent},
    {"device", KnownWord::kAgent},  // PyTorch
    {"src_agent", KnownWord::kSourceAgent},
    {"dst_agent", KnownWord::kTargetAgent},
    {"stream_ID", KnownWord::kStream},
    {"stream_id", KnownWord::kStream},
    {"stream", KnownWord::kStream},
}};

}  // namespace

KnownWord known_word(std::string_view name) {
  const auto found =
      std::ranges::find(kWords, name, &std::pair<std::string_view, KnownWord>::first);
  if (found != kWords.end()) return found->second;
  return trace::role_of_argument(name) == trace::ArgumentRole::kNone ? KnownWord::kNone
                                                                     : KnownWord::kEvidence;
}

}  // namespace lockstep::formats::perfetto
