// What run-iket writes: launches with ranges, markers and warp lifetimes; names and places inline
// or by number in tables.
#include "formats/kernel_profile/other_tools/iket_json.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "formats/kernel_profile/kernel_findings.h"
#include "formats/kernel_profile/kernel_profile_formats.h"
#include "formats/kernel_profile/profile_builder.h"
#include "formats/shared/repeated_key.h"

namespace lockstep::formats::kernel_profile {
namespace {

namespace dom = simdjson::dom;

constexpr std::int64_t kMaxNanoseconds = std::int64_t{1} << 62;
constexpr std::uint32_t kWarpThreads = 32;
constexpr double kTimerStepNs = 32;
constexpr std::array<std::string_view, 3> kLists = {"ranges", "markers", "warpLifetimes"};

// Where a warp ran, as the file has it.
struct WarpPlace {
  std::array<std::uint32_t, 3> block{};
  std::uint32_t warp = 0;
  std::int32_t sm = -1;
};

std::optional<WarpPlace> place_in(dom::element location) {
  const std::vector<std::uint32_t> block = kernel_json::numbers(location, "ctaId");
  const std::uint64_t warp = kernel_json::number(location, "warpId", UINT64_MAX);
  if (block.size() != 3 || warp > UINT32_MAX) return std::nullopt;
  WarpPlace place{{block[0], block[1], block[2]}, static_cast<std::uint32_t>(warp)};
  const std::uint64_t sm = kernel_json::number(location, "smId", UINT64_MAX);
  if (sm <= INT32_MAX) place.sm = static_cast<std::int32_t>(sm);
  return place;
}

std::vector<std::optional<WarpPlace>> place_table(dom::element root) {
  std::vector<std::optional<WarpPlace>> places;
  dom::array list;
  if (root["locationTable"].get(list) != simdjson::SUCCESS) return places;
  places.reserve(list.size());
  for (const dom::element location : list) places.push_back(place_in(location));
  return places;
}

class IketDecoder {
 public:
  IketDecoder(dom::element root, Diagnostics& findings)
      : root_(root),
        findings_(findings),
        strings_(kernel_json::names(root, "stringTable", SIZE_MAX)),
        places_(place_table(root)) {
    builder_.profile.format = name_of(KernelFormat::kIket);
    builder_.profile.timer_tick_ns = kTimerStepNs;
  }

  trace::KernelProfile run() {
    if (dom::array list; root_["launches"].get(list) == simdjson::SUCCESS) add_launches(list);
    if (dom::object graphs; root_["graphLaunches"].get(graphs) == simdjson::SUCCESS) {
      for (const dom::key_value_pair graph : graphs) {
        if (dom::array list; graph.value.get(list) == simdjson::SUCCESS) add_launches(list);
      }
    }
    for (LaneDraft& draft : builder_.lanes()) {
      std::ranges::stable_sort(draft.records, {}, &trace::KernelRecord::ticks);
    }
    return builder_.finish(false, findings_);
  }

 private:
  void bad(std::string_view what) { findings_.add(kBadRecord, Place::row(row_), what); }

  // A launch takes much more room than an empty object or a number in its place.
  static bool is_launch(dom::element launch) {
    const auto has = [&](std::string_view key) { return launch[key].error() == simdjson::SUCCESS; };
    return has("kernelName") || std::ranges::any_of(kLists, has);
  }

  static trace::Extent3 extent(dom::element launch, std::string_view prefix) {
    const auto size = [&](char axis) {
      return static_cast<std::uint32_t>(std::min<std::uint64_t>(
          kernel_json::number(launch, std::string(prefix) + axis), UINT32_MAX));
    };
    return {size('X'), size('Y'), size('Z')};
  }

  void add_launches(dom::array list) {
    std::uint64_t row = 0;
    for (const dom::element launch : list) {
      row_ = row++;
      if (!is_launch(launch)) {
        bad("a launch");
        continue;
      }
      trace::KernelLaunch& out = builder_.profile.launches.emplace_back();
      launch_ = static_cast<std::uint32_t>(builder_.profile.launches.size() - 1);
      out.id = launch_;
      out.kernel = kernel_json::text(launch, "kernelName");
      out.grid = extent(launch, "gridDim");
      out.threads = extent(launch, "blockDim");
      out.groups = static_cast<std::uint32_t>(std::min<std::uint64_t>(
          (out.threads.count() + kWarpThreads - 1) / kWarpThreads, UINT32_MAX));
      grid_ = out.grid;
      for_each(launch, "ranges", [&](dom::element entry) { add_range(entry); });
      for_each(launch, "markers", [&](dom::element entry) { add_marker(entry); });
      for_each(launch, "warpLifetimes", [&](dom::element entry) { add_lifetime(entry); });
      look_for_other_lists(launch);
    }
  }

  // Records under a name that was damaged, or that nobody knows.
  void look_for_other_lists(dom::element launch) {
    dom::object members;
    if (launch.get(members) != simdjson::SUCCESS) return;
    for (const dom::key_value_pair member : members) {
      if (std::ranges::find(kLists, member.key) != kLists.end()) continue;
      dom::element first;
      if (member.value.at(0).get(first) == simdjson::SUCCESS && first.is_object()) {
        bad("a list of a launch");
      }
    }
  }

  template <typename Use>
  void for_each(dom::element launch, std::string_view key, Use use) {
    dom::array list;
    if (launch[key].get(list) != simdjson::SUCCESS) return;
    row_ = 0;
    for (const dom::element entry : list) {
      if (shared::repeats_a_key(entry)) bad("a record with two members of one name");
      use(entry);
      ++row_;
    }
  }

