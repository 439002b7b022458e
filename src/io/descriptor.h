// A descriptor of an open file that is closed on every way out of a function.
#pragma once

#include <unistd.h>

#include <utility>

namespace lockstep::io {

class Descriptor {
 public:
  // What opening has returned; -1 is none.
  explicit Descriptor(int number) noexcept : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  [[nodiscard]] bool is_open() const { return number_ >= 0; }
  [[nodiscard]] int number() const { return number_; }
  // To somebody else, who closes it.
  int release() noexcept { return std::exchange(number_, -1); }

 private:
  int number_;
};

}  // namespace lockstep::io
