// The sections in their order; each adds nothing when it has nothing to say.
#include "report/anomalies/anomalies_page.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "report/anomalies/anomalies_bubble_page.h"
#include "report/anomalies/anomalies_structure_page.h"
#include "report/anomalies/words/answer_words.h"
#include "report/anomalies/words/word_parts.h"
#include "report/layout/quantities.h"
#include "report/layout/text_width.h"

namespace lockstep::report::anomalies {
namespace {

using Align = layout::Table::Align;

constexpr std::size_t kFindings = 6;
constexpr std::size_t kCauses = 3;
constexpr std::size_t kAdvice = 3;
constexpr std::size_t kArtefacts = 3;
constexpr std::size_t kGroups = 4;
constexpr WideTime kWorthCause = 20;  // a cause of less than a 20th of the first one's time
constexpr WideTime kWorthGroup = 10;  // tags of a group with less than a tenth of the first one's
constexpr std::size_t kMaxTarget = 80;
constexpr std::size_t kTargetFrame = 8;  // what stands around a target: "  P1  ", ":"
constexpr std::string_view kGlobalScope = "global";

std::string joined(const std::vector<std::string_view>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

// Keeps the first few unless all are wanted, and says how many were left out.
void add_some(std::vector<layout::PageItem> items, std::size_t most, bool is_full,
              layout::Page& page) {
  const std::size_t all = items.size();
  if (!is_full && all > most) items.resize(most);
  const std::size_t hidden = all - items.size();
  page.list(std::move(items));
  if (hidden > 0)
    page.paragraph(fmt::format("and {} more (--markdown and --json have all)", grouped(hidden)));
}

// "10 marked steps", "24 passes", "one capture without steps"
std::string step_words(const analysis::anomalies::DeviceAnomalies& device) {
  const std::size_t count = device.steps.size();
  switch (device.steps.empty() ? analysis::anomalies::StepWindow::kPseudo
                               : device.steps.front().window) {
    case analysis::anomalies::StepWindow::kHost:
      return counted(count, "marked step");
    case analysis::anomalies::StepWindow::kDevice:
      return count == 1 ? "1 pass" : grouped(count) + " passes";
    case analysis::anomalies::StepWindow::kPseudo:
      break;
  }
  return "one capture without steps";
}

// All steps of a device together, as the answers count.
struct StepSum {
  WideTime service = 0;
  WideTime busy = 0;

  [[nodiscard]] std::string idle_share() const { return layout::share_of(service - busy, service); }
};

StepSum sum_of(const analysis::anomalies::DeviceAnomalies& device) {
  StepSum sum;
  for (const analysis::anomalies::AnomalyStep& step : device.steps) {
    sum.service += step.facts.gaps.service.ps;
    sum.busy += step.facts.gaps.device_busy.ps;
  }
  return sum;
}

void add_summary(const analysis::anomalies::DeviceAnomalies& device, const AnswerWords& answers,
                 layout::Page& page) {
  const StepSum sum = sum_of(device);
  page.heading(fmt::format(
      "{}: {}, {}; busy {} of {}, idle {}", layout::capitalised(device_words(device.timeline)),
      step_words(device), counted(device.timeline.kernels.size(), "kernel"),
      layout::human_time_of(sum.busy), layout::human_time_of(sum.service), sum.idle_share()));
  std::vector<layout::PageItem> items;
  for (std::size_t i = 0; i < kFiveQuestions.size(); ++i) {
    items.push_back(
        {fmt::format("{}.", i + 1), fmt::format("{} {}", kFiveQuestions[i], answers[i])});
  }
  page.list(std::move(items));
}

struct DeviceFinding {
  const analysis::anomalies::DeviceAnomalies* device;
  const analysis::anomalies::Finding* finding;
  std::size_t number;  // of the device's findings
};

// Of all devices, the most urgent first, then what costs most.
std::vector<DeviceFinding> ordered_findings(
    std::span<const analysis::anomalies::DeviceAnomalies> devices) {
  std::vector<DeviceFinding> all;
  for (const analysis::anomalies::DeviceAnomalies& device : devices) {
    for (std::size_t i = 0; i < device.findings.size(); ++i)
      all.push_back({&device, &device.findings[i], i});
  }
  if (devices.size() == 1) return all;
  std::ranges::stable_sort(all, {}, [](const DeviceFinding& one) {
    return std::pair(one.finding->priority, -one.finding->cost);
  });
  return all;
}

// Short gaps of several groups are one line on a screen: the sentence would be the same.
bool are_told_together(const DeviceFinding& one, const DeviceFinding& other) {
  return one.device == other.device && is_of_short_gaps(*one.finding) &&
         is_of_short_gaps(*other.finding) && one.finding->kind == other.finding->kind &&
         one.finding->priority == other.finding->priority &&
         one.finding->labels == other.finding->labels;
}

struct ToldFinding {
  DeviceFinding first;
  std::vector<const analysis::anomalies::Finding*> together;
};

std::vector<ToldFinding> told_findings(
    std::span<const analysis::anomalies::DeviceAnomalies> devices, bool is_full) {
  std::vector<ToldFinding> told;
  for (const DeviceFinding& one : ordered_findings(devices)) {
    const auto known = std::ranges::find_if(told, [&](const ToldFinding& other) {
      return !is_full && are_told_together(one, other.first);
    });
    if (known == told.end()) {
      told.push_back({one, {one.finding}});
    } else {
      known->together.push_back(one.finding);
    }
  }
  return told;
}

void add_findings(std::span<const analysis::anomalies::DeviceAnomalies> devices,
                  const AnomaliesReport& report, const AnomaliesDetail& detail,
                  layout::Page& page) {
  page.heading("Findings");
  std::vector<layout::PageItem> items;
  for (const auto& [first, together] : told_findings(devices, detail.is_full)) {
    const auto& [device, finding, number] = first;
    const FindingWords& words = report.words_of(*device).findings[number];
    std::string text = together.size() == 1 ? words.text : short_gaps_words(*device, together);
    if (devices.size() > 1)
      text.insert(0, layout::capitalised(device_words(device->timeline)) + ": ");
    if (!finding->labels.empty()) text += fmt::format(" [{}]", joined(names_of(finding->labels)));
    items.push_back({std::string(name_of(finding->priority)), std::move(text),
                     detail.is_full ? words.evidence : std::vector<std::string>()});
  }
  if (items.empty()) page.paragraph("None.");
  add_some(std::move(items), kFindings, detail.is_full, page);
}

void add_groups(const analysis::anomalies::DeviceAnomalies& device, const AnomaliesDetail& detail,
                layout::Page& page) {
  std::vector<std::vector<std::string>> rows;
  std::vector<layout::PageItem> tags;
  for (const analysis::anomalies::StepGroup& group : device.groups) {
    if (!detail.is_full && rows.size() == kGroups) break;
    rows.push_back({group.id, grouped(group.steps.size()), grouped(group.kernels),
                    human_time(group.service.median),
                    layout::percent_of(group.underfeed_ratio_median),
                    human_time(group.prelaunch.median), human_time(group.internal_total.median),
                    human_time(group.own_tail.median), human_time(group.inter_step.median),
                    std::string(name_of(group.pattern))});
    const bool is_worth_it =
        detail.is_full || kWorthGroup * group.total_service >= device.groups.front().total_service;
    if (is_worth_it && !group.dominant_tags.empty()) {
      tags.push_back({group.id, joined(names_of(group.dominant_tags))});
    }
  }
  page.heading(
      fmt::format("Groups of steps, medians ({} of {})", rows.size(), device.groups.size()));
  page.table({{"group", Align::kLeft},
              {"steps", Align::kRight},
              {"kernels", Align::kRight, false, 1},
              {"service", Align::kRight},
              {"idle", Align::kRight},
              {"prelaunch", Align::kRight},
              {"internal", Align::kRight},
              {"tail", Align::kRight, false, 2},
              {"between", Align::kRight, false, 3},
              {"pattern", Align::kLeft}},
             std::move(rows));
  page.list(std::move(tags));
}

void add_steps(const analysis::anomalies::DeviceAnomalies& device, layout::Page& page) {
  std::vector<std::vector<std::string>> rows;
  for (const analysis::anomalies::AnomalyStep& step : device.steps) {
    const analysis::anomalies::GapMetrics& gaps = step.facts.gaps;
    rows.push_back({step.id, step_label(step), device.groups[step.group].id,
                    human_time(gaps.service), human_time(gaps.device_busy),
                    layout::share_of(gaps.underfeed.ps, gaps.service.ps),
                    human_time(gaps.prelaunch), human_time(gaps.prelaunch_launch),
                    human_time(gaps.tail - gaps.inter_step), human_time(gaps.inter_step),
                    human_time(gaps.internal_total), human_time(gaps.largest_internal),
                    step.device_window ? human_time(step.device_shift()) : "-",
                    joined(names_of(step.tags)), joined(names_of(step.labels))});
  }
  page.heading("Steps");
  page.table({{"step", Align::kLeft},
              {"name", Align::kLeft},
              {"group", Align::kLeft},
              {"service", Align::kRight},
              {"busy", Align::kRight},
              {"idle", Align::kRight},
              {"prelaunch", Align::kRight},
              {"by launch", Align::kRight},
              {"tail", Align::kRight},
              {"between", Align::kRight},
              {"internal", Align::kRight},
              {"largest", Align::kRight},
              {"device shift", Align::kRight},
              {"tags", Align::kLeft},
              {"labels", Align::kLeft}},
             std::move(rows));
}

// What one group or step says as all of them do is said once; what explains little is left out.
bool is_left_out(const analysis::anomalies::SoftCause& cause,
                 const analysis::anomalies::DeviceAnomalies& device) {
  if (kWorthCause * cause.bubble_time < device.causes.front().bubble_time) return true;
  if (cause.scope == kGlobalScope) return false;
  return std::ranges::any_of(device.causes, [&](const analysis::anomalies::SoftCause& other) {
    return other.scope == kGlobalScope && other.label == cause.label &&
           other.bubble_time == cause.bubble_time;
  });
}

void add_causes(const analysis::anomalies::DeviceAnomalies& device, const DeviceWords& words,
                const AnomaliesDetail& detail, layout::Page& page) {
  std::vector<layout::PageItem> items;
  for (std::size_t i = 0; i < device.causes.size(); ++i) {
    const analysis::anomalies::SoftCause& cause = device.causes[i];
    const std::vector<std::string>& evidence = words.causes[i];
    if (!detail.is_full && is_left_out(cause, device)) continue;
    const std::string target = cause.target.empty() ? "" : " " + cause.target;
    // A screen has the figure alone: bubbles and findings tell what the chain is made of.
    std::string text = fmt::format("{}, {}{}: ", name_of(cause.label), cause.scope, target);
    text += evidence.empty() ? layout::human_time_of(cause.bubble_time) + " of gaps."
                             : evidence.front();
    const std::size_t told = std::min<std::size_t>(evidence.size(), 1);
    layout::PageItem& item =
        items.emplace_back(std::string(name_of(cause.confidence)), std::move(text));
    if (detail.is_full)
      item.notes.assign(evidence.begin() + static_cast<std::ptrdiff_t>(told), evidence.end());
  }
  if (items.empty()) return;
  page.heading("What may be behind it, and how sure that is");
  add_some(std::move(items), kCauses, detail.is_full, page);
}

void add_advice(const AnomaliesReport& report, const AnomaliesDetail& detail, layout::Page& page) {
  const std::vector<analysis::anomalies::Recommendation>& all = report.anomalies.recommendations;
  if (all.empty()) return;
  std::vector<layout::PageItem> items;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const analysis::anomalies::Recommendation& one = all[i];
    const RecommendationWords& words = report.words.recommendations[i];
    std::string target = words.target.empty() ? "" : " " + words.target;
    if (!detail.is_full) {
      const std::size_t room = std::max(detail.width, kTargetFrame) - kTargetFrame;
      target = layout::shorten_middle(one_line(target), std::min(kMaxTarget, room));
    }
    std::string text = fmt::format("{}{}: {}", one.scope, target, words.action);
    if (one.followup_required) text += " Follow-up required.";
    if (!words.evidence_gap.empty()) text += " " + words.evidence_gap;
    items.push_back({std::string(name_of(one.priority)), std::move(text)});
  }
  page.heading("What to do");
  add_some(std::move(items), kAdvice, detail.is_full, page);
}

void add_artefacts(const analysis::anomalies::DeviceAnomalies& device, const DeviceWords& words,
                   const AnomaliesDetail& detail, layout::Page& page) {
  if (device.artefacts.empty()) return;
  std::vector<layout::PageItem> items;
  for (std::size_t i = 0; i < device.artefacts.size(); ++i) {
    const analysis::anomalies::Artefact& one = device.artefacts[i];
    const analysis::anomalies::AnomalyStep& step = device.steps[one.step];
    items.push_back({std::string(name_of(one.tag)),
                     fmt::format("{} of {} ({} of it) is no idleness but an artefact, because {}",
                                 human_time(one.idle), step_name(step),
                                 layout::share_of(one.idle.ps, step.facts.gaps.service.ps),
                                 words.artefacts[i])});
  }
  page.heading("Artefacts");
  add_some(std::move(items), kArtefacts, detail.is_full, page);
}

void add_evidence_gaps(const AnomalyWords& words, layout::Page& page) {
  if (words.evidence_gaps.empty()) return;
  std::vector<layout::PageItem> items;
  for (const std::string& gap : words.evidence_gaps) items.push_back({"-", gap});
  page.heading("Evidence that the traces lack");
  page.list(std::move(items));
}

void add_device(const analysis::anomalies::DeviceAnomalies& device, const AnomaliesReport& report,
                const AnomaliesDetail& detail, layout::Page& page) {
  const DeviceWords& words = report.words_of(device);
  add_summary(device, words.answers, page);
  // A screen tells one device, but what was found on all.
  add_findings(detail.is_full ? std::span(&device, 1) : std::span(report.anomalies.devices), report,
               detail, page);
  if (detail.is_brief) return;
  add_groups(device, detail, page);
  if (detail.is_full) add_steps(device, page);
  add_bubbles(device, report.trace, detail, page);
  add_structure(device, detail, page);
  add_operators(device, words.small_ops, detail, page);
  add_wait_anchors(device, detail, page);
  add_aicpu(device, report.trace, detail, page);
  add_causes(device, words, detail, page);
  add_artefacts(device, words, detail, page);
}

// The device of the most urgent finding; without findings the one that takes most time.
std::size_t told_device(const analysis::anomalies::Anomalies& anomalies) {
  const std::vector<DeviceFinding> findings = ordered_findings(anomalies.devices);
  if (findings.empty()) return anomalies.dominant_device;
  return static_cast<std::size_t>(findings.front().device - anomalies.devices.data());
}

void add_all_devices(const analysis::anomalies::Anomalies& anomalies,
                     std::optional<std::size_t> told, layout::Page& page) {
  if (anomalies.devices.size() < 2) return;
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < anomalies.devices.size(); ++i) {
    const analysis::anomalies::DeviceAnomalies& device = anomalies.devices[i];
    const StepSum sum = sum_of(device);
    rows.push_back(
        {told == i ? "*" : "", device_words(device.timeline), grouped(device.steps.size()),
         layout::human_time_of(sum.busy), sum.idle_share(), human_time(device.global.largest),
         grouped(device.findings.size()),
         device.findings.empty() ? "-" : std::string(name_of(device.findings.front().priority))});
  }
  page.heading(told ? "All devices, * is told below" : "All devices");
  page.table({{"", Align::kLeft},
              {"device", Align::kLeft},
              {"steps", Align::kRight},
              {"busy", Align::kRight},
              {"idle", Align::kRight},
              {"largest gap", Align::kRight},
              {"findings", Align::kRight},
              {"most urgent", Align::kLeft}},
             std::move(rows));
}

}  // namespace

layout::Page anomalies_page(const AnomaliesReport& report, const AnomaliesDetail& detail) {
  const analysis::anomalies::Anomalies& anomalies = report.anomalies;
  const std::size_t told = told_device(anomalies);
  layout::Page page;
  add_all_devices(anomalies, detail.is_full ? std::nullopt : std::optional(told), page);
  for (std::size_t i = 0; i < anomalies.devices.size(); ++i) {
    if (!detail.is_full && i != told) continue;
    add_device(anomalies.devices[i], report, detail, page);
  }
  if (detail.is_brief) return page;
  add_advice(report, detail, page);
  add_evidence_gaps(report.words, page);
  return page;
}

}  // namespace lockstep::report::anomalies
