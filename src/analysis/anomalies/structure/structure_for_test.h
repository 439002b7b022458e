// A step of a device with loops and annotations made by hand, for tests of structures.
#pragma once

#include <array>
#include <numeric>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "analysis/anomalies/structure/annotation_cuts.h"
#include "analysis/anomalies/structure/structure.h"
#include "analysis/anomalies/structure/structure_cuts.h"
#include "analysis/anomalies/timeline/timeline_for_test.h"

namespace lockstep::analysis::anomalies {

// Add kernels to `device`, then settle(), then loops; input() is the whole capture.
class TestStep {
 public:
  // `count` kernels on the main stream, each 20 us long and 25 us after the one before begins.
  void add_kernels(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) device.add("k", 25 * next_++, 20);
  }
  // The same, each launched 1 us earlier.
  void add_launched(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::int64_t at = 25'000 * next_++;
      device.trace.launch(device.main, "k", at - 1000, at, 20'000, next_);
    }
  }
  // Around the launches of main-stream kernels [first, last).
  void annotate(std::string_view name, std::int64_t first, std::int64_t last) {
    device.trace.add(device.trace.host, trace::Kind::kAnnotation, name, 25'000 * first - 2000,
                     25'000 * (last - first));
  }

  void settle() {
    timeline = device.timeline();
    gaps = kernel_gaps(timeline);
    ops = make_op_table(device.trace.trace, timeline, gaps, {});
    kernels.resize(timeline.kernels.size());
    std::iota(kernels.begin(), kernels.end(), 0U);
    cycles.streams.clear();
    for (cycles::KernelStream& stream : cycles::kernel_streams(device.trace.trace)) {
      cycles.streams.emplace_back().stream = std::move(stream);
    }
  }

  // A loop of the main stream, one instance.
  void add_loop(cycles::LoopRole role, cycles::PhaseName phase, std::uint32_t first,
                std::uint32_t period, std::uint32_t count) {
    cycles::StreamCycles& stream = cycles.streams.front();
    cycles::NestLoop nest;
    nest.id = static_cast<std::uint32_t>(stream.nest.loops.size());
    nest.period = period;
    cycles::LoopInstance& instance = nest.instances.emplace_back();
    for (std::uint32_t i = 0; i < count; ++i) {
      instance.iterations.push_back({first + i * period, first + (i + 1) * period});
    }
    stream.nest.loops.push_back(nest);
    cycles::Loop& loop = stream.loops.emplace_back();
    loop.role = role;
    loop.phase = phase;
  }

  [[nodiscard]] StructureInput input() const {
    annotations_ = cutting_annotations(device.trace.trace);
    streams_.clear();
    for (const cycles::StreamCycles& one : cycles.streams) streams_.push_back(&one);
    return {device.trace.trace, timeline, gaps, ops,   streams_,
            annotations_,       kernels,  0,    start, end};
  }

  TestDevice device;
  DeviceTimeline timeline;
  std::vector<KernelGaps> gaps;
  OpTable ops;
  cycles::Cycles cycles;
  std::vector<std::uint32_t> kernels;
  Time start;
  Time end = us(10'000);

 private:
  mutable AnnotationsByThread annotations_;
  mutable std::vector<const cycles::StreamCycles*> streams_;
  std::int64_t next_ = 0;
};

// The kind of a structure, with as little as tells it from others.
struct KindText {
  std::string operator()(const WholeStep&) const { return "step"; }
  std::string operator()(const PartBetweenGaps&) const { return "part"; }
  std::string operator()(const AnnotationStem& stem) const { return stem.name; }
  std::string operator()(RestOfStep rest) const {
    constexpr std::array<std::string_view, 3> kNames = {"head", "between", "tail"};
    return std::string(kNames[static_cast<std::size_t>(rest)]);
  }
  std::string operator()(const LoopBody& body) const {
    return std::string(name_of(body.phase)) + "/" + std::string(name_of(body.role));
  }
};

// "head@0 unknown/layer#1@3 tail@5"
inline std::string text_of(const std::vector<StructureCut>& cuts) {
  std::string text;
  for (const StructureCut& cut : cuts) {
    if (!text.empty()) text += ' ';
    text +=
        cut.name.annotation.empty() ? std::visit(KindText{}, cut.name.kind) : cut.name.annotation;
    if (cut.name.number > 0) text += "#" + std::to_string(cut.name.number);
    text += "@" + std::to_string(cut.first);
  }
  return text;
}

}  // namespace lockstep::analysis::anomalies
