// Anomalies made by hand for the tests of sinks: two marked steps of three kernels on two streams.
// The first begins late, the second stalls in a copy before its last kernel; behind it lies idle
// time that was not recorded.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analysis/anomalies/anomalies.h"
#include "report/anomalies/anomalies_view.h"
#include "trace/trace_for_test.h"

namespace lockstep::report::anomalies {

inline Time at_us(std::int64_t us) { return Time{us * kPicosecondsPerMicrosecond}; }

struct AnomaliesFixture {
  AnomaliesFixture() {
    build_trace();
    analysis::anomalies::DeviceAnomalies device;
    build_timeline(device);
    build_steps(device);
    build_bubbles(device);
    build_group(device);
    build_ops(device);
    build_structure(device);
    build_verdicts(device);
    anomalies.devices.push_back(std::move(device));
    anomalies.steps_are_marked = true;
    anomalies.recommendations.resize(2);
    anomalies.recommendations[0].priority = analysis::anomalies::Priority::kP1;
    anomalies.recommendations[0].scope = "step_group";
    anomalies.recommendations[0].followup_required = true;
    anomalies.recommendations[1].scope = "global";
    anomalies.evidence_gaps.resize(1);
    build_words();
  }

  // Its words are written by hand. What tests add says the same as what is there.
  [[nodiscard]] AnomaliesReport report() const {
    AnomalyWords told = words;
    told.devices.resize(anomalies.devices.size(), told.devices.front());
    for (std::size_t i = 0; i < told.devices.size(); ++i) {
      DeviceWords& device = told.devices[i];
      device.findings.resize(anomalies.devices[i].findings.size(), device.findings.back());
    }
    if (anomalies.evidence_gaps.empty()) told.evidence_gaps.clear();
    return {anomalies, options, source.trace, inputs, std::move(told)};
  }
  [[nodiscard]] analysis::anomalies::DeviceAnomalies& device() { return anomalies.devices.front(); }

  trace::TestTrace source;
  analysis::anomalies::Anomalies anomalies;
  analysis::anomalies::AnomaliesOptions options;
  AnomalyWords words;
  std::vector<formats::input::InputFacts> inputs = {
      {"a.json", "kineto", io::Compression::kNone, 1, 1}};

 private:
  static constexpr std::int64_t kUs = 1'000;

  // Kernels: gemm 400-500, norm 500-550 on the side, gemm 550-700 | gemm 1000-1200, gemm 1200-1300,
  // Cast 1700-1710. Steps: 0-1000, 1000-2000.
  void build_trace() {
    const trace::DeviceId device = source.add_device("0");
    main_ = source.add_stream(device, "7");
    side_ = source.add_stream(device, "20");
    source.add_step("ProfilerStep#1", 0, 1000 * kUs);
    source.add_step("ProfilerStep#2", 1000 * kUs, 1900 * kUs);
    op_ = source.add(source.host, trace::Kind::kHostOp, "aten::to", 1310 * kUs, 380 * kUs);
    inner_ = source.add(source.host, trace::Kind::kHostOp, "aten::copy_", 1320 * kUs, 360 * kUs);
    call_ = source.add(source.host, trace::Kind::kRuntimeCall, "cudaMemcpyAsync", 1330 * kUs,
                       340 * kUs);
    launch_ =
        source.add(source.host, trace::Kind::kRuntimeCall, "cudaLaunchKernel", 1672 * kUs, 5 * kUs);
    add_kernel(main_, "gemm", 400, 500);
    add_kernel(side_, "norm", 500, 550);
    add_kernel(main_, "gemm", 550, 700);
    add_kernel(main_, "gemm", 1000, 1200);
    add_kernel(main_, "gemm", 1200, 1300);
    add_kernel(main_, "Cast", 1700, 1710);
    source.trace.flows.push_back({launch_, work_.back().event, trace::Flow::Kind::kLaunch, {}});
    work_.back().launched_by = launch_;
  }

