// Flags, their defaults in the help, and which make no sense together.
#include "cli/options/cycles_options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"

namespace lockstep::cli {
namespace {

constexpr std::array<std::string_view, 2> kMethods = {"repetitions", "anchor"};
constexpr std::array<std::string_view, 3> kModes = {"auto", "prefill", "decode"};
constexpr std::array<std::string_view, 3> kSymbols = {"name", "signature", "role"};
constexpr std::array<std::string_view, 3> kRepetitionFlags = {"--symbol", "--pass-tolerance",
                                                              "--layer-tolerance"};
constexpr std::string_view kAnchorPrefix = "--anchor-";  // of all flags of the anchor method

// The place of `word` among `words`, or a usage error that tells them.
Result<std::size_t> place_in(std::span<const std::string_view> words, std::string_view option,
                             std::string_view word) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == word) return i;
  }
  const std::string_view nearest = nearest_word(word, words);
  const std::string question = nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest);
  return usage_error(fmt::format("{} '{}' is not known{}", option, word, question),
                     nearest.empty() ? fmt::format("Known are {}", fmt::join(words, ", ")) : "");
}

void add_percentage(CLI::App& app, std::string_view name, double& value, std::string_view help) {
  app.add_option(std::string(name), value, fmt::format("{} (default {:g})", help, value))
      ->type_name("PCT")
      ->check(is_percentage);
}

void add_number(CLI::App& app, std::string_view name, std::uint32_t& value, std::string_view help) {
  app.add_option(std::string(name), value, fmt::format("{} (default {})", help, value))
      ->type_name("N")
      ->check(is_whole_number);
}

std::optional<double> non_negative_number(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  if (failure != std::errc() || stop != end || !std::isfinite(value) || value < 0) {
    return std::nullopt;
  }
  return value;
}

// The first flag on the command line that belongs to the other method, in the order of the help.
std::string stray_flag(const CLI::App& app, analysis::cycles::CycleMethod method) {
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name();
    const bool is_stray = method == analysis::cycles::CycleMethod::kAnchor
                              ? std::ranges::count(kRepetitionFlags, name) > 0
                              : name.starts_with(kAnchorPrefix);
    if (is_stray && option->count() > 0) return name;
  }
  return {};
}

}  // namespace

std::string is_percentage(const std::string& text) {
  const std::optional<double> value = non_negative_number(text);
  return value && *value <= 100 ? "" : "'" + text + "' is not a percentage from 0 to 100";
}

std::string is_any_percentage(const std::string& text) {
  return non_negative_number(text) ? "" : "'" + text + "' is not a percentage from 0 on";
}

std::string is_whole_number(const std::string& text) {
  const bool is_number = !text.empty() && text.size() <= 9 &&
                         text.find_first_not_of("0123456789") == std::string::npos;
  return is_number ? "" : "'" + text + "' is not a whole number";
}

void CyclesFlags::add_to(CLI::App& app) {
  app_ = &app;
  app.add_option("--method", method_, "repetitions (default) or anchor")->type_name("METHOD");
  app.add_option("--mode", mode_, "auto (default), prefill or decode: the loop to select")
      ->type_name("MODE");
  app.add_option("--symbol", symbol_, "what makes two kernels the same: name, signature or role")
      ->type_name("LEVEL");
  add_percentage(app, "--pass-tolerance", pass_tolerance_,
                 "kernels of a pass that may differ by name");
  add_percentage(app, "--layer-tolerance", layer_tolerance_,
                 "kernels of a layer that may differ by role");
  add_anchor_options(app);
}

void CyclesFlags::add_anchor_options(CLI::App& app) {
  add_number(app, "--anchor-min-count", anchor_.min_count, "anchor: how often it appears at least");
  add_percentage(app, "--anchor-max-share", anchor_max_share_,
                 "anchor: share of all kernels that it is at most");
  add_number(app, "--anchor-min-length", anchor_.min_length,
             "anchor: kernels of a cycle, at least");
  add_percentage(app, "--anchor-gap-tolerance", anchor_gap_tolerance_,
                 "anchor: how far distances between two may differ");
  add_percentage(app, "--anchor-match", anchor_match_,
                 "anchor: names of a cycle that equal the first one's");
  add_number(app, "--anchor-min-repetitions", anchor_.min_repetitions,
             "anchor: cycles that match, the first one among them");
  add_number(app, "--anchor-min-outer", anchor_.min_outer_for_sub,
             "anchor: cycles longer than this may have sub-cycles");
  add_number(app, "--anchor-min-sub-length", anchor_.min_sub_length,
             "anchor: kernels of a sub-cycle, at least");
  add_number(app, "--anchor-min-sub-count", anchor_.min_sub_count,
             "anchor: how often a sub-cycle's first kernel appears");
  add_percentage(app, "--anchor-sub-gap-tolerance", anchor_sub_gap_tolerance_,
                 "anchor: how far distances of sub-cycles may differ");
  add_percentage(app, "--anchor-sub-match", anchor_sub_match_,
                 "anchor: signatures of a sub-cycle that are equal");
  add_number(app, "--anchor-min-sub-pairs", anchor_.min_sub_pairs,
             "anchor: neighbouring sub-cycles that match");
}

Result<analysis::cycles::CyclesOptions> CyclesFlags::resolve() const {
  analysis::cycles::CyclesOptions options;
  LOCKSTEP_ASSIGN_OR_RETURN(const std::size_t method, place_in(kMethods, "--method", method_));
  LOCKSTEP_ASSIGN_OR_RETURN(const std::size_t mode, place_in(kModes, "--mode", mode_));
  options.method = static_cast<analysis::cycles::CycleMethod>(method);
  options.mode = static_cast<analysis::cycles::CycleMode>(mode);
  const std::string stray = stray_flag(*app_, options.method);
  if (!stray.empty()) {
    return usage_error(fmt::format("{} has no meaning with --method {}", stray, method_));
  }
  if (!symbol_.empty()) {
    LOCKSTEP_ASSIGN_OR_RETURN(const std::size_t symbol, place_in(kSymbols, "--symbol", symbol_));
    options.symbol = static_cast<analysis::cycles::SymbolLevel>(symbol);
  }
  options.pass_tolerance = pass_tolerance_ / 100;
  options.layer_tolerance = layer_tolerance_ / 100;
  options.anchor = anchor_;
  options.anchor.max_share = anchor_max_share_ / 100;
  options.anchor.gap_tolerance = anchor_gap_tolerance_ / 100;
  options.anchor.match = anchor_match_ / 100;
  options.anchor.sub_gap_tolerance = anchor_sub_gap_tolerance_ / 100;
  options.anchor.sub_match = anchor_sub_match_ / 100;
  return options;
}

}  // namespace lockstep::cli
