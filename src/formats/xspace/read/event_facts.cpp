// Reading of stats by their roles.
#include "formats/xspace/read/event_facts.h"

namespace lockstep::formats::xspace {

EventFacts facts_of_event(std::span<const StatValue> stats, PlaneMetadata& metadata, bool is_ours) {
  EventFacts facts;
  for (const StatValue& value : stats) {
    const StatMetadata* stat = metadata.stat(value.metadata_id);
    if (stat == nullptr) continue;
    switch (stat->role) {
      case StatRole::kArgument:
      case StatRole::kKernelDetails:
        break;
      case StatRole::kCorrelation: {
        const bool is_id = is_integer(value) && value.number >> 63 == 0;
        if (is_id && (value.number > 0 || is_ours)) {
          facts.correlation = static_cast<std::int64_t>(value.number);
        }
        break;
      }
      case StatRole::kStepNumber:
        facts.step = &value;
        break;
      case StatRole::kMemcpyDetails:
        facts.is_memcpy = true;
        break;
      case StatRole::kMemsetDetails:
        facts.is_memset = true;
        break;
      case StatRole::kHloOp:
        facts.hlo_op = &value;
        break;
      case StatRole::kFlow:
        facts.has_flow = true;
        break;
      case StatRole::kProducerType:
        facts.producer_type = static_cast<std::int64_t>(value.number);
        break;
      case StatRole::kProducerId:
        facts.producer = value.number;
        break;
      case StatRole::kConsumerType:
        facts.consumer_type = static_cast<std::int64_t>(value.number);
        break;
      case StatRole::kConsumerId:
        facts.consumer = value.number;
        break;
      default:
        facts.has_collective = true;
    }
  }
  return facts;
}

void describe_collective(trace::Collective& collective, std::span<const StatValue> stats,
                         PlaneMetadata& metadata) {
  for (const StatValue& value : stats) {
    const StatMetadata* stat = metadata.stat(value.metadata_id);
    if (stat == nullptr) continue;
    const auto number = static_cast<std::int64_t>(value.number);
    switch (stat->role) {
      case StatRole::kCollectiveOp:
        collective.op = metadata.text_id(value);
        break;
      case StatRole::kCollectiveGroup:
        collective.group = metadata.text_id(value);
        break;
      case StatRole::kCollectiveDtype:
        collective.dtype = metadata.text_id(value);
        break;
      case StatRole::kCollectiveSequence:
        collective.sequence = number;
        break;
      case StatRole::kCollectiveElementsIn:
        collective.elements_in = number;
        break;
      case StatRole::kCollectiveElementsOut:
        collective.elements_out = number;
        break;
      case StatRole::kCollectiveBytes:
        collective.bytes = number;
        break;
      case StatRole::kCollectiveTransit:
        collective.transit = Time{number};
        break;
      case StatRole::kCollectiveWait:
        collective.wait = Time{number};
        break;
      case StatRole::kCollectiveIdle:
        collective.idle = Time{number};
        break;
      default:
        break;
    }
  }
}

}  // namespace lockstep::formats::xspace
