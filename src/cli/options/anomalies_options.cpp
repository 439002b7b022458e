// Words and numbers, and the sentences for those that are none.
#include "cli/options/anomalies_options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "cli/options/value_checks.h"

namespace lockstep::cli {
namespace {

constexpr std::array<std::string_view, 2> kCompat = {"rulebook", "script"};
constexpr std::array<std::string_view, 4> kPriorities = {"P0", "P1", "P2", "P3"};
constexpr std::string_view kAll = "all";
constexpr std::string_view kBubblesDetails =
    "bubbles of each group of steps to draw or list, the longest first; `all` for all. By default "
    "the text draws up to three places, those that findings point at first, and none that is "
    "short beside them; JSON and Markdown have five of each group";
constexpr std::string_view kCompatDetails =
    "`rulebook` (default): `DEVICE_IDLE_GAP_HEAVY` by any of the rulebook's four conditions; "
    "`script`: by the idle share alone, gaps judged with artefacts, dispatch gaps and the edges "
    "of the capture, and labels as the reference's script gives them";

std::string guess(std::string_view word, std::span<const std::string_view> words) {
  const std::string_view nearest = nearest_word(word, words);
  return nearest.empty() ? std::string() : fmt::format("; did you mean '{}'?", nearest);
}

Error unknown_threshold(std::string_view name) {
  std::vector<std::string_view> names;
  for (const analysis::anomalies::ThresholdField& field : analysis::anomalies::threshold_fields())
    names.push_back(field.name);
  return usage_error(fmt::format("no threshold '{}'{}", name, guess(name, names)),
                     fmt::format("Known are {}", fmt::join(names, ", ")));
}

Status apply_threshold(const std::string& words, analysis::anomalies::Thresholds& thresholds) {
  const std::size_t sign = words.find('=');
  if (sign == std::string::npos) {
    return usage_error(fmt::format("--threshold '{}' has no value", words),
                       "Give it as NAME=VALUE, like heavy_gap_us=500");
  }
  const std::string_view name = std::string_view(words).substr(0, sign);
  const auto fields = analysis::anomalies::threshold_fields();
  const auto field = std::ranges::find(fields, name, &analysis::anomalies::ThresholdField::name);
  if (field == fields.end()) return unknown_threshold(name);
  const std::string_view text = std::string_view(words).substr(sign + 1);
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, value);
  if (failure != std::errc() || stop != end || !std::isfinite(value) || value < 0) {
    return usage_error(fmt::format("the threshold {} cannot be '{}'", name, text),
                       fmt::format("Give a number from 0 on, like {:g}, its default",
                                   analysis::anomalies::Thresholds().*field->value));
  }
  thresholds.*field->value = value;
  return {};
}

}  // namespace

void AnomaliesFlags::add_to(OptionTable& table) {
  table.add({.names = "--bubbles",
             .target = &bubbles_,
             .value = "N|all",
             .help = fmt::format("bubbles of each group of steps to show, or all (JSON: {})",
                                 report::anomalies::kBubblesPerGroup),
             .details = std::string(kBubblesDetails),
             .words = {std::string(kAll)}});
  table.add({.names = "--compat",
             .target = &compat_,
             .value = "RULES",
             .help = "rules for idle devices: rulebook (default), or script, the reference's "
                     "variant",
             .details = std::string(kCompatDetails),
             .words = {kCompat.begin(), kCompat.end()}});
  table.add({.names = "--threshold",
             .target = &thresholds_,
             .value = "NAME=VALUE",
             .help = "set a number that a verdict depends on; can be given again",
             .details = "sets one of the [thresholds](anomalies.md#thresholds) that verdicts "
                        "depend on, like `heavy_gap_us=500`; can be given again. A name that is "
                        "not known is answered with all names"});
  table.add({.names = "--fail-on",
             .target = &fail_on_,
             .value = "PRIORITY",
             .help = "exit 1 when something of this priority (P0 to P3) or a higher one is found",
             .details = "exit with 1 when a finding of this priority (`P0` to `P3`) or a higher "
                        "one exists (`P0` is the highest)",
             .words = {kPriorities.begin(), kPriorities.end()}});
}

Result<analysis::anomalies::AnomaliesOptions> AnomaliesFlags::resolve() const {
  analysis::anomalies::AnomaliesOptions options;
  if (std::ranges::count(kCompat, compat_) == 0) {
    return usage_error(
        fmt::format("--compat '{}' is not known{}", compat_, guess(compat_, kCompat)),
        fmt::format("Known are {}", fmt::join(kCompat, ", ")));
  }
  options.rules = compat_ == kCompat.front() ? analysis::anomalies::AnomalyRules::kRulebook
                                             : analysis::anomalies::AnomalyRules::kScript;
  for (const std::string& words : thresholds_) {
    LOCKSTEP_RETURN_IF_ERROR(apply_threshold(words, options.thresholds));
  }
  return options;
}

Result<std::optional<analysis::anomalies::Priority>> AnomaliesFlags::fail_on() const {
  if (!fail_on_) return std::optional<analysis::anomalies::Priority>();
  const auto found = std::ranges::find(kPriorities, *fail_on_);
  if (found == kPriorities.end()) {
    return usage_error(fmt::format("--fail-on '{}' is no priority", *fail_on_),
                       "Give P0 (most urgent), P1, P2 or P3");
  }
  return std::optional(static_cast<analysis::anomalies::Priority>(found - kPriorities.begin()));
}

Result<std::optional<report::anomalies::BubbleLimit>> AnomaliesFlags::bubbles() const {
  if (!bubbles_) return std::optional<report::anomalies::BubbleLimit>();
  if (*bubbles_ == kAll) return std::optional(report::anomalies::kAllBubbles);
  if (!is_whole_number(*bubbles_).empty()) {
    return usage_error(fmt::format("--bubbles '{}' is no number", *bubbles_),
                       "Give a whole number, or all");
  }
  report::anomalies::BubbleLimit count = 0;
  std::from_chars(bubbles_->data(), bubbles_->data() + bubbles_->size(), count);
  return std::optional(count);
}

}  // namespace lockstep::cli
