// Choosing and naming.
#include "report/anomalies/anomalies_view.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "report/layout/quantities.h"
#include "report/layout/text_width.h"

namespace lockstep::report::anomalies {
namespace {

// Kernels that start before a bubble's end may end in any order; those that end last began lately.
constexpr std::uint32_t kLookBack = 64;
constexpr std::size_t kMaxIdWidth = 40;
constexpr std::size_t kReadingCount = 3;

template <typename E>
std::vector<std::string_view> names_in(analysis::anomalies::EnumSet<E> set, std::size_t count) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < count; ++i) {
    if (set.has(static_cast<E>(i))) names.push_back(name_of(static_cast<E>(i)));
  }
  return names;
}

std::vector<std::uint32_t> all_bubbles(const analysis::anomalies::DeviceAnomalies& device) {
  std::vector<std::uint32_t> order(device.bubbles.size());
  std::iota(order.begin(), order.end(), 0U);
  return order;
}

}  // namespace

std::string device_words(const analysis::anomalies::DeviceTimeline& timeline) {
  const std::string rank =
      timeline.rank_number ? fmt::format("rank {}, ", *timeline.rank_number) : std::string();
  const std::string source =
      timeline.is_told_by_rank ? std::string() : fmt::format(" in {}", one_line(timeline.source));
  const std::string id = layout::shorten_middle(one_line(timeline.device_id), kMaxIdWidth);
  return fmt::format("{}{}{}", rank, layout::with_id("device", id), source);
}

std::string_view id_prefix(const analysis::anomalies::DeviceAnomalies& device) {
  if (device.steps.empty()) return {};
  const std::string_view id = device.steps.front().id;
  return id.substr(0, id.rfind('.') + 1);
}

std::string bubble_id(const analysis::anomalies::DeviceAnomalies& device, std::size_t bubble) {
  return fmt::format("{}b{}", id_prefix(device), bubble);
}

std::vector<std::uint32_t> shown_bubbles(const analysis::anomalies::DeviceAnomalies& device,
                                         BubbleLimit limit) {
  const auto group_of = [&](std::uint32_t i) { return device.steps[device.bubbles[i].step].group; };
  std::vector<std::uint32_t> order = all_bubbles(device);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) {
    return std::pair(group_of(i), Time{} - device.bubbles[i].length());
  });
  std::vector<std::uint32_t> shown;
  std::size_t in_group = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && group_of(order[i]) != group_of(order[i - 1])) in_group = 0;
    if (in_group++ < limit) shown.push_back(order[i]);
  }
  return shown;
}

std::vector<std::uint32_t> longest_bubbles(const analysis::anomalies::DeviceAnomalies& device,
                                           std::size_t count) {
  std::vector<std::uint32_t> order = all_bubbles(device);
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::uint32_t i) { return device.bubbles[i].length(); });
  if (order.size() > count) order.resize(count);
  return order;
}

KernelsAround kernels_around(const analysis::anomalies::DeviceAnomalies& device,
                             const analysis::anomalies::Bubble& bubble, std::size_t count) {
  const std::vector<analysis::anomalies::DeviceWork>& kernels = device.timeline.kernels;
  const auto all = static_cast<std::uint32_t>(kernels.size());
  KernelsAround around;
  const std::uint32_t border = static_cast<std::uint32_t>(
      std::ranges::lower_bound(kernels, bubble.end, {}, &analysis::anomalies::DeviceWork::start) -
      kernels.begin());
  for (std::uint32_t i = border - std::min(border, kLookBack); i < border; ++i) {
    if (kernels[i].end <= bubble.start && i != bubble.kernel_before) around.before.push_back(i);
  }
  if (bubble.kernel_before < all) around.before.push_back(bubble.kernel_before);
  std::ranges::stable_sort(around.before, {}, [&](std::uint32_t i) { return kernels[i].end; });
  if (around.before.size() > count) {
    around.before.erase(around.before.begin(), around.before.end() - static_cast<long>(count));
  }
  const std::uint32_t first = bubble.kernel_after < all ? bubble.kernel_after : border;
  for (std::uint32_t i = first; i < all && around.after.size() < count; ++i) {
    around.after.push_back(i);
  }
  return around;
}

std::string_view kernel_type(const analysis::anomalies::DeviceAnomalies& device,
                             std::uint32_t kernel) {
  return device.ops.rows[device.ops.row_of[kernel]].type;
}

std::string kernel_name(const trace::Trace& trace, const analysis::anomalies::DeviceWork& work) {
  return demangled(trace.text(work.name));
}

std::string_view stream_id(const trace::Trace& trace, trace::TrackId track) {
  return trace.text(trace.tracks[trace::index_of(track)].id.text);
}

std::string_view thread_words(const trace::Trace& trace, trace::TrackId track) {
  const trace::Track& found = trace.tracks[trace::index_of(track)];
  const std::string_view name = trace.text(found.name);
  return name.empty() ? trace.text(found.id.text) : name;
}

std::vector<std::string_view> names_of(analysis::anomalies::Tags tags) {
  return names_in(tags, analysis::anomalies::kTagCount);
}
std::vector<std::string_view> names_of(analysis::anomalies::SoftLabels labels) {
  return names_in(labels, analysis::anomalies::kSoftLabelCount);
}
std::vector<std::string_view> names_of(analysis::anomalies::ClockReadings readings) {
  return names_in(readings, kReadingCount);
}

std::string_view name_of(analysis::anomalies::AnomalyRules rules) {
  return rules == analysis::anomalies::AnomalyRules::kScript ? "script" : "rulebook";
}

bool has_finding(const analysis::anomalies::Anomalies& anomalies,
                 analysis::anomalies::Priority least) {
  return std::ranges::any_of(
      anomalies.devices, [&](const analysis::anomalies::DeviceAnomalies& device) {
        return std::ranges::any_of(device.findings, [&](const analysis::anomalies::Finding& one) {
          return one.priority <= least;
        });
      });
}

}  // namespace lockstep::report::anomalies