  void add_kernel(trace::TrackId track, std::string_view name, std::int64_t from_us,
                  std::int64_t to_us) {
    const trace::EventId event =
        source.add(track, trace::Kind::kKernel, name, from_us * kUs, (to_us - from_us) * kUs);
    analysis::anomalies::DeviceWork work;
    work.start = at_us(from_us);
    work.end = at_us(to_us);
    work.event = event;
    work.track = track;
    work.name = source.trace.strings.intern(name);
    work_.push_back(work);
  }

  void build_timeline(analysis::anomalies::DeviceAnomalies& device) {
    device.timeline.device_id = "0";
    device.timeline.rank_number = 0;
    device.timeline.source = "a.json";
    device.timeline.kernels = work_;
    device.global = {
        at_us(1310), at_us(610),
        at_us(660),  at_us(700),
        at_us(400),  {{at_us(1300).ps, at_us(1700).ps}, {at_us(700).ps, at_us(1000).ps}}};
  }

  static void build_steps(analysis::anomalies::DeviceAnomalies& device) {
    for (std::int64_t i = 0; i < 2; ++i) {
      analysis::anomalies::AnomalyStep step;
      step.id = std::to_string(i);
      step.marker = "ProfilerStep#" + std::to_string(i + 1);
      step.window = analysis::anomalies::StepWindow::kHost;
      step.start = at_us(1000 * i);
      step.end = at_us(1000 * (i + 1));
      step.marker_end = at_us(i == 0 ? 1000 : 1900);
      const auto first = static_cast<std::uint32_t>(3 * i);
      step.kernels = {first, first + 1, first + 2};
      device.steps.push_back(step);
    }
    analysis::anomalies::AnomalyStep& late = device.steps[0];
    late.device_window = std::pair(at_us(400), at_us(700));
    late.facts.gaps.service = at_us(1000);
    late.facts.gaps.device_busy = at_us(300);
    late.facts.gaps.underfeed = at_us(700);
    late.facts.gaps.prelaunch = at_us(400);
    late.facts.gaps.prelaunch_launch = at_us(400);
    late.facts.gaps.tail = at_us(300);
    late.tags = {analysis::anomalies::Tag::kDeviceIdleGapHeavy,
                 analysis::anomalies::Tag::kPrelaunchGapHeavy};
    late.reasons = {
        {analysis::anomalies::Tag::kDeviceIdleGapHeavy,
         {{.ground = analysis::anomalies::Ground::kUnderfeed, .ratio = 0.7, .bound = 0.3}}},
        {analysis::anomalies::Tag::kPrelaunchGapHeavy,
         {{.ground = analysis::anomalies::Ground::kPrelaunchGap,
           .value = at_us(400),
           .limit = at_us(100)}}}};
    late.labels = {analysis::anomalies::SoftLabel::kUntracedHostBlocking};
    analysis::anomalies::AnomalyStep& stalled = device.steps[1];
    stalled.facts.gaps.service = at_us(1000);
    stalled.facts.gaps.device_busy = Time{310'123'456};
    stalled.facts.gaps.internal_total = at_us(400);
    stalled.facts.gaps.largest_internal = at_us(400);
    stalled.facts.gaps.bubble_count = 1;
    stalled.facts.gaps.significant_bubble_count = 2;
    stalled.facts.gaps.artefact_idle = at_us(290);
    stalled.tags = {analysis::anomalies::Tag::kUnrecordedWork};
  }

