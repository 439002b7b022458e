// Which bubbles are drawn, what is drawn around them, and the words below.
#include "report/anomalies/anomalies_bubble_page.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/kernels/short_name.h"
#include "base/text.h"
#include "report/anomalies/gap_drawing.h"
#include "report/anomalies/host_marks.h"
#include "report/anomalies/words/word_parts.h"
#include "report/layout/quantities.h"
#include "report/layout/text_width.h"

namespace lockstep::report::anomalies {
namespace {

constexpr std::size_t kChosenBubbles = 3;
// A bubble beside a longer one is drawn when it is at least this part of it.
constexpr std::int64_t kWorthForFinding = 10;
constexpr std::int64_t kWorthWithout = 4;
constexpr std::size_t kMaxHostName = 60;
constexpr std::int64_t kLeastParts = 1'000;  // smaller shares round to 0.0 %
constexpr std::size_t kDrawnKernels = 4;     // before and after
constexpr std::size_t kMaxStreams = 3;
constexpr std::size_t kIndent = 2;  // of drawings on a terminal
constexpr std::string_view kFullBlock = "\u2588";
constexpr std::string_view kDarkShade = "\u2593";
constexpr std::string_view kMediumShade = "\u2592";

// Bubbles at one place of the steps of a group are one to look at.
auto place_of(const analysis::anomalies::DeviceAnomalies& device,
              const analysis::anomalies::Bubble& bubble) {
  return std::tuple(device.steps[bubble.step].group, bubble.scope, bubble.position);
}

// What findings point at, then the longest; where they are long beside the first.
std::vector<std::uint32_t> chosen_bubbles(const analysis::anomalies::DeviceAnomalies& device) {
  std::vector<std::uint32_t> chosen;
  Time longest;
  const auto choose = [&](std::uint32_t i, std::int64_t part) {
    if (device.bubbles[i].length().ps < longest.ps / part) return;
    const auto is_same = [&](std::uint32_t other) {
      return place_of(device, device.bubbles[i]) == place_of(device, device.bubbles[other]);
    };
    if (chosen.size() == kChosenBubbles || std::ranges::any_of(chosen, is_same)) return;
    chosen.push_back(i);
    longest = std::max(longest, device.bubbles[i].length());
  };
  for (const analysis::anomalies::Finding& finding : device.findings) {
    if (finding.bubble) choose(*finding.bubble, kWorthForFinding);
  }
  for (const std::uint32_t i : longest_bubbles(device, device.bubbles.size())) {
    choose(i, kWorthWithout);
  }
  return chosen;
}

class BubblePage {
 public:
  BubblePage(const analysis::anomalies::DeviceAnomalies& device, const trace::Trace& trace,
             const AnomaliesDetail& detail, layout::Page& page)
      : device_(device), trace_(trace), detail_(detail), page_(page) {}

  void add(std::span<const std::uint32_t> bubbles) {
    std::vector<GapDrawing> drawings;
    std::vector<HostWindow> windows;
    for (const std::uint32_t i : bubbles) {
      drawings.push_back(frame_of(device_.bubbles[i]));
      const Time service = device_.steps[device_.bubbles[i].step].facts.gaps.service;
      windows.push_back({{drawings.back().start.ps, drawings.back().end.ps},
                         std::max(service, drawings.back().end - drawings.back().start)});
    }
    std::vector<std::vector<DrawnSpan>> marks = host_marks(trace_, device_.timeline.rank, windows);
    for (std::size_t i = 0; i < bubbles.size(); ++i) {
      drawings[i].lanes.push_back({"host", std::move(marks[i])});
      add_one(bubbles[i], drawings[i]);
    }
    if (!bubbles.empty()) page_.paragraph(std::string(kHostLegend));
  }

 private:
  void add_one(std::uint32_t index, const GapDrawing& drawing) {
    const analysis::anomalies::Bubble& bubble = device_.bubbles[index];
    page_.subheading(title_of(bubble, index));
    page_.drawing(draw_gap(drawing, detail_.width - kIndent));
    page_.list(kernels_of(bubble));
    page_.paragraph(facts_of(bubble) + " " + evidence_of(bubble));
  }

