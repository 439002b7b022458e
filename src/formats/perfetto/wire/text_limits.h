// How long the texts may grow that this reader puts together or repeats.
//
// A file names a long string once and then refers to it with two bytes. Where a text is made of
// such references, or stands once for every track, a small file could otherwise fill any memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "base/utf8.h"

namespace lockstep::formats::perfetto {

// Names of tracks, threads, processes and queues, paths of tracks, and joined categories.
inline constexpr std::size_t kMaxNameBytes = 1024;
inline constexpr std::size_t kMaxCategories = 64;
// The JSON text of one annotation.
inline constexpr std::size_t kMaxAnnotationBytes = std::size_t{1} << 20;

// The first part of valid UTF-8, cut between two characters where it is too long for a name.
[[nodiscard]] constexpr std::string_view cut_name(std::string_view text) {
  return cut_between_characters(text, kMaxNameBytes);
}

// What the annotations of a file may spend on text, in proportion to their own bytes. Real ones
// become three to ten times longer.
class TextBudget {
 public:
  void earn(std::size_t bytes) { left_ += bytes * kPerByte; }
  // A text that is known already takes no memory, but it took the time to make it.
  void spend(std::size_t bytes, bool is_new) {
    left_ -= std::min(left_, is_new ? bytes : bytes / kKnownDiscount);
  }
  [[nodiscard]] std::size_t left() const { return left_; }

 private:
  static constexpr std::size_t kAtFirst = std::size_t{16} << 20;
  static constexpr std::size_t kPerByte = 16;
  static constexpr std::size_t kKnownDiscount = 8;

  std::size_t left_ = kAtFirst;
};

}  // namespace lockstep::formats::perfetto
