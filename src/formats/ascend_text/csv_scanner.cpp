// Scanning of records: one search for the next border per cell.
#include "formats/ascend_text/csv_scanner.h"

#include <algorithm>
#include <cstring>

#include "base/find_byte.h"
#include "formats/shared/byte_order_mark.h"
#include "formats/shared/text_damage.h"

namespace lockstep::formats::ascend_text {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// The quote that closes a cell whose first quote stands before `at`; null when none does.
const char* find_closing_quote(const char* at, const char* end) {
  while (at < end) {
    const auto* quote =
        static_cast<const char*>(std::memchr(at, '"', static_cast<std::size_t>(end - at)));
    if (quote == nullptr) return nullptr;
    if (quote + 1 == end || quote[1] != '"') return quote;
    at = quote + 2;
  }
  return nullptr;
}

// Whether a carriage return stands before something else than a line end, or tabs inside a cell:
// writers put them behind cells only, so a cell was joined there with one of another line.
bool has_joined_cells(const char* begin, const char* end) {
  const auto is_one_of = [](char c, std::string_view some) { return some.contains(c); };
  EitherFinder blanks(begin, end, '\t', '\r');
  for (const char* at = blanks.next(begin); at + 1 < end; at = blanks.next(at + 1)) {
    if (*at == '\r') {
      if (at[1] != '\n' && at[1] != '\r') return true;
      continue;
    }
    const char* const first = at;
    while (at + 1 < end && at[1] == '\t') ++at;
    const bool is_inside = first > begin && !is_one_of(first[-1], ",\n \"") && at + 1 < end &&
                           !is_one_of(at[1], ",\r\n \"");
    if (is_inside) return true;
  }
  return false;
}

bool has_quote(const char* at, const char* end) {
  return std::memchr(at, '"', static_cast<std::size_t>(end - at)) != nullptr;
}

// Whether a cell without quotes around it ends as one with quotes does, or has doubled ones: its
// first quote is lost, and what stood between may be too. A quote alone is only text.
bool has_stray_quotes(const std::vector<std::string_view>& cells) {
  return std::ranges::any_of(cells, [](std::string_view cell) {
    constexpr std::string_view kBlanks = " \t\r";
    const std::size_t first = cell.find_first_not_of(kBlanks);
    if (first == std::string_view::npos || cell[first] == '"') return false;
    return cell[cell.find_last_not_of(kBlanks)] == '"' || cell.contains("\"\"");
  });
}

const char* find_line_end(const char* at, const char* end) {
  const void* found = std::memchr(at, '\n', static_cast<std::size_t>(end - at));
  return found == nullptr ? end : static_cast<const char*>(found);
}

// How many cells a line has by itself; behind a quote that it does not close every comma counts.
std::size_t cells_of_line(const char* at, const char* end) {
  std::size_t cells = 1;
  bool quotes_count = true;
  while (true) {
    if (quotes_count && at < end && *at == '"') {
      const char* quote = find_closing_quote(at + 1, end);
      quotes_count = quote != nullptr;
      if (quotes_count) at = quote + 1;
    }
    at = std::find(at, end, ',');
    if (at == end) return cells;
    ++cells;
    ++at;
  }
}

// Whether every line that ends before `end` may be a part of a record of this width: none is one by
// itself, and none is blank, as where a page of line ends has come.
bool are_parts(const char* at, const char* end, std::size_t width) {
  for (const char* line = find_line_end(at, end); line != end; line = find_line_end(at, end)) {
    if (std::all_of(at, line, is_space) || cells_of_line(at, line) >= width) return false;
    at = line + 1;
  }
  return true;
}

bool is_blank_record(const std::vector<std::string_view>& cells) {
  return cells.size() == 1 && trimmed(cells[0]).empty();
}

}  // namespace

CsvScanner::CsvScanner(io::ByteSource& bytes, const shared::ReadOptions& options)
    : bytes_(bytes),
      options_(options),
      chunk_bytes_(std::max<std::size_t>(options.chunk_bytes, 1)),
      buffer_(chunk_bytes_ + kFindBytePadding) {}

