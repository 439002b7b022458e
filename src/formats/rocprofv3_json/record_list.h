// Walks the text of a JSON document without parsing all of it: members of objects and elements of
// lists, so that a document of any size, cut off anywhere, gives every whole record that it holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#define SIMDJSON_EXCEPTIONS 0
#include <simdjson.h>

#include "base/diagnostics.h"

namespace lockstep::formats::rocprofv3_json {

extern const DiagnosticKind kTruncatedJson;
extern const DiagnosticKind kDamagedRecord;
extern const DiagnosticKind kDamagedStructure;
extern const DiagnosticKind kMissingRecords;
extern const DiagnosticKind kMisnamedList;
extern const DiagnosticKind kUnknownList;

// The document in memory, with the padding behind it that simdjson reads.
class Document {
 public:
  explicit Document(std::string text);

  [[nodiscard]] std::string_view text() const { return {text_.data(), size_}; }
  [[nodiscard]] char* data() { return text_.data(); }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::string text_;
  std::size_t size_;
};

// A part of the document: [begin, end). A part that is cut off ends with the document.
struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool is_closed = true;

  [[nodiscard]] bool empty() const { return begin >= end; }
};

[[nodiscard]] std::size_t skip_space(std::string_view text, std::size_t at);

// The value that begins at `at`: brackets are counted outside of strings.
[[nodiscard]] Range value_at(std::string_view text, std::size_t at);

// Where a walk ends that met damage or the end of the text.
inline constexpr std::size_t kNowhere = std::string_view::npos;

// Calls `visit` with the key of every member of the object that begins at `at` and with the place
// of its value; `visit` returns where the value ends. The result is where the object ends.
using VisitMember = std::function<std::size_t(std::string_view key, std::size_t at)>;
[[nodiscard]] std::size_t walk_members(std::string_view text, std::size_t at,
                                       const VisitMember& visit);
// The same for the elements of a list.
using VisitElement = std::function<std::size_t(std::size_t at)>;
[[nodiscard]] std::size_t walk_elements(std::string_view text, std::size_t at,
                                        const VisitElement& visit);

// Parses the elements of a list, many at once, and calls `visit` with each; `visit` returns false
// to stop. A damaged element is counted and passed over; the next begins where one object ends and
// another follows.
class RecordParser {
 public:
  RecordParser(Document& document, Diagnostics& diagnostics)
      : document_(document), diagnostics_(diagnostics) {}

  using Visit = std::function<bool(simdjson::dom::element record, std::size_t offset)>;
  // Returns how many were visited.
  std::uint64_t for_each(Range list, const Visit& visit);
  // One value on its own; nothing when it is no JSON.
  [[nodiscard]] std::optional<simdjson::dom::element> parse(Range value);

 private:
  // False when `visit` asked to stop.
  bool visit_batch(const Visit& visit, std::uint64_t& visited);
  bool visit_one_by_one(const std::vector<Range>& elements, const Visit& visit,
                        std::uint64_t& visited);
  // Where reading goes on after a damaged element, or kNowhere.
  [[nodiscard]] std::size_t next_record(std::size_t at, std::size_t end);

  Document& document_;
  Diagnostics& diagnostics_;
  simdjson::dom::parser parser_;
  std::vector<Range> batch_;  // neighbours in the text
  std::size_t wasted_bytes_ = 0;
};

}  // namespace lockstep::formats::rocprofv3_json
