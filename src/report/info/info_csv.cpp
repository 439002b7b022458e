// Rows.
#include "report/info/info_csv.h"

#include <fmt/format.h>

#include "report/layout/quantities.h"
#include "report/sinks/csv_text.h"

namespace lockstep::report::info {

// Rows end with a line feed alone: the tools that these files are piped into expect that.
std::string info_csv(const analysis::summary::Summary& summary) {
  std::string out = "name,count,total_ns,min_ns,max_ns\n";
  for (const analysis::summary::KernelNameSummary& kernel : summary.top_kernels) {
    out +=
        fmt::format("{},{},{},{},{}\n", sinks::csv_name(kernel.name), kernel.count,
                    layout::floored_ns(kernel.total), floor_ns(kernel.min), floor_ns(kernel.max));
  }
  return out;
}

}  // namespace lockstep::report::info
