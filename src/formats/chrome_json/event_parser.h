// From the JSON text of events to their fields, with simdjson.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "formats/chrome_json/document_cutter.h"
#include "formats/chrome_json/event_fields.h"

namespace lockstep::chrome_json {

// A scalar as it stands in the file, without its quotes and not unescaped.
struct Token {
  std::string_view text;
  bool quoted = false;
  bool present = false;
};

struct RawArgument {
  std::string_view key;    // not unescaped
  std::string_view value;  // JSON text of any value
};

// The fields of one event; views into the window, valid during the call that hands them over.
class RawEvent {
 public:
  [[nodiscard]] const Token& operator[](Field field) const {
    static constexpr Token kAbsent{};
    const auto i = static_cast<std::size_t>(field);
    return (seen & (1U << i)) != 0 ? tokens[i] : kAbsent;
  }

  std::array<Token, kFieldCount> tokens;  // valid where `seen` says so; read them by []
  std::uint32_t seen = 0;                 // a bit for every field that was there
  std::vector<RawArgument> arguments;
  bool duplicate_key = false;
  bool repaired = false;     // control characters or invalid UTF-8 were replaced
  std::string_view text;     // all of it
  std::uint64_t offset = 0;  // of its text in the stream
};

// How much of an event's arguments is wanted; less is faster.
enum class ArgumentNeed : std::uint8_t {
  kNone,
  kFirst,             // the first one only
  kUntilCorrelation,  // no lists and objects, nothing behind "correlation"
  kScalars,           // no lists and objects
  kAll,
};

class EventHandler {
 public:
  virtual ~EventHandler() = default;
  // Asked when "args" comes up. Fields that stand behind "args" are not there yet.
  virtual ArgumentNeed arguments_needed(const RawEvent& event) = 0;
  virtual void on_event(const RawEvent& event) = 0;
};

class EventParser {
 public:
  explicit EventParser(EventHandler& handler);
  ~EventParser();
  EventParser(const EventParser&) = delete;
  EventParser& operator=(const EventParser&) = delete;

  // Hands every event to the handler, in order. Returns how many were whole; a window that simdjson
  // refuses is gone through event by event, and a refused event is tried once more after repair.
  [[nodiscard]] std::size_t parse_window(char* window, std::span<const EventCut> cuts,
                                         std::uint64_t offset);
  // One event on its own; `text` needs no padding.
  [[nodiscard]] bool parse_one(std::string_view text, std::uint64_t offset);

 private:
  struct Machine;  // simdjson's parser and the iteration over it

  EventHandler& handler_;
  std::unique_ptr<Machine> machine_;
};

}  // namespace lockstep::chrome_json
