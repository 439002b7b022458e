// Arguments of events: typed key-value pairs, kept only when a reader was asked to keep them.
#pragma once

#include <cstdint>
#include <span>

#include "base/column.h"
#include "base/string_pool.h"
#include "trace/event_table.h"

namespace lockstep::trace {

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
    if (ranges_.size() > first) ranges_.truncate(first);
  }

 private:
  // Eight bytes: there is one for every event before the last that has arguments.
  struct Range {
    std::uint64_t first : 40;
    std::uint64_t count : 24;
  };
  static constexpr std::size_t kMaxFirst = (std::size_t{1} << 40) - 1;
  static constexpr std::size_t kMaxCount = (std::size_t{1} << 24) - 1;  // the rest is not kept

  Column<Range> ranges_;  // by event
  Column<Argument> arguments_;
};

}  // namespace lockstep::trace
