// Counts of what was repaired, dropped or looked suspicious while reading, with the first place.
//
// Every kind is declared once, as a constant DiagnosticKind beside the code that reports it, with
// its severity and a sentence for people. Reading goes on after a diagnostic.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace lockstep {

enum class Severity : std::uint8_t {
  kInfo,      // worth knowing; nothing was lost
  kDataLoss,  // records or bytes of the input are missing from the answer
  kError,     // the input contradicts itself; figures that depend on it cannot be trusted
};

[[nodiscard]] std::string_view name_of(Severity severity);

struct DiagnosticKind {
  std::string_view name;  // snake_case, stable: it is part of the JSON contract
  Severity severity;
  std::string_view help;  // what happened and what it means, one sentence
};

// Where in the input something was met: a byte of the inflated stream, a row of a table, or a time
// of the trace.
struct Place {
  enum class Unit : std::uint8_t { kNone, kByte, kRow, kTime };
  Unit unit = Unit::kNone;
  std::uint64_t at = 0;

  static Place none() { return {}; }
  static Place byte(std::uint64_t offset) { return {Unit::kByte, offset}; }
  static Place row(std::uint64_t index) { return {Unit::kRow, index}; }
  static Place time(Time at) { return {Unit::kTime, static_cast<std::uint64_t>(at.ps)}; }
};

struct Diagnostic {
  const DiagnosticKind* kind = nullptr;
  std::uint64_t count = 0;
  Place first;
  std::string example;  // of the first one; may be empty
  std::string source;   // the input it was met in

  // The example with the time at which it was met, where that is known.
  [[nodiscard]] std::string example_words() const;
  // The help sentence, with the example when there is one.
  [[nodiscard]] std::string text() const;
};

// An ordered collection; kinds come out in the order in which they were first met. Not thread-safe.
class Diagnostics {
 public:
  void add(const DiagnosticKind& kind, Place place = {}, std::string_view example = {},
           std::uint64_t count = 1);
  // Takes over what another collection found, under the name of an input.
  void absorb(const Diagnostics& other, std::string_view source);

  [[nodiscard]] const std::vector<Diagnostic>& entries() const { return entries_; }
  [[nodiscard]] std::uint64_t count_of(const DiagnosticKind& kind) const;
  [[nodiscard]] bool has_loss() const;  // any data loss or error

 private:
  std::vector<Diagnostic> entries_;
};

}  // namespace lockstep
