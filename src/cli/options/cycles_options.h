// The options that say how loops are found: shared by `cycles` and `compare`.
#pragma once

#include <string>

#include "analysis/cycles/cycles.h"
#include "base/result.h"

namespace CLI {
class App;
}

namespace lockstep::cli {

struct CyclesFlags {
  void add_to(CLI::App& app);
  // What the words mean; a usage error for words that mean nothing, or nothing together.
  [[nodiscard]] Result<analysis::cycles::CyclesOptions> resolve() const;

 private:
  void add_anchor_options(CLI::App& app);

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
  CLI::App* app_ = nullptr;
};

// Empty when `text` is a percentage (a share of something; one that may exceed it), or a whole
// number; CLI11 shows the rest after the option.
[[nodiscard]] std::string is_percentage(const std::string& text);
[[nodiscard]] std::string is_any_percentage(const std::string& text);
[[nodiscard]] std::string is_whole_number(const std::string& text);

}  // namespace lockstep::cli
