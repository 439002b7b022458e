// Structures from what the user annotated on the host.
#include "analysis/anomalies/structure/annotation_cuts.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "analysis/kernels/signature.h"
#include "trace/host/annotations.h"
#include "trace/steps.h"

namespace lockstep::analysis::anomalies {
namespace {

// A main-stream kernel of the step, seen from the host.
struct Launch {
  trace::TrackId thread{};
  Time at;
  std::uint32_t position = 0;
};

struct Annotation {
  trace::TrackId thread{};
  Time start;
  Time end;
  trace::EventId event = trace::kNoEvent;
  std::uint32_t kind = 0;      // annotations of one name but for numbers
  std::uint32_t launches = 0;  // enclosed
};

std::vector<Launch> launches_of(const StructureInput& input,
                                std::span<const std::uint32_t> offsets) {
  const trace::EventTable& events = input.trace.events;
  std::vector<Launch> launches;
  for (std::uint32_t i = 0; i < offsets.size(); ++i) {
    const trace::EventId call = input.timeline.kernels[input.kernels[offsets[i]]].launched_by;
    if (call == trace::kNoEvent) continue;
    launches.push_back(
        {events.track[trace::index_of(call)], events.start[trace::index_of(call)], i});
  }
  std::ranges::sort(launches, {},
                    [](const Launch& l) { return std::tuple(l.thread, l.at, l.position); });
  return launches;
}

// Around launches, outer ones before inner ones; `launches` are sorted by thread.
std::vector<Annotation> annotations_of(const StructureInput& input,
                                       std::span<const Launch> launches) {
  std::vector<Annotation> annotations;
  for (std::size_t begin = 0, end = 0; begin < launches.size(); begin = end) {
    const trace::TrackId thread = launches[begin].thread;
    while (end < launches.size() && launches[end].thread == thread) ++end;
    const auto found = input.annotations.find(thread);
    if (found == input.annotations.end()) continue;
    const auto of_thread = launches.subspan(begin, end - begin);
    const auto add = [&](const trace::Window<trace::EventId>& one) {
      const auto first = std::ranges::lower_bound(of_thread, one.start, {}, &Launch::at);
      if (first == of_thread.end() || first->at >= one.end) return;
      annotations.push_back({thread, one.start, one.end, one.item});
    };
    found->second.for_each_in(of_thread.front().at, of_thread.back().at, add);
  }
  return annotations;
}

// Calls visit(launch, annotations around it, the outermost first) for every launch.
template <typename Visit>
void for_each_launch(std::span<const Launch> launches, std::span<const Annotation> annotations,
                     Visit visit) {
  std::vector<std::uint32_t> open;
  std::uint32_t next = 0;
  for (const Launch& launch : launches) {
    while (next < annotations.size() &&
           std::pair(annotations[next].thread, annotations[next].start) <=
               std::pair(launch.thread, launch.at)) {
      open.push_back(next++);
    }
    std::erase_if(open, [&](std::uint32_t one) {
      return annotations[one].thread != launch.thread || annotations[one].end <= launch.at;
    });
    visit(launch, open);
  }
}

constexpr std::uint32_t kNone = 0xFFFF'FFFF;

// For each main-stream kernel, the outermost annotation around its launch that repeats.
std::vector<std::uint32_t> annotation_of_each(const trace::Trace& trace,
                                              std::span<const Launch> launches,
                                              std::vector<Annotation>& annotations,
                                              std::size_t kernels) {
  std::map<std::string, std::uint32_t> kinds;
  for (Annotation& one : annotations) {
    const std::string_view name = trace.text(trace.events.name[trace::index_of(one.event)]);
    const auto next = static_cast<std::uint32_t>(kinds.size());
    one.kind = kinds.try_emplace(kernels::name_without_numbers(name), next).first->second;
  }
  for_each_launch(launches, annotations, [&](const Launch&, const auto& open) {
    for (const std::uint32_t one : open) ++annotations[one].launches;
  });
  std::vector<std::uint32_t> repeats(kinds.size(), 0);
  for (const Annotation& one : annotations) repeats[one.kind] += one.launches > 0 ? 1 : 0;
  std::vector<std::uint32_t> of(kernels, kNone);
  for_each_launch(launches, annotations, [&](const Launch& launch, const auto& open) {
    const auto outer = std::ranges::find_if(
        open, [&](std::uint32_t one) { return repeats[annotations[one].kind] > 1; });
    if (outer != open.end()) of[launch.position] = *outer;
  });
  return of;
}

}  // namespace

AnnotationsByThread cutting_annotations(const trace::Trace& trace) {
  const trace::EventTable& events = trace.events;
  std::map<trace::TrackId, std::vector<trace::Window<trace::EventId>>> windows;
  for (const trace::EventId event : trace::annotations_of(trace)) {
    const std::size_t i = trace::index_of(event);
    if (trace::is_step_name(trace.text(events.name[i]))) continue;
    windows[events.track[i]].push_back({events.start[i], events.end(i), event});
  }
  AnnotationsByThread annotations;
  for (auto& [thread, all] : windows) annotations.try_emplace(thread, std::move(all));
  return annotations;
}

std::vector<StructureCut> annotation_cuts(const StructureInput& input, trace::TrackId main) {
  const std::vector<std::uint32_t> offsets = offsets_on(input, main);
  const std::vector<Launch> launches = launches_of(input, offsets);
  if (launches.empty()) return {};
  std::vector<Annotation> annotations = annotations_of(input, launches);
  const std::vector<std::uint32_t> of =
      annotation_of_each(input.trace, launches, annotations, offsets.size());
  const auto outside = static_cast<std::size_t>(std::ranges::count(of, kNone));
  if (2 * outside > of.size()) return {};

  std::vector<Stretch> stretches;
  std::map<std::string, std::uint32_t> numbers;
  std::set<std::uint32_t> used;
  for (std::uint32_t begin = 0, end = 0; begin < of.size(); begin = end) {
    while (end < of.size() && of[end] == of[begin]) ++end;
    if (of[begin] == kNone) continue;
    const StringId id = input.trace.events.name[trace::index_of(annotations[of[begin]].event)];
    StructureName name;
    name.annotation = input.trace.text(id);
    const std::string stem = kernels::name_without_numbers(name.annotation);
    name.kind = AnnotationStem{stem};
    name.number = ++numbers[stem];
    stretches.push_back({begin, end, std::move(name), true});
    used.insert(of[begin]);
  }
  // Threads that launch in turns tear annotations to pieces that are no structures.
  if (stretches.size() > 2 * used.size()) return {};
  return with_rest(stretches, offsets);
}

}  // namespace lockstep::analysis::anomalies
