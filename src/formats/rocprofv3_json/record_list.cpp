// Walking of members and elements, and their parsing in batches.
#include "formats/rocprofv3_json/record_list.h"

#include <array>
#include <utility>

#include "formats/shared/repeated_key.h"
#include "formats/shared/simdjson_shortage.h"

namespace lockstep::formats::rocprofv3_json {

const DiagnosticKind kTruncatedJson{
    "truncated_json", Severity::kDataLoss,
    "The document ends before its closing brackets, as when a profiler is killed; all whole "
    "records before the end were read."};
const DiagnosticKind kDamagedRecord{
    "damaged_record", Severity::kDataLoss,
    "A record is not valid JSON; it was dropped and reading went on at the next record."};
const DiagnosticKind kDamagedStructure{
    "damaged_structure", Severity::kDataLoss,
    "The brackets or commas around records are damaged; some of them may be lost."};
const DiagnosticKind kMissingRecords{
    "missing_records", Severity::kDataLoss,
    "A process has no member buffer_records, which rocprofv3 always writes; its records may be "
    "lost."};
const DiagnosticKind kMisnamedList{
    "misnamed_list", Severity::kDataLoss,
    "A list of records holds kernels or copies under a name that is not theirs, as damage leaves "
    "it; they were read as what they look like, but records may be missing."};
const DiagnosticKind kUnknownList{
    "unknown_list", Severity::kInfo,
    "A list of records has a name that is not known; its records were read as those of the host."};

namespace {

namespace dom = simdjson::dom;

constexpr std::size_t kBatchBytes = 256 * 1024;
// No record of the profiler is larger; a larger one has lost its end.
constexpr std::size_t kMaxRecordBytes = std::size_t{16} << 20;
// Looking for the ends of damaged records may take this many times the size of the document; then
// it is given up, lest it take for ever.
constexpr std::size_t kMaxWaste = 8;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Characters that change the depth or begin a string.
constexpr std::array<bool, 256> make_structural() {
  std::array<bool, 256> table{};
  for (const char c : {'"', '{', '}', '[', ']'}) table[static_cast<unsigned char>(c)] = true;
  return table;
}
constexpr std::array<bool, 256> kStructural = make_structural();

// Behind the closing quote of the string whose opening quote is at `at`; beyond the size when there
// is none.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size(); ++at) {
    at = text.find('"', at);
    if (at == std::string_view::npos) return text.size() + 1;
    std::size_t backslashes = 0;
    while (text[at - 1 - backslashes] == '\\') ++backslashes;
    if (backslashes % 2 == 0) return at + 1;
  }
  return text.size() + 1;
}

Range unclosed(std::string_view text, std::size_t at) { return {at, text.size(), false}; }

Range bracketed_at(std::string_view text, std::size_t begin) {
  std::size_t depth = 0;
  std::size_t at = begin;
  while (at < text.size()) {
    const char c = text[at];
    if (!kStructural[static_cast<unsigned char>(c)]) {
      ++at;
      continue;
    }
    if (c == '"') {
      at = end_of_string(text, at);
      continue;
    }
    ++at;
    depth += c == '{' || c == '[' ? 1 : -1;
    if (depth == 0) return {begin, at};
  }
  return unclosed(text, begin);
}

}  // namespace

Document::Document(std::string text) : text_(std::move(text)), size_(text_.size()) {
  text_.append(simdjson::SIMDJSON_PADDING, ' ');
}

std::size_t skip_space(std::string_view text, std::size_t at) {
  while (at < text.size() && is_space(text[at])) ++at;
  return at;
}

Range value_at(std::string_view text, std::size_t at) {
  if (at >= text.size()) return unclosed(text, text.size());
  if (text[at] == '{' || text[at] == '[') return bracketed_at(text, at);
  if (text[at] == '"') {
    const std::size_t end = end_of_string(text, at);
    return end > text.size() ? unclosed(text, at) : Range{at, end};
  }
  std::size_t end = at;
  while (end < text.size() &&
         std::string_view(",]} \t\r\n").find(text[end]) == std::string_view::npos)
    ++end;
  return end == text.size() ? unclosed(text, at) : Range{at, end};
}

std::size_t walk_members(std::string_view text, std::size_t at, const VisitMember& visit) {
  if (at >= text.size() || text[at] != '{') return kNowhere;
  at = skip_space(text, at + 1);
  if (at < text.size() && text[at] == '}') return at + 1;
  while (at < text.size() && text[at] == '"') {
    const std::size_t key_end = end_of_string(text, at);
    if (key_end > text.size()) return kNowhere;
    const std::string_view key = text.substr(at + 1, key_end - at - 2);
    at = skip_space(text, key_end);
    if (at >= text.size() || text[at] != ':') return kNowhere;
    at = visit(key, skip_space(text, at + 1));
    if (at == kNowhere) return kNowhere;
    at = skip_space(text, at);
    if (at >= text.size()) return kNowhere;
    if (text[at] == '}') return at + 1;
    if (text[at] != ',') return kNowhere;
    at = skip_space(text, at + 1);
  }
  return kNowhere;
}

