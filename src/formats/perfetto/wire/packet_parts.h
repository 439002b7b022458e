// Packets that are not read, by kind, so that people see what was there and not used.
#pragma once

#include <cstdint>
#include <map>

#include "trace/trace.h"

namespace lockstep::formats::perfetto {

class UnusedPackets {
 public:
  // Notes a field of a packet that the reader does not know. Bookkeeping of the profiler (its
  // configuration, statistics, markers) is no evidence that anybody could miss.
  void note(std::uint32_t field);
  void add_parts(trace::Rank& rank) const;

 private:
  std::map<std::uint32_t, std::uint64_t> counts_;  // by field; bounded: 2^29 field numbers exist
};

}  // namespace lockstep::formats::perfetto
