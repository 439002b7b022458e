// The options that say what counts as an anomaly: --compat, --threshold, --fail-on; and how many
// bubbles are shown.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/anomalies/anomalies.h"
#include "base/result.h"
#include "cli/options/option_table.h"
#include "report/anomalies/anomalies_view.h"

namespace lockstep::cli {

struct AnomaliesFlags {
  void add_to(OptionTable& table);
  // What the words mean; a usage error for those that mean nothing.
  [[nodiscard]] Result<analysis::anomalies::AnomaliesOptions> resolve() const;
  [[nodiscard]] Result<std::optional<analysis::anomalies::Priority>> fail_on() const;
  // Nothing where --bubbles is not given.
  [[nodiscard]] Result<std::optional<report::anomalies::BubbleLimit>> bubbles() const;

 private:
  std::string compat_ = "rulebook";
  std::vector<std::string> thresholds_;
  std::optional<std::string> fail_on_;
  std::optional<std::string> bubbles_;
};

}  // namespace lockstep::cli
