// The options that say how loops are found: shared by `cycles` and `compare`.
#pragma once

#include <string>
#include <string_view>

#include "analysis/cycles/cycles.h"
#include "base/result.h"
#include "cli/options/option_table.h"

namespace lockstep::cli {

struct CyclesFlags {
  // `mode_details` is what the reference says on --mode, which `compare` takes otherwise.
  void add_to(OptionTable& table, std::string_view mode_details = {});
  // What the words mean; a usage error for words that mean nothing, or nothing together.
  [[nodiscard]] Result<analysis::cycles::CyclesOptions> resolve() const;

 private:
  void add_anchor_options(OptionTable& table);
  void add_sub_cycle_options(OptionTable& table);

  std::string method_ = "repetitions";
  std::string mode_ = "auto";
  std::string symbol_;
  analysis::cycles::CyclesOptions defaults_;
  // In percent, as people say them.
  double pass_tolerance_ = 100 * defaults_.pass_tolerance;
  double layer_tolerance_ = 100 * defaults_.layer_tolerance;
  double anchor_max_share_ = 100 * defaults_.anchor.max_share;
  double anchor_gap_tolerance_ = 100 * defaults_.anchor.gap_tolerance;
  double anchor_match_ = 100 * defaults_.anchor.match;
  double anchor_sub_gap_tolerance_ = 100 * defaults_.anchor.sub_gap_tolerance;
  double anchor_sub_match_ = 100 * defaults_.anchor.sub_match;
  analysis::cycles::AnchorOptions anchor_;
  const OptionTable* table_ = nullptr;
};

}  // namespace lockstep::cli
