// Both ends of the arrows that a join by correlation does not bring back, by event.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace lockstep::formats::xspace {

class FlowIndex {
 public:
  struct End {
    std::uint32_t event;
    std::uint32_t flow;
    bool is_start;
  };

  // `trace` must outlive it.
  explicit FlowIndex(const trace::Trace& trace);

  [[nodiscard]] std::span<const End> of(std::uint32_t event) const;
  // The name of the stat that tells the end.
  [[nodiscard]] std::string mark_of(const End& end) const;
  // Its value. Bits 0 and 1 are the direction: 2 out, 1 in.
  [[nodiscard]] static std::uint64_t value_of(const End& end) {
    return (std::uint64_t{end.flow} + 1) << 2 | (end.is_start ? 2 : 1);
  }

 private:
  const trace::Trace& trace_;
  std::vector<End> ends_;  // by event
};

}  // namespace lockstep::formats::xspace