std::size_t walk_elements(std::string_view text, std::size_t at, const VisitElement& visit) {
  if (at >= text.size() || text[at] != '[') return kNowhere;
  at = skip_space(text, at + 1);
  if (at < text.size() && text[at] == ']') return at + 1;
  while (at < text.size()) {
    at = visit(at);
    if (at == kNowhere) return kNowhere;
    at = skip_space(text, at);
    if (at >= text.size()) return kNowhere;
    if (text[at] == ']') return at + 1;
    if (text[at] != ',') return kNowhere;
    at = skip_space(text, at + 1);
  }
  return kNowhere;
}

std::uint64_t RecordParser::for_each(Range list, const Visit& visit) {
  const std::string_view text = document_.text().substr(0, list.end);
  std::uint64_t visited = 0;
  std::size_t at = list.begin;
  if (list.empty() || at >= text.size()) return 0;
  if (text[at] != '[') {
    if (text.substr(at) != "null") diagnostics_.add(kDamagedStructure, Place::byte(at));
    return 0;
  }
  at = skip_space(text, at + 1);
  batch_.clear();
  std::size_t batch_bytes = 0;
  while (at < text.size() && text[at] != ']') {
    const Range element = value_at(text.substr(0, at + kMaxRecordBytes), at);
    const std::size_t end = skip_space(text, element.end);
    const bool is_last = end < text.size() && text[end] == ']';
    const bool has_next = end < text.size() && text[end] == ',';
    const bool is_whole = element.is_closed && !element.empty();
    if (is_whole) {
      batch_.push_back(element);
      batch_bytes += element.end - element.begin;
    }
    // Only neighbours can be parsed as one list.
    if (batch_bytes >= kBatchBytes || !is_whole || !has_next) {
      if (!visit_batch(visit, visited)) return visited;
      batch_bytes = 0;
    }
    if (is_whole && is_last) return visited;
    if (is_whole && has_next) {
      at = skip_space(text, end + 1);
      continue;
    }
    // The last record of a document that is cut off, or one that lost a bracket or a quote.
    wasted_bytes_ += element.end - at;
    const std::size_t next = next_record(is_whole ? end : at + 1, text.size());
    const bool is_cut = end >= text.size();  // which is told of the document
    if (next == kNowhere && is_cut) break;
    diagnostics_.add(is_whole ? kDamagedStructure : kDamagedRecord, Place::byte(at));
    if (next == kNowhere) break;
    at = next;
  }
  if (!visit_batch(visit, visited)) return visited;
  return visited;
}

std::optional<dom::element> RecordParser::parse(Range value) {
  dom::element element;
  const auto failure = shared::unless_short(
      parser_.parse(document_.data() + value.begin, value.end - value.begin, false).get(element));
  if (failure != simdjson::SUCCESS) return std::nullopt;
  return element;
}

// The bytes around the elements become the brackets of a list for the time of the parse.
bool RecordParser::visit_batch(const Visit& visit, std::uint64_t& visited) {
  if (batch_.empty()) return true;
  const std::vector<Range> elements = std::exchange(batch_, {});
  char* const first = document_.data() + elements.front().begin - 1;
  char* const last = document_.data() + elements.back().end;
  const char before = *first;
  const char behind = *last;
  *first = '[';
  *last = ']';
  dom::array list;
  const auto failure =
      parser_.parse(first, static_cast<std::size_t>(last - first) + 1, false).get_array().get(list);
  *first = before;
  *last = behind;
  if (shared::unless_short(failure) != simdjson::SUCCESS)
    return visit_one_by_one(elements, visit, visited);
  std::size_t i = 0;
  for (const dom::element element : list) {
    if (i == elements.size()) break;  // a damaged element may look like two
    ++visited;
    const std::size_t place = elements[i++].begin;
    if (shared::repeats_a_key(element)) diagnostics_.add(kDamagedStructure, Place::byte(place));
    if (!visit(element, place)) return false;
  }
  return true;
}

bool RecordParser::visit_one_by_one(const std::vector<Range>& elements, const Visit& visit,
                                    std::uint64_t& visited) {
  for (const Range& element : elements) {
    const std::optional<dom::element> record = parse(element);
    if (!record) {
      diagnostics_.add(kDamagedRecord, Place::byte(element.begin));
      continue;
    }
    ++visited;
    if (shared::repeats_a_key(*record))
      diagnostics_.add(kDamagedStructure, Place::byte(element.begin));
    if (!visit(*record, element.begin)) return false;
  }
  return true;
}

std::size_t RecordParser::next_record(std::size_t at, std::size_t end) {
  const std::string_view text = document_.text().substr(0, end);
  if (wasted_bytes_ / kMaxWaste > document_.size()) return kNowhere;
  const std::size_t from = at;
  for (at = text.find('}', at); at < text.size(); at = text.find('}', at)) {
    const std::size_t comma = skip_space(text, ++at);
    if (comma >= text.size() || text[comma] != ',') continue;
    const std::size_t next = skip_space(text, comma + 1);
    if (next < text.size() && text[next] == '{') return next;
  }
  wasted_bytes_ += end - from;
  return kNowhere;
}

}  // namespace lockstep::formats::rocprofv3_json
