// The Chrome trace of intra-kernel-profiler: complete events with the place in their arguments.
#include "formats/kernel_profile/other_tools/ikp_json.h"

#include <cmath>

#include <fmt/format.h>

#include "formats/kernel_profile/kernel_findings.h"
#include "formats/kernel_profile/kernel_profile_formats.h"
#include "formats/kernel_profile/profile_builder.h"
#include "formats/shared/repeated_key.h"

namespace lockstep::formats::kernel_profile {
namespace {

namespace dom = simdjson::dom;

constexpr double kMaxReal = 4e18;

// Times are ns, though viewers of Chrome traces take them for us.
bool time_of(dom::element event, std::string_view key, std::int64_t& time) {
  double value = 0;
  if (event[key].get(value) != simdjson::SUCCESS) return false;
  if (!(value >= 0 && value < kMaxReal)) return false;
  time = std::llround(value);
  return true;
}

// Adds the event, and says whether it is one that it knows how to add.
bool add_event(dom::element event, std::string_view phase, ProfileBuilder& builder) {
  std::uint64_t block = 0;
  std::uint64_t warp = 0;
  const auto args = event["args"];
  if (args["block"].get(block) != simdjson::SUCCESS ||
      args["warp"].get(warp) != simdjson::SUCCESS) {
    return false;
  }
  std::int64_t begin = 0;
  std::int64_t length = 0;
  if (warp > UINT32_MAX || !time_of(event, "ts", begin)) return false;
  if (phase == "X" && !time_of(event, "dur", length)) return false;
  const auto number = builder.event_named(kernel_json::text(event, "name"));
  if (!number) return false;
  LaneDraft& draft = builder.lane(0, block, static_cast<std::uint32_t>(warp));
  if (std::uint64_t sm = 0; args["sm"].get(sm) == simdjson::SUCCESS && sm <= INT32_MAX) {
    draft.lane.sm = static_cast<std::int32_t>(sm);
  }
  trace::KernelRecord record{.ticks = begin, .event = *number};
  if (phase == "X") {
    add_region(draft.records, begin, begin + length, record);
    return true;
  }
  record.type = phase == "B"   ? trace::RecordType::kBegin
                : phase == "E" ? trace::RecordType::kEnd
                               : trace::RecordType::kInstant;
  draft.records.push_back(record);
  return true;
}

}  // namespace

bool is_ikp_marker(dom::element event) {
  const auto args = event["args"];
  return args["block"].is_uint64() && args["warp"].is_uint64();
}

trace::KernelProfile decode_ikp_json(dom::array events, Diagnostics& findings) {
  ProfileBuilder builder;
  builder.profile.format = name_of(KernelFormat::kIkp);
  builder.profile.launches.emplace_back();
  std::uint64_t row = 0;
  for (const dom::element event : events) {
    const std::string phase = kernel_json::text(event, "ph");
    const bool is_marker = phase == "X" || phase == "B" || phase == "E" || phase == "i";
    const bool is_name = phase == "M" && !shared::repeats_a_key(event);
    if (!is_name &&
        (!is_marker || shared::repeats_a_key(event) || !add_event(event, phase, builder))) {
      findings.add(kBadRecord, Place::row(row), fmt::format("event {} of the list", row));
    }
    ++row;
  }
  return builder.finish(false, findings);
}

}  // namespace lockstep::formats::kernel_profile
