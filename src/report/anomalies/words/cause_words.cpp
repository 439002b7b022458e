// The evidence of a cause.
#include "report/anomalies/words/cause_words.h"

#include <fmt/format.h>

#include "report/anomalies/words/label_words.h"
#include "report/anomalies/words/word_parts.h"

namespace lockstep::report::anomalies {

std::vector<std::string> cause_words(const analysis::anomalies::SoftCause& cause) {
  const analysis::anomalies::CauseEvidence& sum = cause.evidence;
  const WideTime total = cause.bubble_time;
  std::vector<std::string> words = {
      fmt::format("{} of {} of significant gaps ({}).", time_words(total), time_words(sum.all),
                  share_words(total, sum.all)),
      fmt::format("Host events cover {} of that, synchronising and copying calls {}, communication "
                  "calls {}.",
                  share_words(sum.host_covered, total), share_words(sum.sync_covered, total),
                  share_words(sum.comm_covered, total))};
  if (sum.launch_known > 0)
    words.push_back(fmt::format(
        "{} of it passes before the launch of the next kernel has returned (known for {}).",
        share_words(sum.host_part, sum.launch_known), share_words(sum.launch_known, total)));
  if (!sum.ops.empty())
    words.push_back(
        fmt::format("Host operators that the gaps lie in, or that launch the next kernel: {}.",
                    listed(sum.ops)));
  words.emplace_back(check_of(cause.label));
  return words;
}

}  // namespace lockstep::report::anomalies