  // What is drawn of the device: some kernels before and after, and the streams that ran them.
  [[nodiscard]] GapDrawing frame_of(const analysis::anomalies::Bubble& bubble) const {
    const KernelsAround around = kernels_around(device_, bubble, kDrawnKernels);
    GapDrawing drawing{bubble.start, bubble.start, bubble.end, bubble.end, {}, "idle"};
    if (bubble.is_artefact()) drawing.gap_words = "not recorded";
    for (const std::uint32_t i : around.before) {
      drawing.start = std::min(drawing.start, device_.timeline.kernels[i].start);
    }
    for (const std::uint32_t i : around.after) {
      drawing.end = std::max(drawing.end, device_.timeline.kernels[i].end);
    }
    std::map<trace::TrackId, DrawnLane> lanes;
    for (const auto* kernels : {&around.before, &around.after}) {
      for (const std::uint32_t i : *kernels) add_span(device_.timeline.kernels[i], lanes);
    }
    for (auto& [track, lane] : lanes) {
      if (drawing.lanes.size() < kMaxStreams) drawing.lanes.push_back(std::move(lane));
    }
    add_copies(drawing);
    return drawing;
  }

  // Neighbours differ, so that a border shows where no gap is.
  void add_span(const analysis::anomalies::DeviceWork& work,
                std::map<trace::TrackId, DrawnLane>& lanes) const {
    DrawnLane& lane = lanes[work.track];
    if (lane.name.empty()) lane.name = fmt::format("stream {}", stream_id(trace_, work.track));
    const bool is_even = lane.spans.size() % 2 == 0;
    lane.spans.push_back({work.start, work.end, is_even ? kFullBlock : kDarkShade});
  }

  void add_copies(GapDrawing& drawing) const {
    DrawnLane lane{"copies", {}};
    for (const analysis::anomalies::DeviceWork& copy : device_.timeline.copies) {
      if (copy.start >= drawing.end) break;
      if (copy.end > drawing.start) lane.spans.push_back({copy.start, copy.end, kMediumShade});
    }
    if (!lane.spans.empty()) drawing.lanes.push_back(std::move(lane));
  }

  [[nodiscard]] std::string title_of(const analysis::anomalies::Bubble& bubble,
                                     std::uint32_t index) const {
    const analysis::anomalies::AnomalyStep& step = device_.steps[bubble.step];
    const std::string name = step_name(step);
    std::string place = "inside " + name;
    if (bubble.scope == analysis::anomalies::BubbleScope::kPrelaunch)
      place = "at the start of " + name;
    if (bubble.scope == analysis::anomalies::BubbleScope::kTail) place = "at the end of " + name;
    if (bubble.scope == analysis::anomalies::BubbleScope::kInterStep) place = "behind " + name;
    std::string words =
        fmt::format("{}: {} {}", bubble_id(device_, index), human_time(bubble.length()), place);
    if (bubble.position != analysis::anomalies::kNoKernel &&
        bubble.scope == analysis::anomalies::BubbleScope::kInternal) {
      words += fmt::format(", before kernel {} of {}", grouped(bubble.position),
                           grouped(step.kernels.size()));
    }
    return words + fmt::format(", from {} on", human_time(bubble.start));
  }

  [[nodiscard]] std::vector<layout::PageItem> kernels_of(
      const analysis::anomalies::Bubble& bubble) const {
    const KernelsAround around = kernels_around(device_, bubble, detail_.is_full ? 2 : 1);
    std::vector<layout::PageItem> items;
    for (const std::uint32_t i : around.before) items.push_back({"before", kernel_words(i)});
    for (const std::uint32_t i : around.after) items.push_back({"after", kernel_words(i)});
    return items;
  }

  [[nodiscard]] std::string kernel_words(std::uint32_t i) const {
    const analysis::anomalies::DeviceWork& work = device_.timeline.kernels[i];
    const std::string words = fmt::format("{}, {}, stream {}: ", human_time(work.duration()),
                                          kernel_type(device_, i), stream_id(trace_, work.track));
    if (detail_.is_full || detail_.has_full_names) return words + kernel_name(trace_, work);
    const std::string name = one_line(analysis::kernels::short_form(kernel_name(trace_, work)));
    const std::size_t taken = layout::display_width(words) + 10;
    return words +
           layout::shorten_middle(name, std::max<std::size_t>(detail_.width, taken + 16) - taken);
  }