  // Of "rangeName", or by "rangeNameIdx".
  std::optional<std::uint32_t> event_of(dom::element entry, const std::string& key) {
    std::string_view name;
    std::uint64_t index = 0;
    if (entry[key].get(name) == simdjson::SUCCESS) {
      return builder_.event_named(kernel_json::text(entry, key));
    }
    if (entry[key + "Idx"].get(index) != simdjson::SUCCESS) return std::nullopt;
    if (index >= strings_.size()) return std::nullopt;
    return builder_.event_named(strings_[index]);
  }

  std::optional<WarpPlace> place_numbered(std::uint64_t index) const {
    return index < places_.size() ? places_[index] : std::nullopt;
  }
  // By "locIdx", or as an object under `key`.
  std::optional<WarpPlace> place_of(dom::element entry, std::string_view key) const {
    std::uint64_t index = 0;
    if (entry["locIdx"].get(index) == simdjson::SUCCESS) return place_numbered(index);
    dom::element location;
    if (entry[key].get(location) != simdjson::SUCCESS) return std::nullopt;
    return place_in(location);
  }
  // First and last place of a range.
  std::optional<std::pair<WarpPlace, WarpPlace>> places_of(dom::element entry) const {
    dom::array list;
    const bool is_numbered = entry["warpLocIdxs"].get(list) == simdjson::SUCCESS;
    if (!is_numbered && entry["warpLocs"].get(list) != simdjson::SUCCESS) return std::nullopt;
    std::optional<WarpPlace> first;
    std::optional<WarpPlace> last;
    for (const dom::element item : list) {
      std::uint64_t index = 0;
      if (is_numbered && item.get(index) != simdjson::SUCCESS) return std::nullopt;
      last = is_numbered ? place_numbered(index) : place_in(item);
      if (!last) return std::nullopt;
      if (!first) first = last;
    }
    if (!first) return std::nullopt;
    return std::pair(*first, *last);
  }

  static std::optional<std::int64_t> time_of(dom::element entry, std::string_view key) {
    std::int64_t time = 0;
    if (entry[key].get(time) != simdjson::SUCCESS || time < 0 || time >= kMaxNanoseconds) {
      return std::nullopt;
    }
    return time;
  }

  LaneDraft& lane(const WarpPlace& place) {
    // Without the grid blocks can still be told apart along x.
    const std::uint64_t x = std::max(grid_.x, 1U);
    const std::uint64_t y = std::max(grid_.y, 1U);
    const std::uint64_t block = (place.block[2] * y + place.block[1]) * x + place.block[0];
    LaneDraft& draft = builder_.lane(launch_, block, place.warp);
    if (draft.lane.sm < 0) draft.lane.sm = place.sm;
    return draft;
  }

  // What has no room in 32 bits is left out.
  static void set_payload(dom::element event, trace::KernelRecord& record) {
    std::uint64_t value = 0;
    if (event["payloadVal"].get(value) != simdjson::SUCCESS || value > UINT32_MAX) return;
    record.payload = static_cast<std::uint32_t>(value);
    record.has_payload = true;
  }

  void add_range(dom::element entry) {
    const auto event = event_of(entry, "rangeName");
    const auto begin = time_of(entry, "startTs");
    const auto end = time_of(entry, "endTs");
    const auto places = places_of(entry);
    if (!event || !begin || !end || !places || *end < *begin) return bad("a range");
    trace::KernelRecord record{.event = *event};
    const auto& [first, last] = *places;
    if (first.block == last.block && first.warp == last.warp) {
      if (dom::element edge; entry["internalEvents"].at(0).get(edge) == simdjson::SUCCESS) {
        set_payload(edge, record);
      }
      add_region(lane(first).records, *begin, *end, record);
      return;
    }
    // Begun by one warp and ended by another.
    record.is_async = true;
    record.payload = next_token_++;
    record.ticks = *begin;
    lane(first).records.push_back(record);
    record.type = trace::RecordType::kEnd;
    record.ticks = *end;
    lane(last).records.push_back(record);
  }

  void add_marker(dom::element entry) {
    const auto event = event_of(entry, "markerName");
    const auto time = time_of(entry, "timestamp");
    const auto place = place_of(entry, "location");
    if (!event || !time || !place) return bad("a marker");
    trace::KernelRecord record{
        .ticks = *time, .event = *event, .type = trace::RecordType::kInstant};
    if (kernel_json::number(entry, "payloadType") != 0) set_payload(entry, record);
    lane(*place).records.push_back(record);
  }

  // From where to where a lane reaches, as anchors on its own clock.
  void add_lifetime(dom::element entry) {
    const auto begin = time_of(entry, "startTs");
    const auto end = time_of(entry, "endTs");
    const auto place = place_of(entry, "warpLocation");
    if (!begin || !end || !place || *end < *begin) return bad("a warp lifetime");
    LaneDraft& draft = lane(*place);
    draft.lane.is_finalized = true;
    if (draft.anchors.empty()) draft.anchors = {{*begin, *begin, *begin}, {*end, *end, *end}};
  }

  dom::element root_;
  Diagnostics& findings_;
  std::vector<std::string> strings_;
  std::vector<std::optional<WarpPlace>> places_;
  ProfileBuilder builder_;
  std::uint32_t launch_ = 0;
  trace::Extent3 grid_;
  std::uint64_t row_ = 0;
  std::uint32_t next_token_ = 0;
};

}  // namespace

bool is_iket_json(dom::element root) {
  return kernel_json::has(root, "launches") || kernel_json::has(root, "graphLaunches");
}

trace::KernelProfile decode_iket_json(dom::element root, Diagnostics& findings) {
  return IketDecoder(root, findings).run();
}

}  // namespace lockstep::formats::kernel_profile
