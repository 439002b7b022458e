// Sections of the report, each a function that returns nothing when it has nothing to say.
#include "report/info/info_page.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "report/info/device_page.h"
#include "report/info/health_text.h"
#include "report/info/source_page.h"
#include "report/layout/input_words.h"
#include "report/layout/quantities.h"
#include "report/layout/table.h"
#include "report/layout/text_width.h"

namespace lockstep::report::info {
namespace {

using Align = layout::Table::Align;

constexpr std::size_t kMaxAnnotations = 8;
constexpr std::size_t kLabelWidth = 13;
constexpr std::size_t kStepFrame = 8;  // what stands around the name of a step: "  ", " to "

std::string labelled(std::string_view label, std::string_view text,
                     const layout::TextStyle& style) {
  std::string out;
  std::string first = fmt::format("{:<{}}", label, kLabelWidth);
  for (const std::string& line :
       layout::wrap(text, style.width - std::min(style.width, kLabelWidth))) {
    out += first + line + "\n";
    first.assign(kLabelWidth, ' ');
  }
  return out;
}

std::string event_counts(const analysis::summary::Summary& summary) {
  // Threads that hold only instants and counters are not counted.
  const std::string threads =
      summary.host_threads == 0 ? "the host" : counted(summary.host_threads, "host thread");
  return fmt::format("{}: {}, {} on {}; {}", grouped(summary.events),
                     counted(summary.kernels, "kernel"), grouped(summary.host_events), threads,
                     counted(summary.flows, "flow"));
}

std::string kind_counts(const analysis::summary::Summary& summary) {
  std::string out;
  for (std::size_t i = 0; i < trace::kKindCount; ++i) {
    if (summary.by_kind[i] == 0) continue;
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", name_of(static_cast<trace::Kind>(i)),
                       grouped(summary.by_kind[i]));
  }
  return out;
}

std::string busy_words(const analysis::summary::Summary& summary) {
  std::size_t devices = 0;
  for (const analysis::summary::RankSummary& rank : summary.ranks) devices += rank.devices.size();
  const WideTime whole = summary.device_span * static_cast<WideTime>(devices);
  const std::string of_devices = devices > 1 ? fmt::format(" on each of {} devices", devices) : "";
  return fmt::format("{}, {} of the {} from first to last device work{}",
                     layout::human_time_of(summary.device_busy),
                     layout::share_of(summary.device_busy, whole),
                     layout::human_time_of(summary.device_span), of_devices);
}

// Where the numbers of ranks come from, when there is something to say on it.
std::string rank_words(const analysis::summary::Summary& summary) {
  std::array<std::size_t, 3> by_evidence{};
  for (const analysis::summary::RankSummary& rank : summary.ranks) {
    ++by_evidence[static_cast<std::size_t>(rank.number_from)];
  }
  const std::size_t by_name = by_evidence[static_cast<std::size_t>(trace::RankEvidence::kName)];
  const std::size_t unknown = by_evidence[static_cast<std::size_t>(trace::RankEvidence::kNone)];
  if (summary.ranks.size() < 2 && by_name == 0) return {};
  std::string out = grouped(summary.ranks.size());
  if (by_name == summary.ranks.size()) return out + ", numbered by the names of the inputs";
  if (by_name == 0 && unknown == 0) return out + ", numbered by the inputs themselves";
  if (by_name > 0) out += fmt::format(", {} numbered by name", grouped(by_name));
  if (unknown > 0) out += fmt::format(", {} without a number", grouped(unknown));
  return out;
}

std::string head(const analysis::summary::Summary& summary, const layout::TextStyle& style) {
  std::string out = "\n";
  if (summary.clock == Clock::kEpoch && summary.origin_ns) {
    out += labelled("captured", utc_date(*summary.origin_ns), style);
  }
  if (const std::string ranks = rank_words(summary); !ranks.empty()) {
    out += labelled("ranks", ranks, style);
  }
  out += labelled("span", layout::human_time_of(summary.span), style);
  if (summary.device_span > 0) out += labelled("device busy", busy_words(summary), style);
  out += labelled("events", event_counts(summary), style);
  if (summary.events > 0) out += labelled("kinds", kind_counts(summary), style);
  return out;
}

// The middle one, or the mean of the middle two.
Time median_of(const std::vector<Time>& sorted) {
  const Time upper = sorted[sorted.size() / 2];
  if (sorted.size() % 2 == 1) return upper;
  const Time lower = sorted[sorted.size() / 2 - 1];
  return Time{lower.ps + (upper.ps - lower.ps) / 2};
}

std::string named(const std::string& name) { return name.empty() ? "(no name)" : name; }

// A name for one line, in at most `width` columns.
std::string shown_name(const std::string& name, std::size_t width) {
  return layout::shorten_middle(one_line(named(name)), width);
}

std::string steps_section(const analysis::summary::Summary& summary,
                          const layout::TextStyle& style) {
  if (summary.steps.empty()) return {};
  std::vector<Time> durations;
  for (const analysis::summary::StepSummary& step : summary.steps)
    durations.push_back(step.end - step.start);
  std::ranges::sort(durations);
  const std::size_t room = std::max(style.width / 2, kStepFrame) - kStepFrame;
  const std::string first = shown_name(summary.steps.front().name, room);
  const std::string title = fmt::format("Steps ({} marked)", grouped(summary.steps.size()));
  std::string out = "\n" + style.heading(title) + "\n";
  if (durations.size() == 1) {
    return out + fmt::format("  {}, {}\n", first, human_time(durations.front()));
  }
  // Ranks mark the same step each.
  const std::string last = shown_name(summary.steps.back().name, room);
  const std::string range = first == last ? last : fmt::format("{} to {}", first, last);
  return out + fmt::format("  {}\n  shortest {}, median {}, longest {}\n", range,
                           human_time(durations.front()), human_time(median_of(durations)),
                           human_time(durations.back()));
}

std::string annotations_section(const analysis::summary::Summary& summary,
                                const layout::TextStyle& style) {
  if (summary.annotations.empty()) return {};
  layout::Table table({{"count", Align::kRight}, {"name", Align::kLeft, true}});
  const std::size_t shown = std::min(summary.annotations.size(), kMaxAnnotations);
  for (std::size_t i = 0; i < shown; ++i) {
    table.add_row({grouped(summary.annotations[i].count), named(summary.annotations[i].name)});
  }
  std::string out = "\n" + style.heading("Annotations") + "\n" + table.render(style.width);
  if (shown < summary.annotations.size()) {
    out += fmt::format("  and {} more\n", grouped(summary.annotations.size() - shown));
  }
  return out;
}

std::string collectives_section(const analysis::summary::Summary& summary,
                                const layout::TextStyle& style) {
  if (summary.collectives.empty()) return {};
  layout::Table table({{"count", Align::kRight},
                       {"total", Align::kRight},
                       {"share of kernel time", Align::kRight, false, 1},
                       {"collective", Align::kLeft, true}});
  for (const analysis::summary::CollectiveSummary& row : summary.collectives) {
    table.add_row({grouped(row.count), layout::human_time_of(row.total),
                   layout::share_of(row.total, summary.kernel_time), row.op});
  }
  return "\n" + style.heading("Collectives") + "\n" + table.render(style.width);
}

std::string kernels_section(const analysis::summary::Summary& summary,
                            const layout::TextStyle& style) {
  if (summary.top_kernels.empty()) return {};
  layout::Table table({{"count", Align::kRight},
                       {"total", Align::kRight},
                       {"share", Align::kRight},
                       {"min", Align::kRight, false, 1},
                       {"mean", Align::kRight, false, 3},
                       {"max", Align::kRight, false, 2},
                       {"kernel", Align::kLeft, true}});
  WideTime shown = 0;
  for (const analysis::summary::KernelNameSummary& kernel : summary.top_kernels) {
    shown += kernel.total;
    table.add_row({grouped(kernel.count), layout::human_time_of(kernel.total),
                   layout::share_of(kernel.total, summary.kernel_time), human_time(kernel.min),
                   layout::human_time_of(kernel.total / static_cast<WideTime>(kernel.count)),
                   human_time(kernel.max), named(kernel.name)});
  }
  const std::string title = fmt::format(
      "Top kernels by time ({} of {} names, {} of {} kernel time)",
      grouped(summary.top_kernels.size()), grouped(summary.kernel_names),
      layout::share_of(shown, summary.kernel_time), layout::human_time_of(summary.kernel_time));
  std::string out = "\n";
  for (const std::string& line : layout::wrap(title, style.width))
    out += style.heading(line) + "\n";
  return out + table.render(style.width);
}

}  // namespace

std::string info_text(const analysis::summary::Summary& summary,
                      std::span<const formats::input::InputFacts> inputs,
                      const layout::TextStyle& style) {
  return layout::input_lines(inputs, style) + head(summary, style) +
         devices_section(summary, style) + steps_section(summary, style) +
         annotations_section(summary, style) + collectives_section(summary, style) +
         kernels_section(summary, style) + sources_section(summary, style) +
         health_section(summary.diagnostics, inputs.size(), style);
}

}  // namespace lockstep::report::info
