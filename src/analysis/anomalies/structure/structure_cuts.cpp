// The order of evidence, and what all sorts of evidence share.
#include "analysis/anomalies/structure/structure_cuts.h"

#include <algorithm>
#include <array>
#include <map>

#include "algo/statistics/statistics.h"
#include "analysis/anomalies/structure/annotation_cuts.h"
#include "analysis/anomalies/structure/loop_cuts.h"

namespace lockstep::analysis::anomalies {
namespace {

constexpr std::array<std::string_view, 4> kEvidenceNames = {"loop", "annotation", "gap", "none"};

// Gaps between busy pieces of the step's own kernels, each before a kernel.
std::vector<std::int64_t> gaps_before(const StructureInput& input) {
  std::vector<std::int64_t> gaps;
  std::optional<Time> end;
  for (const std::uint32_t kernel : input.kernels) {
    const DeviceWork& work = input.timeline.kernels[kernel];
    gaps.push_back(end ? std::max<std::int64_t>(0, (work.start - *end).ps) : 0);
    end = std::max(end.value_or(work.end), work.end);
  }
  return gaps;
}

}  // namespace

std::string_view name_of(StructureEvidence evidence) {
  return kEvidenceNames[static_cast<std::size_t>(evidence)];
}

trace::TrackId main_stream(const StructureInput& input) {
  struct Load {
    WideTime computing = 0;
    WideTime all = 0;
    auto operator<=>(const Load&) const = default;
  };
  std::map<trace::TrackId, Load> loads;
  for (const std::uint32_t kernel : input.kernels) {
    const DeviceWork& work = input.timeline.kernels[kernel];
    Load& load = loads[work.track];
    load.all += work.duration().ps;
    if (work.kind == trace::Kind::kKernel) load.computing += work.duration().ps;
  }
  return std::ranges::max_element(loads, {}, [](const auto& one) { return one.second; })->first;
}

std::vector<std::uint32_t> offsets_on(const StructureInput& input, trace::TrackId track) {
  std::vector<std::uint32_t> offsets;
  for (std::uint32_t i = 0; i < input.kernels.size(); ++i) {
    if (input.timeline.kernels[input.kernels[i]].track == track) offsets.push_back(i);
  }
  return offsets;
}

std::vector<StructureCut> with_rest(std::span<const Stretch> stretches,
                                    std::span<const std::uint32_t> offsets) {
  std::vector<StructureCut> cuts;
  std::uint32_t at = 0;
  for (const Stretch& stretch : stretches) {
    if (stretch.begin > at) {
      const RestOfStep rest = at == 0 ? RestOfStep::kHead : RestOfStep::kBetween;
      cuts.push_back({offsets[at], {.kind = rest}});
    }
    cuts.push_back({offsets[stretch.begin], stretch.name, stretch.is_layer});
    at = stretch.end;
  }
  if (at < offsets.size()) cuts.push_back({offsets[at], {.kind = RestOfStep::kTail}});
  if (!cuts.empty()) cuts.front().first = 0;
  return cuts;
}

std::vector<StructureCut> gap_cuts(const StructureInput& input, const Thresholds& thresholds) {
  const Time service = input.end - input.start;
  const Time significant =
      limit_of(thresholds.significant_us, thresholds.significant_share, service);
  const Time heavy = limit_of(thresholds.heavy_gap_us, thresholds.heavy_gap_share, service);
  const std::vector<std::int64_t> gaps = gaps_before(input);
  std::vector<std::int64_t> significant_gaps;
  std::ranges::copy_if(gaps, std::back_inserter(significant_gaps),
                       [&](std::int64_t gap) { return gap >= significant.ps && gap > 0; });
  if (significant_gaps.empty()) return {};
  const std::int64_t limit = std::min(
      heavy.ps, limit_of(0, thresholds.gap_cut_factor, Time{algo::median(significant_gaps)}).ps);

  const auto part = [](std::uint32_t number) {
    return StructureName{.kind = PartBetweenGaps{}, .number = number};
  };
  std::vector<StructureCut> cuts = {{0, part(1)}};
  for (std::uint32_t i = 1; i < gaps.size(); ++i) {
    if (gaps[i] < std::max(limit, std::int64_t{1})) continue;
    cuts.push_back({i, part(static_cast<std::uint32_t>(cuts.size() + 1))});
  }
  if (cuts.size() < 2) cuts.clear();
  return cuts;
}

StructureCuts find_structure_cuts(const StructureInput& input, const Thresholds& thresholds) {
  const trace::TrackId main = main_stream(input);
  if (auto cuts = loop_cuts(input, main); !cuts.empty())
    return {StructureEvidence::kLoop, std::move(cuts)};
  if (auto cuts = annotation_cuts(input, main); !cuts.empty())
    return {StructureEvidence::kAnnotation, std::move(cuts)};
  if (auto cuts = gap_cuts(input, thresholds); !cuts.empty())
    return {StructureEvidence::kGap, std::move(cuts)};
  return {StructureEvidence::kNone, {{0, {.kind = WholeStep{}}}}};
}

}  // namespace lockstep::analysis::anomalies
