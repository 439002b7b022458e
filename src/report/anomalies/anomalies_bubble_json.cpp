// One bubble: facts by flow, facts by overlap, the kernels around it, what may be behind it.
#include "report/anomalies/anomalies_bubble_json.h"

#include <fmt/format.h>

#include "analysis/anomalies/timeline/ratio.h"
#include "base/text.h"
#include "report/layout/quantities.h"
#include "report/sinks/json_row.h"

namespace lockstep::report::anomalies {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kKernelsAround = 2;

Json name_or_null(const trace::Trace& trace, trace::EventId event) {
  if (event == trace::kNoEvent) return nullptr;
  return std::string(trace.text(trace.events.name[trace::index_of(event)]));
}

class BubbleWriter {
 public:
  BubbleWriter(const analysis::anomalies::DeviceAnomalies& device, const trace::Trace& trace,
               sinks::JsonText& text)
      : device_(device), trace_(trace), text_(text) {}

  void write(std::uint32_t index) {
    const analysis::anomalies::Bubble& bubble = device_.bubbles[index];
    text_.begin_object();
    write_place(bubble, index);
    write_shares(bubble);
    write_launch(bubble);
    write_evidence(bubble);
    write_kernels(bubble);
    text_.member("touches_capture_edge", bubble.touches_edge);
    text_.member("artefact", artefact_of(bubble));
    text_.end_object();
  }

 private:
  void write_place(const analysis::anomalies::Bubble& bubble, std::uint32_t index) {
    const analysis::anomalies::AnomalyStep& step = device_.steps[bubble.step];
    text_.member("bubble_id", bubble_id(device_, index));
    text_.member("scope", name_of(bubble.scope));
    text_.member("step_id", step.id);
    text_.member("group_id", device_.groups[step.group].id);
    text_.raw_member("start_us", sinks::exact_us(bubble.start));
    text_.raw_member("end_us", sinks::exact_us(bubble.end));
    text_.member("start_ns", floor_ns(bubble.start));
    text_.member("end_ns", floor_ns(bubble.end));
    text_.raw_member("duration_ms", sinks::exact_ms(bubble.length()));
    text_.member("duration_ns", floor_ns(bubble.length()));
    text_.member("position", bubble.position == analysis::anomalies::kNoKernel
                                 ? Json(nullptr)
                                 : Json(bubble.position));
    text_.member("candidate_labels", names_of(bubble.labels));
  }

  void write_shares(const analysis::anomalies::Bubble& bubble) {
    const auto share = [&](std::string_view key, Time part) {
      text_.raw_member(key,
                       sinks::exact_ratio(analysis::anomalies::ratio_of(part, bubble.length())));
    };
    share("host_visible_coverage_ratio", bubble.host_covered);
    share("sync_marker_overlap_ratio", bubble.sync_covered);
    share("comm_marker_overlap_ratio", bubble.comm_covered);
    share("copy_overlap_ratio", bubble.copied);
    share("python_overlap_ratio", bubble.python_covered);
    share("profiler_overlap_ratio", bubble.overhead_covered);
    text_.raw_member("host_parallelism", sinks::exact_ratio(bubble.host_parallelism));
  }

  void write_launch(const analysis::anomalies::Bubble& bubble) {
    const auto part = [&](Time time) {
      return bubble.has_launch ? Json(floor_ns(time)) : Json(nullptr);
    };
    text_.member("host_part_ns", part(bubble.host_part));
    text_.member("queued_part_ns", part(bubble.queued_part));
    text_.raw_member("launched_by", launch_json(bubble));
    text_.member("inside_op", name_or_null(trace_, bubble.inside_op));
  }

  [[nodiscard]] std::string launch_json(const analysis::anomalies::Bubble& bubble) const {
    if (!bubble.has_launch || bubble.launch_call == trace::kNoEvent) return "null";
    const std::size_t call = trace::index_of(bubble.launch_call);
    sinks::JsonRow stages;
    for (std::size_t i = 0; i < analysis::anomalies::kLaunchStageCount; ++i) {
      stages.member(fmt::format("{}_ns", name_of(static_cast<analysis::anomalies::LaunchStage>(i))),
                    floor_ns(bubble.stages[i]));
    }
    return sinks::JsonRow()
        .member("op", name_or_null(trace_, bubble.launch_op))
        .member("outermost_op", name_or_null(trace_, bubble.outermost_op))
        .member("call", name_or_null(trace_, bubble.launch_call))
        .member("call_start_ns", floor_ns(trace_.events.start[call]))
        .member("call_end_ns", floor_ns(trace_.events.end(call)))
        .member("thread", std::string(thread_words(trace_, trace_.events.track[call])))
        .member("late_stage", name_of(bubble.late_stage))
        .raw("stages", stages.finish())
        .finish();
  }

  void write_evidence(const analysis::anomalies::Bubble& bubble) {
    Json names = Json::array();
    for (const trace::EventId op : bubble.evidence_ops) names.push_back(name_or_null(trace_, op));
    text_.member("evidence_ops", names);
    text_.begin_array("evidence_events");
    for (const trace::EventId op : bubble.evidence_ops) {
      const std::size_t i = trace::index_of(op);
      text_.raw_element(
          sinks::JsonRow()
              .member("name", name_or_null(trace_, op))
              .member("kind", name_of(trace_.events.kind[i]))
              .member("thread", std::string(thread_words(trace_, trace_.events.track[i])))
              .member("start_ns", floor_ns(trace_.events.start[i]))
              .member("duration_ns", floor_ns(trace_.events.duration[i]))
              .finish());
    }
    text_.end_array();
  }

  void write_kernels(const analysis::anomalies::Bubble& bubble) {
    const KernelsAround around = kernels_around(device_, bubble, kKernelsAround);
    write_kernels("kernels_before", around.before);
    write_kernels("kernels_after", around.after);
  }

  void write_kernels(std::string_view key, const std::vector<std::uint32_t>& kernels) {
    text_.begin_array(key);
    for (const std::uint32_t i : kernels) {
      const analysis::anomalies::DeviceWork& work = device_.timeline.kernels[i];
      text_.raw_element(sinks::JsonRow()
                            .member("name", kernel_name(trace_, work))
                            .member("type", kernel_type(device_, i))
                            .member("kind", name_of(work.kind))
                            .member("stream", std::string(stream_id(trace_, work.track)))
                            .member("start_ns", floor_ns(work.start))
                            .member("duration_ns", floor_ns(work.duration()))
                            .finish());
    }
    text_.end_array();
  }

  [[nodiscard]] static Json artefact_of(const analysis::anomalies::Bubble& bubble) {
    if (bubble.is_unrecorded) return name_of(analysis::anomalies::Tag::kUnrecordedWork);
    if (bubble.is_opaque) return name_of(analysis::anomalies::Tag::kGraphReplayOpaque);
    return nullptr;
  }

  const analysis::anomalies::DeviceAnomalies& device_;
  const trace::Trace& trace_;
  sinks::JsonText& text_;
};

}  // namespace

void write_bubbles(const analysis::anomalies::DeviceAnomalies& device, const trace::Trace& trace,
                   BubbleLimit limit, sinks::JsonText& text) {
  BubbleWriter writer(device, trace, text);
  for (const std::uint32_t i : shown_bubbles(device, limit)) writer.write(i);
}

}  // namespace lockstep::report::anomalies
