// The sections in their order; each adds nothing when it has nothing to say.
#include "report/info/info_page.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "algo/statistics/statistics.h"
#include "base/text.h"
#include "report/info/device_page.h"
#include "report/info/source_page.h"
#include "report/layout/health_text.h"
#include "report/layout/input_words.h"
#include "report/layout/quantities.h"
#include "report/layout/text_width.h"
#include "trace/flow_binder.h"

namespace lockstep::report::info {
namespace {

using Align = layout::Table::Align;

constexpr std::size_t kMaxAnnotations = 8;
constexpr std::size_t kStepFrame = 8;  // what stands around the name of a step: "  ", " to "

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

void add_head(const analysis::summary::Summary& summary, layout::Page& page) {
  std::vector<layout::PageItem> facts;
  if (summary.clock == Clock::kEpoch && summary.origin_ns) {
    facts.push_back({"captured", utc_date(*summary.origin_ns)});
  }
  if (std::string ranks = rank_words(summary); !ranks.empty()) {
    facts.push_back({"ranks", std::move(ranks)});
  }
  facts.push_back({"span", layout::human_time_of(summary.span)});
  if (summary.device_span > 0) facts.push_back({"device busy", busy_words(summary)});
  facts.push_back({"events", event_counts(summary)});
  if (summary.events > 0) facts.push_back({"kinds", kind_counts(summary)});
  page.facts(std::move(facts));
}

// A name for one line, in at most `width` columns.
std::string shown_name(const std::string& name, std::size_t width) {
  return layout::shorten_middle(one_line(layout::named(name)), width);
}

// "shortest 3.1 ms, median 3.2 ms, longest 4 ms"; of one step "3.1 ms".
std::string spread_words(std::vector<std::int64_t> durations) {
  const algo::OrderStatistics order = algo::order_statistics(durations);
  if (durations.size() == 1) return human_time(Time{order.p50});
  return fmt::format("shortest {}, median {}, longest {}", human_time(Time{order.min}),
                     human_time(Time{order.p50}), human_time(Time{order.max}));
}

// A marker tells how long the host took; the device may run far behind it.
void add_steps(const analysis::summary::Summary& summary, std::size_t width, layout::Page& page) {
  if (summary.steps.empty()) return;
  std::vector<std::int64_t> on_host;
  std::vector<std::int64_t> on_device;
  for (const analysis::summary::StepSummary& step : summary.steps) {
    on_host.push_back((step.end - step.start).ps);
    const auto& window = step.work.window;
    if (window) on_device.push_back((window->end - window->start).ps);
  }
  const std::size_t room = std::max(width / 2, kStepFrame) - kStepFrame;
  const std::string first = shown_name(summary.steps.front().name, room);
  page.heading(fmt::format("Steps ({} marked)", grouped(summary.steps.size())));
  // Ranks mark the same step each.
  const std::string last = shown_name(summary.steps.back().name, room);
  page.line(first == last ? last : fmt::format("{} to {}", first, last));
  page.line("on the host: " + spread_words(std::move(on_host)));
  if (!on_device.empty()) page.line("on the device: " + spread_words(std::move(on_device)));
}

void add_annotations(const analysis::summary::Summary& summary, layout::Page& page) {
  if (summary.annotations.empty()) return;
  std::vector<std::vector<std::string>> rows;
  const std::size_t shown = std::min(summary.annotations.size(), kMaxAnnotations);
  for (const auto& annotation : std::span(summary.annotations).first(shown)) {
    rows.push_back({grouped(annotation.count), layout::named(annotation.name)});
  }
  page.heading("Annotations");
  page.table({{"count", Align::kRight}, {"name", Align::kLeft, true}}, std::move(rows));
  if (shown < summary.annotations.size()) {
    page.line(fmt::format("and {} more", grouped(summary.annotations.size() - shown)));
  }
}

void add_collectives(const analysis::summary::Summary& summary, layout::Page& page) {
  if (summary.collectives.empty()) return;
  std::vector<std::vector<std::string>> rows;
  for (const analysis::summary::CollectiveSummary& row : summary.collectives) {
    rows.push_back({grouped(row.count), layout::human_time_of(row.total),
                    layout::share_of(row.total, summary.kernel_time), row.op});
  }
  page.heading("Collectives");
  page.table({{"count", Align::kRight},
              {"total", Align::kRight},
              {"share of kernel time", Align::kRight, false, 1},
              {"collective", Align::kLeft, true}},
             std::move(rows));
}

void add_kernels(const analysis::summary::Summary& summary, layout::Page& page) {
  if (summary.top_kernels.empty()) return;
  std::vector<std::vector<std::string>> rows;
  WideTime shown = 0;
  for (const analysis::summary::KernelNameSummary& kernel : summary.top_kernels) {
    shown += kernel.total;
    rows.push_back({grouped(kernel.count), layout::human_time_of(kernel.total),
                    layout::share_of(kernel.total, summary.kernel_time), human_time(kernel.min),
                    layout::human_time_of(kernel.total / static_cast<WideTime>(kernel.count)),
                    human_time(kernel.max), layout::named(kernel.name)});
  }
  page.heading(fmt::format(
      "Top kernels by time ({} of {}, {} of {} kernel time)", grouped(summary.top_kernels.size()),
      counted(summary.kernel_names, "name"), layout::share_of(shown, summary.kernel_time),
      layout::human_time_of(summary.kernel_time)));
  page.table({{"count", Align::kRight},
              {"total", Align::kRight},
              {"share", Align::kRight},
              {"min", Align::kRight, false, 1},
              {"mean", Align::kRight, false, 3},
              {"max", Align::kRight, false, 2},
              {"kernel", Align::kLeft, true, 0, layout::Table::Holds::kKernels}},
             std::move(rows));
}

}  // namespace

layout::Page info_page(const analysis::summary::Summary& summary,
                       std::span<const formats::input::InputFacts> inputs,
                       const layout::PageRoom& room) {
  layout::Page page;
  layout::add_inputs(inputs, page);
  if (is_inside_kernels(summary))
    page.remark("This is the inside of kernels: 'lockstep kernel decode' reads it.");
  add_head(summary, page);
  add_devices(summary, page);
  add_steps(summary, room.names, page);
  add_annotations(summary, page);
  add_collectives(summary, page);
  add_kernels(summary, page);
  add_sources(summary, page);
  // Ends of arrows that lead nowhere matter where some device work lacks its launch.
  layout::add_health(summary.diagnostics, inputs.size(), "Health", page,
                     summary.is_all_launched ? &trace::kUnmatchedFlow : nullptr);
  return page;
}

std::string info_text(const analysis::summary::Summary& summary,
                      std::span<const formats::input::InputFacts> inputs,
                      const layout::TextStyle& style) {
  return layout::page_text(info_page(summary, inputs, layout::PageRoom::of(style)), style);
}

std::string info_markdown(const analysis::summary::Summary& summary,
                          std::span<const formats::input::InputFacts> inputs) {
  return layout::page_markdown("What the trace holds", info_page(summary, inputs, {}));
}

}  // namespace lockstep::report::info
