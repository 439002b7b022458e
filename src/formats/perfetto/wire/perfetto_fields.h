// Field numbers and constants of the part of Perfetto's protobuf that we read and write
// (google/perfetto, protos/perfetto/trace).
#pragma once

#include <cstdint>

#include <protozero/types.hpp>

namespace lockstep::formats::perfetto {

enum class TraceField : protozero::pbf_tag_type { kPacket = 1 };

enum class PacketField : protozero::pbf_tag_type {
  kProcessTree = 2,
  kClockSnapshot = 6,
  kTimestamp = 8,
  kSequenceId = 10,
  kTrackEvent = 11,
  kInternedData = 12,
  kSequenceFlags = 13,
  kSynchronizationMarker = 36,
  kIncrementalStateCleared = 41,
  kPreviousPacketDropped = 42,
  kProcessDescriptor = 43,
  kThreadDescriptor = 44,
  kCompressedPackets = 50,
  kGpuRenderStageEvent = 53,
  kTimestampClockId = 58,
  kDefaults = 59,
  kTrackDescriptor = 60,
  kFirstPacketOnSequence = 87,
  kZstdCompressedPackets = 133,
};

enum class PacketDefaultsField : protozero::pbf_tag_type {
  kTrackEventDefaults = 11,
  kTimestampClockId = 58,
};

enum class TrackEventDefaultsField : protozero::pbf_tag_type {
  kTrackUuid = 11,
  kExtraCounterTracks = 31,
  kExtraDoubleCounterTracks = 45,
};

enum class TrackEventField : protozero::pbf_tag_type {
  kTimestampDeltaUs = 1,
  kCategoryIids = 3,
  kDebugAnnotations = 4,
  kLegacyEvent = 6,
  kType = 9,
  kNameIid = 10,
  kTrackUuid = 11,
  kExtraCounterValues = 12,
  kTimestampAbsoluteUs = 16,
  kCategories = 22,
  kName = 23,
  kCounterValue = 30,
  kExtraCounterTracks = 31,
  kOldFlowIds = 36,
  kOldTerminatingFlowIds = 42,
  kDoubleCounterValue = 44,
  kExtraDoubleCounterTracks = 45,
  kExtraDoubleCounterValues = 46,
  kFlowIds = 47,
  kTerminatingFlowIds = 48,
  kCorrelationId = 52,
  kCorrelationText = 53,
  kCorrelationIid = 54,
};

enum class LegacyEventField : protozero::pbf_tag_type {
  kNameIid = 1,
  kPhase = 2,
  kDurationUs = 3,
  kUnscopedId = 6,
  kIdScope = 7,
  kBindId = 8,
  kLocalId = 10,
  kGlobalId = 11,
  kBindToEnclosing = 12,
  kFlowDirection = 13,
  kPidOverride = 18,
  kTidOverride = 19,
};

enum class AnnotationField : protozero::pbf_tag_type {
  kNameIid = 1,
  kBool = 2,
  kUint = 3,
  kInt = 4,
  kDouble = 5,
  kString = 6,
  kPointer = 7,
  kNested = 8,
  kLegacyJson = 9,
  kName = 10,
  kDictEntries = 11,
  kArrayValues = 12,
  kStringIid = 17,
};

// NestedValue, the old way of writing dictionaries and lists.
enum class NestedField : protozero::pbf_tag_type {
  kDictKeys = 2,
  kDictValues = 3,
  kArrayValues = 4,
  kInt = 5,
  kDouble = 6,
  kBool = 7,
  kString = 8,
};

enum class TrackDescriptorField : protozero::pbf_tag_type {
  kUuid = 1,
  kName = 2,
  kProcess = 3,
  kThread = 4,
  kParentUuid = 5,
  kCounter = 8,
  kStaticName = 10,
  kChildOrdering = 11,
  kSiblingOrderRank = 12,
  kAtraceName = 13,
  kDescription = 14,
};

enum class CounterField : protozero::pbf_tag_type {
  kUnitMultiplier = 4,
  kIsIncremental = 5,
};

enum class ProcessField : protozero::pbf_tag_type {
  kPid = 1,
  kCommandLine = 2,
  kLegacySortIndex = 3,
  kName = 6,
  kLabels = 8,
};

enum class ThreadField : protozero::pbf_tag_type {
  kPid = 1,
  kTid = 2,
  kLegacySortIndex = 3,
  kName = 5,
  kReferenceTimeUs = 6,
};

enum class ProcessTreeField : protozero::pbf_tag_type { kProcesses = 1, kThreads = 2 };
enum class TreeProcessField : protozero::pbf_tag_type { kPid = 1, kCommandLine = 3 };
enum class TreeThreadField : protozero::pbf_tag_type { kTid = 1, kName = 2, kProcess = 3 };

enum class InternedField : protozero::pbf_tag_type {
  kEventCategories = 1,
  kEventNames = 2,
  kAnnotationNames = 3,
  kGpuSpecifications = 24,
  kAnnotationStrings = 29,
  kCorrelationTexts = 43,
};

enum class InternedEntryField : protozero::pbf_tag_type { kIid = 1, kText = 2 };

enum class ClockSnapshotField : protozero::pbf_tag_type { kClocks = 1, kPrimaryClock = 2 };
enum class ClockField : protozero::pbf_tag_type {
  kId = 1,
  kTimestamp = 2,
  kIsIncremental = 3,
  kUnitMultiplierNs = 4,
};

enum class GpuStageField : protozero::pbf_tag_type {
  kDuration = 2,
  kOldQueueId = 3,
  kOldStageId = 4,
  kExtraData = 6,
  kOldSpecifications = 7,
  kSubmissionId = 10,
  kGpuId = 11,
  kQueueIid = 13,
  kStageIid = 14,
  kName = 17,
  kNameIid = 20,
};
enum class GpuOldSpecificationsField : protozero::pbf_tag_type { kQueues = 2, kStages = 3 };
enum class GpuDescriptionField : protozero::pbf_tag_type { kName = 1 };
enum class GpuExtraDataField : protozero::pbf_tag_type { kName = 1, kValue = 2 };

enum class EventType : std::int32_t { kSliceBegin = 1, kSliceEnd = 2, kInstant = 3, kCounter = 4 };

inline constexpr std::uint32_t kStateCleared = 1;  // bits of PacketField::kSequenceFlags
inline constexpr std::uint32_t kNeedsState = 2;
inline constexpr std::uint32_t kRealtimeClock = 1;
inline constexpr std::uint32_t kBoottimeClock = 6;
inline constexpr std::int32_t kExplicitOrdering = 3;

}  // namespace lockstep::formats::perfetto