  void build_bubbles(analysis::anomalies::DeviceAnomalies& device) {
    analysis::anomalies::Bubble late;
    late.scope = analysis::anomalies::BubbleScope::kPrelaunch;
    late.start = at_us(0);
    late.end = at_us(400);
    late.kernel_after = 0;
    late.position = 0;
    late.labels = {analysis::anomalies::SoftLabel::kUntracedHostBlocking};
    late.touches_edge = true;
    analysis::anomalies::Bubble stall;
    stall.step = 1;
    stall.start = at_us(1300);
    stall.end = at_us(1700);
    stall.kernel_before = 4;
    stall.kernel_after = 5;
    stall.position = 2;
    stall.has_launch = true;
    stall.host_part = at_us(377);
    stall.queued_part = at_us(23);
    stall.launch_call = launch_;
    stall.launch_op = inner_;
    stall.outermost_op = op_;
    stall.stages = {at_us(10), at_us(362), at_us(0), at_us(5), at_us(23), at_us(0)};
    stall.late_stage = analysis::anomalies::LaunchStage::kOperator;
    stall.inside_op = inner_;
    stall.copied = at_us(100);
    stall.host_covered = at_us(380);
    stall.sync_covered = at_us(340);
    stall.host_parallelism = 1;
    stall.evidence_ops = {call_, launch_};
    stall.labels = {analysis::anomalies::SoftLabel::kSyncOrH2d};
    analysis::anomalies::Bubble behind;
    behind.step = 1;
    behind.scope = analysis::anomalies::BubbleScope::kTail;
    behind.start = at_us(1710);
    behind.end = at_us(2000);
    behind.kernel_before = 5;
    behind.labels = {analysis::anomalies::SoftLabel::kInsufficientEvidence};
    behind.is_unrecorded = true;
    device.bubbles = {late, stall, behind};
  }

