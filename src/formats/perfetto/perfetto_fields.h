// Field numbers and constants of the part of Perfetto's protobuf that we write
// (google/perfetto, protos/perfetto/trace).
#pragma once

#include <cstdint>

#include <protozero/types.hpp>

namespace lockstep::perfetto {

enum class TraceField : protozero::pbf_tag_type { kPacket = 1 };

enum class PacketField : protozero::pbf_tag_type {
  kClockSnapshot = 6,
  kTimestamp = 8,
  kSequenceId = 10,
  kTrackEvent = 11,
  kInternedData = 12,
  kSequenceFlags = 13,
  kTimestampClockId = 58,
  kTrackDescriptor = 60,
  kFirstPacketOnSequence = 87,
};

enum class TrackEventField : protozero::pbf_tag_type {
  kCategoryIids = 3,
  kDebugAnnotations = 4,
  kType = 9,
  kNameIid = 10,
  kTrackUuid = 11,
  kCounterValue = 30,
  kDoubleCounterValue = 44,
  kFlowIds = 47,
};

enum class AnnotationField : protozero::pbf_tag_type {
  kNameIid = 1,
  kBool = 2,
  kInt = 4,
  kDouble = 5,
  kLegacyJson = 9,
  kStringIid = 17,
};

enum class TrackDescriptorField : protozero::pbf_tag_type {
  kUuid = 1,
  kName = 2,
  kProcess = 3,
  kThread = 4,
  kParentUuid = 5,
  kCounter = 8,
  kChildOrdering = 11,
  kSiblingOrderRank = 12,
};

enum class ProcessField : protozero::pbf_tag_type {
  kPid = 1,
  kLegacySortIndex = 3,
  kName = 6,
  kLabels = 8,
};

enum class ThreadField : protozero::pbf_tag_type {
  kPid = 1,
  kTid = 2,
  kLegacySortIndex = 3,
  kName = 5,
};

enum class InternedField : protozero::pbf_tag_type {
  kEventCategories = 1,
  kEventNames = 2,
  kAnnotationNames = 3,
  kAnnotationStrings = 29,
};

enum class InternedEntryField : protozero::pbf_tag_type { kIid = 1, kText = 2 };

enum class ClockSnapshotField : protozero::pbf_tag_type { kClocks = 1 };
enum class ClockField : protozero::pbf_tag_type { kId = 1, kTimestamp = 2 };

enum class EventType : std::int32_t { kSliceBegin = 1, kSliceEnd = 2, kInstant = 3, kCounter = 4 };

inline constexpr std::uint32_t kStateCleared = 1;  // bits of PacketField::kSequenceFlags
inline constexpr std::uint32_t kNeedsState = 2;
inline constexpr std::uint32_t kRealtimeClock = 1;
inline constexpr std::uint32_t kBoottimeClock = 6;
inline constexpr std::int32_t kExplicitOrdering = 3;

}  // namespace lockstep::perfetto
