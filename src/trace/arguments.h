// Arguments of events: typed key-value pairs, kept only when a reader was asked to keep them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/string_pool.h"
#include "trace/event_table.h"

namespace lockstep {

struct Argument {
  enum class Type : std::uint8_t {
    kInteger,
    kReal,  // `bits` is a double
    kBoolean,
    kString,  // `bits` is a StringId
    kJson,    // null, a list, an object or a number that no other type holds: its JSON text, a
              // StringId
  };
  StringId key{};
  Type type = Type::kInteger;
  std::uint64_t bits = 0;

  static Argument integer(StringId key, std::int64_t value);
  static Argument real(StringId key, double value);
  static Argument boolean(StringId key, bool value);
  static Argument string(StringId key, StringId value);
  static Argument json(StringId key, StringId text);

  [[nodiscard]] std::int64_t as_integer() const { return static_cast<std::int64_t>(bits); }
  [[nodiscard]] double as_real() const;
  [[nodiscard]] bool as_boolean() const { return bits != 0; }
  [[nodiscard]] StringId as_string() const { return StringId{static_cast<std::uint32_t>(bits)}; }
};

// Arguments by event. Rows are set in any order, each at most once.
class ArgumentTable {
 public:
  void set(EventId event, std::span<const Argument> arguments);
  [[nodiscard]] std::span<const Argument> of(EventId event) const;
  [[nodiscard]] bool empty() const { return arguments_.empty(); }
  // Forgets those of events from `first` on.
  void truncate(std::size_t first) {
    if (ranges_.size() > first) ranges_.resize(first);
  }

 private:
  struct Range {
    std::uint32_t count = 0;
    std::uint64_t first = 0;
  };
  std::vector<Range> ranges_;  // by event
  std::vector<Argument> arguments_;
};

}  // namespace lockstep
