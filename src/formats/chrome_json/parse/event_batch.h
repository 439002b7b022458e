// Events as they were parsed, on their way from the thread that parses to the thread that maps.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/chrome_json/parse/event_fields.h"

namespace lockstep::formats::chrome_json {

// A scalar as it stands in the file, without its quotes and not unescaped.
struct Token {
  const char* data = nullptr;  // null when the field is missing
  std::uint32_t size = 0;
  bool quoted = false;

  [[nodiscard]] std::string_view text() const { return {data, size}; }
  [[nodiscard]] bool present() const { return data != nullptr; }
};

struct RawArgument {
  std::string_view key;    // not unescaped
  std::string_view value;  // JSON text of any value
};

// A bit for every field, Field::kOther too.
[[nodiscard]] constexpr std::uint32_t bit_of(Field field) {
  return 1U << static_cast<unsigned>(field);
}

// The fields of one event; views into the window that it was cut from.
struct RawEvent {
  [[nodiscard]] bool has(Field field) const { return (seen & bit_of(field)) != 0; }
  // Absent fields give an empty token.
  [[nodiscard]] Token operator[](Field field) const {
    return has(field) ? tokens[static_cast<std::size_t>(field)] : Token{};
  }

  std::array<Token, kScalarFields> tokens;  // valid where `seen` says so; read them by []
  std::uint64_t offset = 0;                 // of its text in the stream
  std::uint32_t first_argument = 0;         // in its batch
  std::uint32_t argument_count = 0;
  std::uint32_t seen = 0;  // a bit for every field that was there, one for all others
  bool has_duplicate_key = false;
  bool has_damaged_argument = false;  // one that was left out
  bool has_wrong_type = false;        // a list for an object, or one of them for a scalar
  bool has_evidence = false;          // among its arguments; set only when it is asked for
  bool is_repaired = false;           // raw control characters or invalid UTF-8 were replaced
  bool has_damaged_text = false;      // some of them are no tabs and no line ends
};

// Some events, and whatever keeps their text alive. A batch that was cleared keeps its memory, so
// that a few of them can go round between two threads.
class EventBatch {
 public:
  // Makes it empty, for events whose text `text_owner` keeps alive.
  void clear(std::shared_ptr<const void> text_owner);
  // So many more may be read.
  void make_room(std::size_t events);

  // The event that is being read, and its arguments; add() keeps them, another begin() forgets
  // them.
  [[nodiscard]] RawEvent& begin(std::uint64_t offset);
  void add_argument(RawArgument argument) { arguments_.push_back(argument); }
  void drop_arguments() { arguments_.resize(events_[count_].first_argument); }
  void add();

  // A copy of text that is in no window, alive as long as the batch and followed by padding.
  [[nodiscard]] std::string_view keep(std::string_view text, std::size_t padding);

  [[nodiscard]] const void* text_owner() const { return text_owner_.get(); }
  [[nodiscard]] std::span<const RawEvent> events() const { return {events_.data(), count_}; }
  [[nodiscard]] std::span<const RawArgument> arguments_of(const RawEvent& event) const {
    return std::span(arguments_).subspan(event.first_argument, event.argument_count);
  }

 private:
  std::vector<RawEvent> events_;  // the first count_ are there
  std::size_t count_ = 0;
  std::vector<RawArgument> arguments_;
  std::vector<std::unique_ptr<std::string>> kept_;
  std::shared_ptr<const void> text_owner_;
};

}  // namespace lockstep::formats::chrome_json
