// Where decoded events go: one class for files of our own, one for all others.
#pragma once

#include <cstdint>
#include <optional>

#include "formats/perfetto/decode/sequence_state.h"
#include "formats/perfetto/decode/track_event_decoder.h"

namespace lockstep::formats::perfetto {

// What the packet around an event says.
struct PacketFacts {
  std::uint64_t offset = 0;  // in the file
  std::optional<std::uint64_t> timestamp;
  std::optional<std::uint32_t> clock;  // as far as the packet or the defaults say
};

class EventMapper {
 public:
  virtual ~EventMapper() = default;
  virtual void take(const DecodedEvent& event, const PacketFacts& packet,
                    SequenceState& sequence) = 0;
};

}  // namespace lockstep::formats::perfetto
