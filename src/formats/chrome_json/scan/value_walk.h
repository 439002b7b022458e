// One JSON value, byte by byte, with grammar, in text that comes in pieces cut anywhere: what is
// behind the walk need not be kept.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

namespace lockstep::formats::chrome_json {

enum class WalkVerdict : std::uint8_t {
  kWhole,       // a complete value
  kIncomplete,  // fine so far, but the text ends inside it
  kBroken,      // not JSON
};

inline constexpr std::size_t kAnyNesting = std::numeric_limits<std::size_t>::max();

// Whether it may be a number or another word without quotes (true, NaN, inf).
[[nodiscard]] bool is_bare_word(std::string_view text);

// Tolerant inside strings (raw control characters, any bytes, any escape) and about bare words
// (NaN, inf), strict about everything else. A level of nesting costs a bit.
class ValueWalk {
 public:
  enum class Stop : std::uint8_t { kBehindValue, kAtEvent };
  // Objects and lists nested deeper than `max_nesting` are broken.
  explicit ValueWalk(std::size_t max_nesting = kAnyNesting, Stop stop = Stop::kBehindValue)
      : max_nesting_(max_nesting), stop_(stop) {}

  // Goes on with the next piece; to be called as long as it says that the value is incomplete.
  [[nodiscard]] WalkVerdict take(std::string_view piece);

  // In the last piece: right behind the value, the byte that cannot be, or where the walk stopped.
  [[nodiscard]] std::size_t at() const { return at_; }
  // The value is an object with a key "ph" of its own: an event.
  [[nodiscard]] bool has_phase() const { return has_phase_; }
  // A string has an escape that JSON does not have.
  [[nodiscard]] bool has_bad_escape() const { return has_bad_escape_; }
  // A comma stands before a closing bracket.
  [[nodiscard]] bool has_stray_comma() const { return has_stray_comma_; }
  // An object that is an element of a list inside the value has one.
  [[nodiscard]] bool holds_event() const { return holds_event_; }

 private:
  enum class Expects : std::uint8_t {
    kValue,
    kFirstMember,  // or the end of the container
    kSeparator,    // or the end of the container
    kElement,      // behind a comma
    kKey,          // behind a comma
    kColon,
    kRestOfKey,
    kRestOfString,
    kRestOfWord,
    kNothing,
  };
  static constexpr std::size_t kInlineLevels = 64;

  // Takes what stands at at_, or more; false when that byte cannot be.
  bool step(std::string_view text);
  bool begin_value(char c);
  bool open(bool is_object);
  bool begin_key(char c);
  void close();
  bool take_behind_comma(char c);
  bool take_colon(char c);
  bool take_separator(char c);
  void finish_string(std::string_view text);
  void skip_plain(std::string_view text);
  void take_escape(char c);
  void finish_word(std::string_view text);
  void end_key();
  void end_value() { expects_ = depth_ == 0 ? Expects::kNothing : Expects::kSeparator; }
  [[nodiscard]] bool is_object(std::size_t level) const;  // the outermost is level 0

  std::size_t max_nesting_;
  Stop stop_;
  Expects expects_ = Expects::kValue;
  bool escaped_ = false;  // the next byte of a string is behind a backslash
  bool has_bad_escape_ = false;
  bool has_stray_comma_ = false;
  bool has_phase_ = false;
  bool holds_event_ = false;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  unsigned digits_ = 0;             // so many hexadecimal digits of an escape are still to come
  std::uint64_t outer_levels_ = 0;  // a bit a level: whether it is an object
  std::vector<bool> deeper_levels_;
  std::array<char, 3> key_{};  // its first bytes, with the quote behind a short one
  std::size_t key_bytes_ = 0;
};

}  // namespace lockstep::formats::chrome_json
