// Figures of small kernels, and a verdict.
#include "report/anomalies/words/small_ops_words.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "report/anomalies/words/word_parts.h"
#include "report/layout/quantities.h"

namespace lockstep::report::anomalies {

std::string small_ops_words(const analysis::anomalies::SmallOps& small) {
  if (small.count == 0) return fmt::format("No kernel is shorter than {:g} us.", small.limit_us);
  const double share = static_cast<double>(small.duration + small.gaps) /
                       static_cast<double>(std::max<std::int64_t>(small.span.ps, 1));
  const bool is_one = small.count == 1;
  const std::string apart =
      small.apart == 0 ? "" : fmt::format(" (without {} of long gaps)", time_words(small.apart));
  const std::string figures = fmt::format(
      "{} of {} {} shorter than {:g} us: {} of work and {} of gaps before {}{}, {} of the span",
      grouped(small.count), counted(small.all, "kernel"), is_one ? "is" : "are", small.limit_us,
      time_words(small.duration), time_words(small.gaps), is_one ? "it" : "them", apart,
      layout::percent_of(share));
  if (!small.matters) return figures + (is_one ? ". It does not matter." : ". They do not matter.");
  return fmt::format("{}. {}, {}.", figures, is_one ? "It matters" : "They matter",
                     small.gaps > small.duration ? "for the launch gaps, not for the work"
                                                 : "for the work itself, not for the launch gaps");
}

}  // namespace lockstep::report::anomalies
