// How much text of a file is kept as copies. A reference of a few bytes stands for a text of any
// length, so that what is copied out of a small file could fill any memory.
#pragma once

#include <cstddef>

namespace lockstep::formats::xspace {

class TextAllowance {
 public:
  // As much as the file has itself; small files may repeat themselves a little.
  explicit TextAllowance(std::size_t file_bytes) : left_(file_bytes + kAlways) {}

  // False when that is too much; then nothing is taken.
  [[nodiscard]] bool take(std::size_t bytes) {
    if (bytes > left_) return false;
    left_ -= bytes;
    return true;
  }

 private:
  static constexpr std::size_t kAlways = std::size_t{1} << 20;
  std::size_t left_;
};

}  // namespace lockstep::formats::xspace
