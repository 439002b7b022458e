// Field numbers of XSpace (openxla/xla, tsl/profiler/protobuf/xplane.proto), the names that matter
// in it, and the marks by which lockstep knows again what it wrote itself.
#pragma once

#include <cstdint>
#include <string_view>

#include <protozero/types.hpp>

namespace lockstep::formats::xspace {

enum class SpaceField : protozero::pbf_tag_type {
  kPlanes = 1,
  kErrors = 2,
  kWarnings = 3,
  kHostnames = 4,
};

enum class PlaneField : protozero::pbf_tag_type {
  kId = 1,
  kName = 2,
  kLines = 3,
  kEventMetadata = 4,
  kStatMetadata = 5,
  kStats = 6,
};

enum class LineField : protozero::pbf_tag_type {
  kId = 1,
  kName = 2,
  kTimestampNs = 3,
  kEvents = 4,
  kDurationPs = 9,
  kDisplayId = 10,
  kDisplayName = 11,
};

enum class EventField : protozero::pbf_tag_type {
  kMetadataId = 1,
  kOffsetPs = 2,
  kDurationPs = 3,
  kStats = 4,
  kOccurrences = 5,
};

enum class StatField : protozero::pbf_tag_type {
  kMetadataId = 1,
  kDouble = 2,
  kUint64 = 3,
  kInt64 = 4,
  kString = 5,
  kBytes = 6,
  kRef = 7,
};

enum class MapEntryField : protozero::pbf_tag_type { kKey = 1, kValue = 2 };

enum class EventMetadataField : protozero::pbf_tag_type {
  kId = 1,
  kName = 2,
  kMetadata = 3,
  kDisplayName = 4,
  kStats = 5,
};

enum class StatMetadataField : protozero::pbf_tag_type { kId = 1, kName = 2, kDescription = 3 };

// A field with its wire type, as one number for a switch.
template <typename Field>
[[nodiscard]] constexpr std::uint32_t varint_field(Field field) {
  return protozero::tag_and_type(static_cast<protozero::pbf_tag_type>(field),
                                 protozero::pbf_wire_type::varint);
}
template <typename Field>
[[nodiscard]] constexpr std::uint32_t bytes_field(Field field) {
  return protozero::tag_and_type(static_cast<protozero::pbf_tag_type>(field),
                                 protozero::pbf_wire_type::length_delimited);
}
template <typename Field>
[[nodiscard]] constexpr std::uint32_t fixed64_field(Field field) {
  return protozero::tag_and_type(static_cast<protozero::pbf_tag_type>(field),
                                 protozero::pbf_wire_type::fixed64);
}

inline constexpr std::string_view kTaskEnvironment = "Task Environment";
inline constexpr std::string_view kProfileStartTime = "profile_start_time";
inline constexpr std::string_view kProfileStopTime = "profile_stop_time";

// What lockstep adds when it writes a model. A plane of facts for each rank; the number of the rank
// as a stat of every other plane; kind, category and shape as stats of event metadata; and words in
// the description of stat metadata that tell what the stat is.
inline constexpr std::string_view kRankPlanePrefix = "/lockstep:rank:";
inline constexpr std::string_view kRankStat = "lockstep_rank";
inline constexpr std::string_view kDeviceStat = "lockstep_device";  // its id, of a device plane
inline constexpr std::string_view kKindStat = "lockstep_kind";
inline constexpr std::string_view kCategoryStat = "lockstep_category";
inline constexpr std::string_view kShapeStat = "lockstep_shape";
inline constexpr std::string_view kBooleanMark = "lockstep: boolean";
inline constexpr std::string_view kJsonMark = "lockstep: json";
inline constexpr std::string_view kColumnMark = "lockstep: column";   // not an argument
inline constexpr std::string_view kFlowMark = "lockstep: flow ";      // then the flow's own name
inline constexpr std::string_view kLaunchMark = "lockstep: launch ";  // likewise

// Stats of planes, some of them the profiler's own.
inline constexpr std::string_view kProcessIdStat = "process_id";
inline constexpr std::string_view kProcessNameStat = "process_name";
inline constexpr std::string_view kProcessLabelsStat = "process_labels";
inline constexpr std::string_view kProcessSortStat = "process_sort_index";
inline constexpr std::string_view kGpuNameStat = "gpu_device_name";
inline constexpr std::string_view kDeviceTypeStat = "device_type_string";
inline constexpr std::string_view kDeviceVendorStat = "device_vendor";

// Stats of a rank's plane.
inline constexpr std::string_view kRankNumberStat = "rank_number";
inline constexpr std::string_view kRankEvidenceStat = "rank_number_from";
inline constexpr std::string_view kOriginStat = "origin_ns";
inline constexpr std::string_view kClockStat = "clock";
inline constexpr std::string_view kMetadataStatPrefix = "metadata:";  // then the key

}  // namespace lockstep::formats::xspace
