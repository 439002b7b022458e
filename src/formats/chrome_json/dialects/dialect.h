// The dialects of Chrome JSON: what one writer means by lanes and times that others mean otherwise.
//
// The events of all dialects are mapped alike. What may tell a dialect is noted on the way
// (dialect_evidence.h), and every dialect of the list is asked once all events are there. Several
// may answer: people join the files of several tools.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "base/diagnostics.h"
#include "base/time.h"
#include "formats/chrome_json/parse/header_facts.h"
#include "trace/trace.h"

namespace lockstep::formats::chrome_json {

class EventMapper;

// The rows, tracks and processes of a rank, which are the last of the trace.
struct RankStart {
  std::size_t row = 0;
  std::size_t track = 0;
  std::size_t process = 0;
};

// A file whose events have all become rows.
struct MappedFile {
  trace::Trace& trace;
  trace::RankId rank;
  RankStart start;
  EventMapper& mapper;
  const HeaderFacts& header;
  Diagnostics& diagnostics;
};

class Dialect {
 public:
  virtual ~Dialect() = default;

  [[nodiscard]] virtual bool recognises(const MappedFile& file) const = 0;
  // The name of the format; empty leaves it to the dialects behind this one.
  [[nodiscard]] virtual std::string_view format() const { return {}; }
  // What times count from that are not of the epoch; nothing leaves it to the dialects behind.
  [[nodiscard]] virtual std::optional<Clock> clock(const MappedFile& /*file*/) const {
    return std::nullopt;
  }
  // Puts lanes where they belong and gives events their kinds.
  virtual void place_lanes(MappedFile& /*file*/) const {}
  // After flows and steps are bound.
  virtual void tidy(MappedFile& /*file*/) const {}
};

// All dialects, in the order in which they are asked. The last one recognises every file.
[[nodiscard]] std::span<const Dialect* const> all_dialects();

}  // namespace lockstep::formats::chrome_json