  // Facts: the split by launch.
  [[nodiscard]] std::string facts_of(const analysis::anomalies::Bubble& bubble) const {
    if (!bubble.has_launch) return "The file does not say who launched the kernel after it.";
    std::string words = fmt::format("{} until the kernel after it was launched, {} queued.",
                                    human_time(bubble.host_part), human_time(bubble.queued_part));
    const std::string call = host_name(bubble.launch_call);
    const std::string op = host_name(bubble.launch_op);
    const std::string outermost = host_name(bubble.outermost_op);
    if (!call.empty()) words += fmt::format(" Launched by {}", call);
    if (!op.empty()) words += fmt::format(" in {}", op);
    if (!outermost.empty() && outermost != op) words += fmt::format(" in {}", outermost);
    if (!call.empty()) words += ".";
    const auto late = static_cast<std::size_t>(bubble.late_stage);
    if (bubble.late_stage != analysis::anomalies::LaunchStage::kUnknown) {
      words += fmt::format(" Late: {} ({}).", stage_words(bubble.late_stage),
                           human_time(bubble.stages[late]));
    }
    return words;
  }

  // Empty for no event.
  [[nodiscard]] std::string host_name(trace::EventId event) const {
    if (event == trace::kNoEvent) return {};
    const std::string name = demangled(trace_.text(trace_.events.name[trace::index_of(event)]));
    if (detail_.is_full) return name;
    return layout::shorten_middle(one_line(analysis::kernels::short_form(name)), kMaxHostName);
  }

  [[nodiscard]] static std::string_view stage_words(analysis::anomalies::LaunchStage stage) {
    switch (stage) {
      case analysis::anomalies::LaunchStage::kHost:
        return "the host before the operator";
      case analysis::anomalies::LaunchStage::kOperator:
        return "the operator before its launch";
      case analysis::anomalies::LaunchStage::kTaskQueue:
        return "the task queue";
      case analysis::anomalies::LaunchStage::kCall:
        return "the launch call";
      case analysis::anomalies::LaunchStage::kDevice:
        return "the device after the launch";
      case analysis::anomalies::LaunchStage::kUnknown:
        break;
    }
    return "unknown";
  }

  // What lay in it, and what that may mean.
  [[nodiscard]] std::string evidence_of(const analysis::anomalies::Bubble& bubble) const {
    const Time length = bubble.length();
    const auto is_worth_saying = [&](Time time) { return kLeastParts * time.ps >= length.ps; };
    std::string words = fmt::format("Seen on the host in {} of it",
                                    layout::share_of(bubble.host_covered.ps, length.ps));
    const auto part = [&](std::string_view what, Time time) {
      if (is_worth_saying(time)) {
        words += fmt::format(", {} {}", what, layout::share_of(time.ps, length.ps));
      }
    };
    part("synchronising or copying", bubble.sync_covered);
    part("communicating", bubble.comm_covered);
    part("Python", bubble.python_covered);
    part("profiler", bubble.overhead_covered);
    if (is_worth_saying(bubble.copied)) {
      words += fmt::format("; device copies in {}", layout::share_of(bubble.copied.ps, length.ps));
    }
    words += ".";
    if (bubble.inside_op != trace::kNoEvent) {
      words += fmt::format(" The host was inside {}.", host_name(bubble.inside_op));
    }
    if (bubble.is_unrecorded) return words + " No idleness: work that was not recorded.";
    if (bubble.is_opaque)
      return words + " No idleness: a graph replay that shows hardly any kernel.";
    if (bubble.touches_edge) words += " It touches the edge of the capture.";
    return words + fmt::format(" {}.", fmt::join(names_of(bubble.labels), ", "));
  }

  const analysis::anomalies::DeviceAnomalies& device_;
  const trace::Trace& trace_;
  const AnomaliesDetail& detail_;
  layout::Page& page_;
};

}  // namespace

void add_bubbles(const analysis::anomalies::DeviceAnomalies& device, const trace::Trace& trace,
                 const AnomaliesDetail& detail, layout::Page& page) {
  const std::vector<std::uint32_t> bubbles =
      detail.bubbles ? shown_bubbles(device, *detail.bubbles) : chosen_bubbles(device);
  if (bubbles.empty()) return;
  page.heading(fmt::format("Bubbles ({} of {}{})", grouped(bubbles.size()),
                           grouped(device.bubbles.size()),
                           detail.bubbles || bubbles.size() == device.bubbles.size()
                               ? ""
                               : "; --bubbles N or all shows more"));
  BubblePage(device, trace, detail, page).add(bubbles);
}

}  // namespace lockstep::report::anomalies