Status CsvScanner::refill() {
  const std::size_t kept = end_ - begin_;
  std::memmove(buffer_.data(), buffer_.data() + begin_, kept);
  begin_ = 0;
  end_ = kept;
  if (buffer_.size() < kept + chunk_bytes_ + kFindBytePadding) {
    buffer_.resize(std::max(2 * kept, kept + chunk_bytes_) + kFindBytePadding);
  }
  if (options_.on_progress) options_.on_progress(bytes_.raw_bytes_read());
  LOCKSTEP_ASSIGN_OR_RETURN(const std::size_t got,
                            bytes_.read(std::span(buffer_).subspan(end_, chunk_bytes_)));
  end_ += got;
  at_end_ = got < chunk_bytes_;
  const char* const text = buffer_.data();
  is_plain_ = shared::is_plain_text({text, end_}) && !has_joined_cells(text, text + end_);
  return {};
}

CsvScanner::Found CsvScanner::scan(std::vector<std::string_view>& cells, bool quotes_count) {
  cells.clear();
  bool is_damaged = !quotes_count;
  const char* at = buffer_.data() + begin_;
  const char* end = buffer_.data() + end_;
  EitherFinder borders(at, end, ',', '\n');
  const char* line = nullptr;  // the end of this one, once a quote asks for it
  const char* plain = at;      // behind the last cell in quotes
  bool has_odd_quote = false;  // in a cell that is not in quotes
  while (true) {
    const char* cell = at;
    if (quotes_count && at < end && *at == '"') {
      has_odd_quote |= has_quote(plain, at);
      if (line == nullptr) {
        line = find_line_end(at, end);
        if (line == end && !at_end_) return Found::kNeedsMore;
      }
      const char* quote = find_closing_quote(at + 1, line);
      if (quote == nullptr) return Found::kOpenQuote;
      at = quote + 1;
    }
    const char* border = borders.next(at);
    if (border == end && !at_end_) return Found::kNeedsMore;
    if (at > cell) {
      is_damaged |= !std::all_of(at, border, is_space);
      plain = border;
    }
    cells.emplace_back(cell, static_cast<std::size_t>(border - cell));
    if (border == end || *border == '\n') {
      has_odd_quote |= has_quote(plain, border);
      is_damaged_ = is_damaged || (has_odd_quote && has_stray_quotes(cells));
      ended_with_file_ = border == end;
      next_begin_ = static_cast<std::size_t>(std::min(border + 1, end) - buffer_.data());
      return Found::kRecord;
    }
    at = border + 1;
  }
}

CsvScanner::Found CsvScanner::scan_lines(std::vector<std::string_view>& cells) {
  if (expected_cells_ == 0) return Found::kOpenQuote;
  const Found found = scan_cells_over_lines(cells);
  if (found == Found::kOpenQuote) return found;
  const bool is_found = found == Found::kRecord;
  const char* const end = buffer_.data() + (is_found ? next_begin_ : end_);
  if (!are_parts(buffer_.data() + begin_, end, expected_cells_)) return Found::kOpenQuote;
  return is_found || end_ - begin_ <= kMaxRecordBytes ? found : Found::kOpenQuote;
}