  static void build_group(analysis::anomalies::DeviceAnomalies& device) {
    analysis::anomalies::StepGroup group;
    group.id = "g0";
    group.steps = {0, 1};
    group.kernels = 3;
    group.total_service = at_us(2000).ps;
    group.service = {1'000'000'000.0, at_us(1000), at_us(1000), at_us(1000)};
    group.largest_internal = {200'000'000.0, at_us(200), at_us(360), at_us(380)};
    group.underfeed_ratio = 0.695;
    group.bubble_step_share = 1;
    group.is_recurring = true;
    group.recurring = {
        {4, 5, 2, 1, at_us(400), at_us(400).ps, {1}, {analysis::anomalies::SoftLabel::kSyncOrH2d}}};
    group.pattern = analysis::anomalies::IdlePattern::kMixed;
    group.dominant_tags = {analysis::anomalies::Tag::kDeviceIdleGapHeavy};
    group.labels = {analysis::anomalies::SoftLabel::kSyncOrH2d};
    group.requires_followup = true;
    group.shape_example = std::pair(0U, 1U);
    device.groups = {group};
  }

  analysis::anomalies::OpRow op_row(std::string_view name, std::uint64_t count, std::int64_t us,
                                    std::int64_t wait_us) {
    analysis::anomalies::OpRow row;
    row.name = source.trace.strings.intern(name);
    row.text = name;
    row.type = "AI_CORE";
    row.count = count;
    row.duration = at_us(us).ps;
    row.to_device = at_us(wait_us).ps;
    row.to_stream = at_us(wait_us + 1).ps;
    row.to_compute = at_us(wait_us + 2).ps;
    return row;
  }

  void build_ops(analysis::anomalies::DeviceAnomalies& device) {
    device.ops.rows = {op_row("gemm", 4, 550, 300), op_row("Cast", 1, 10, 400),
                       op_row("norm", 1, 50, 0)};
    device.ops.rows[1].is_wait_anchor = true;
    device.ops.rows[1].exported_wait = at_us(390).ps;
    device.ops.by_duration = {0, 2, 1};
    device.ops.row_of = {0, 2, 0, 0, 0, 1};
    device.ops.wait_anchors = {1};
    device.ops.compute_wait_anchors = {1};
    device.ops.aicpu = {{1, at_us(50), at_us(5), analysis::anomalies::AicpuClass::kExposed}};
    device.ops.small.count = 1;
    device.ops.small.all = 6;
    device.ops.small.duration = at_us(10).ps;
    device.ops.small.gaps = at_us(400).ps;
  }

  static void build_structure(analysis::anomalies::DeviceAnomalies& device) {
    analysis::anomalies::StructureBreakdown breakdown;
    breakdown.step = 1;
    breakdown.evidence = analysis::anomalies::StructureEvidence::kLoop;
    breakdown.clocks = {at_us(710), at_us(310), at_us(310).ps, at_us(710).ps};
    breakdown.readings = {analysis::anomalies::ClockReading::kBubbles,
                          analysis::anomalies::ClockReading::kWaitHeavy};
    for (const bool is_layer : {true, false}) {
      analysis::anomalies::Structure one;
      if (is_layer) {
        one.name.kind =
            analysis::anomalies::LoopBody{.role = analysis::cycles::LoopRole::kLayer, .kernels = 2};
        one.name.number = 1;
      } else {
        one.name.kind = analysis::anomalies::RestOfStep::kTail;
      }
      one.is_layer = is_layer;
      one.start = at_us(is_layer ? 1000 : 1700);
      one.end = at_us(is_layer ? 1300 : 1710);
      one.kernels = is_layer ? 2 : 1;
      one.clocks = {one.end - one.start, one.end - one.start, (one.end - one.start).ps,
                    (one.end - one.start).ps};
      one.share_of_step = is_layer ? 0.3 : 0.01;
      one.computing_share = 1;
      one.gap_before = at_us(is_layer ? 0 : 400);
      one.block.kernels = one.kernels;
      one.block.clocks = one.clocks;
      one.block.ops = {{is_layer ? 0U : 1U, one.kernels, one.clocks}};
      one.block.by_duration = {0};
      breakdown.structures.push_back(one);
      breakdown.types.push_back({one.name.kind, 1, one.clocks, {}, 0, WideTime{one.gap_before.ps}});
    }
    breakdown.bubbles_between = at_us(400).ps;
    device.structures = {breakdown};
  }

  static void build_verdicts(analysis::anomalies::DeviceAnomalies& device) {
    device.artefacts = {{analysis::anomalies::Tag::kUnrecordedWork, 1, at_us(290), 2}};
    analysis::anomalies::Finding stall;
    stall.kind = analysis::anomalies::FindingKind::kStepOutlier;
    stall.priority = analysis::anomalies::Priority::kP1;
    stall.step = 1;
    stall.scope = analysis::anomalies::BubbleScope::kInternal;
    stall.bubble = 1;
    stall.cost = at_us(400).ps;
    stall.labels = {analysis::anomalies::SoftLabel::kSyncOrH2d};
    analysis::anomalies::Finding bound;
    bound.kind = analysis::anomalies::FindingKind::kLaunchBound;
    bound.priority = analysis::anomalies::Priority::kP2;
    bound.cost = at_us(700).ps;
    bound.labels = {analysis::anomalies::SoftLabel::kHostLaunchLag};
    device.findings = {stall, bound};
    device.causes = {{analysis::anomalies::SoftLabel::kSyncOrH2d,
                      analysis::anomalies::Confidence::kMedium,
                      "group",
                      "g0",
                      at_us(400).ps,
                      {}},
                     {analysis::anomalies::SoftLabel::kUntracedHostBlocking,
                      analysis::anomalies::Confidence::kLow,
                      "global",
                      "",
                      at_us(400).ps,
                      {}}};
    device.requires_host_followup = true;
    device.confidence = analysis::anomalies::Confidence::kMedium;
  }

  void build_words() {
    DeviceWords device;
    for (std::size_t i = 0; i < device.answers.size(); ++i) {
      device.answers[i] = "Answer " + std::to_string(i + 1) + ".";
    }
    device.findings = {{"ProfilerStep#2 idles for 400.000 us before Cast.",
                        {"the device ran nothing for 400.000 us",
                         "cudaMemcpyAsync covers 85 % of it", "possible: a synchronising copy"}},
                       {"Group g0 waits for launches.", {}}};
    device.causes = {{"1 of 2 steps"}, {}};
    device.artefacts = {"the host waits for the device while nothing is recorded"};
    device.small_ops = "Small kernels do not matter.";
    words.devices = {device};
    words.recommendations = {
        {"g0", "Keep the copy off the critical path.", "No Python stacks were recorded."},
        {"", "Record shapes.", ""}};
    words.evidence_gaps = {"No Python stacks: the code behind a stall is not known."};
  }

  trace::TrackId main_{};
  trace::TrackId side_{};
  trace::EventId op_ = trace::kNoEvent;
  trace::EventId inner_ = trace::kNoEvent;
  trace::EventId call_ = trace::kNoEvent;
  trace::EventId launch_ = trace::kNoEvent;
  std::vector<analysis::anomalies::DeviceWork> work_;
};

}  // namespace lockstep::report::anomalies