// Quotes stand around whole cells, doubled inside; a record that the file ends may lack more.
CsvScanner::Found CsvScanner::scan_cells_over_lines(std::vector<std::string_view>& cells) {
  cells.clear();
  const char* at = buffer_.data() + begin_;
  const char* const end = buffer_.data() + end_;
  const Found unfinished = at_end_ ? Found::kOpenQuote : Found::kNeedsMore;
  EitherFinder borders(at, end, ',', '\n');
  while (cells.size() < expected_cells_) {
    const char* const cell = at;
    if (at < end && *at == '"') {
      const char* quote = find_closing_quote(at + 1, end);
      if (quote == nullptr || quote + 1 == end) return unfinished;
      at = quote + 1;
    }
    const char* border = borders.next(at);
    if (border == end) return unfinished;
    const bool is_right =
        at > cell ? std::all_of(at, border, is_space) : std::find(cell, border, '"') == border;
    if (!is_right) return Found::kOpenQuote;
    cells.emplace_back(cell, static_cast<std::size_t>(border - cell));
    at = border + 1;
    if (*border != '\n') continue;
    if (cells.size() < expected_cells_) return Found::kOpenQuote;
    is_damaged_ = false;
    ended_with_file_ = false;
    next_begin_ = static_cast<std::size_t>(at - buffer_.data());
    return Found::kRecord;
  }
  return Found::kOpenQuote;
}

void CsvScanner::count(Defects& defects) const {
  if (defects.count++ == 0) defects.first_row = row_;
}

bool CsvScanner::take_record(const std::vector<std::string_view>& cells) {
  const std::string_view record(buffer_.data() + begin_, next_begin_ - begin_);
  begin_ = next_begin_;
  ++row_;
  if (is_damaged_) count(damaged_);
  if (!is_plain_) {
    if (shared::is_damaged_text(record)) {
      count(damaged_texts_);
    } else if (has_joined_cells(record.data(), record.data() + record.size())) {
      count(joined_cells_);
    }
  }
  const bool is_blank = is_blank_record(cells);
  if (is_blank) ended_with_file_ = false;
  return !is_blank;
}

Result<bool> CsvScanner::next(std::vector<std::string_view>& cells) {
  while (true) {
    if (begin_ == end_ && at_end_) return false;
    if (is_first_ && (end_ - begin_ >= shared::kByteOrderMark.size() || at_end_)) {
      is_first_ = false;
      const std::string_view head(buffer_.data() + begin_, end_ - begin_);
      begin_ += shared::byte_order_mark_size(head);
      continue;
    }
    Found found = is_first_ ? Found::kNeedsMore : scan(cells, true);
    if (found == Found::kOpenQuote) found = scan_lines(cells);
    if (found == Found::kOpenQuote) found = scan(cells, false);
    if (found == Found::kRecord) {
      if (take_record(cells)) return true;
      continue;
    }
    if (end_ - begin_ > kMaxRecordBytes) {
      ++row_;
      count(damaged_);
      LOCKSTEP_ASSIGN_OR_RETURN(const bool more, skip_line());
      if (!more) return false;
      continue;
    }
    LOCKSTEP_RETURN_IF_ERROR(refill());
  }
}

// Passes over a line that is too long to be one; false when the file ends with it.
Result<bool> CsvScanner::skip_line() {
  while (true) {
    const auto* line =
        static_cast<const char*>(std::memchr(buffer_.data() + begin_, '\n', end_ - begin_));
    if (line != nullptr) {
      begin_ = static_cast<std::size_t>(line + 1 - buffer_.data());
      return true;
    }
    begin_ = end_;
    if (at_end_) return false;
    LOCKSTEP_RETURN_IF_ERROR(refill());
  }
}

std::string_view trimmed(std::string_view cell) {
  while (!cell.empty() && (is_space(cell.back()) || cell.back() == '"')) cell.remove_suffix(1);
  while (!cell.empty() && (is_space(cell.front()) || cell.front() == '"')) cell.remove_prefix(1);
  return cell;
}

std::string_view clean(std::string_view cell, std::string& scratch) {
  const std::string_view inner = trimmed(cell);
  if (inner.find("\"\"") == std::string_view::npos) return inner;
  scratch.clear();
  for (std::size_t i = 0; i < inner.size(); ++i) {
    scratch += inner[i];
    if (inner[i] == '"' && i + 1 < inner.size() && inner[i + 1] == '"') ++i;
  }
  return scratch;
}

bool is_blank(std::string_view value) { return value.empty() || value == "N/A" || value == "NA"; }

}  // namespace lockstep::formats::ascend_text
