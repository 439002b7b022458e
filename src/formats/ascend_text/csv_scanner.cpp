// Scanning of records: one search for the next border per cell.
#include "formats/ascend_text/csv_scanner.h"

#include <algorithm>
#include <cstring>

#include "base/find_byte.h"
#include "formats/text_damage.h"

namespace lockstep::ascend_text {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

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

// Whether a carriage return stands before something else than a line end, or a tab inside a cell:
// writers put them behind cells only, so a cell was joined there with one of another line.
bool has_joined_cells(const char* begin, const char* end) {
  const auto is_one_of = [](char c, std::string_view some) { return some.contains(c); };
  EitherFinder blanks(begin, end, '\t', '\r');
  for (const char* at = blanks.next(begin); at + 1 < end; at = blanks.next(at + 1)) {
    if (*at == '\r') {
      if (at[1] != '\n' && at[1] != '\r') return true;
    } else if (!is_one_of(at[1], ",\t\r\n \"") && at > begin && !is_one_of(at[-1], ",\t\n \"")) {
      return true;
    }
  }
  return false;
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

bool is_blank_record(const std::vector<std::string_view>& cells) {
  return cells.size() == 1 && trimmed(cells[0]).empty();
}

}  // namespace

CsvScanner::CsvScanner(ByteSource& bytes, const ReadOptions& options)
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
  is_plain_ = is_plain_text({text, end_}) && !has_joined_cells(text, text + end_);
  return {};
}

CsvScanner::Found CsvScanner::scan(std::vector<std::string_view>& cells, bool quotes_count) {
  cells.clear();
  bool is_damaged = !quotes_count;
  const char* at = buffer_.data() + begin_;
  const char* end = buffer_.data() + end_;
  EitherFinder borders(at, end, ',', '\n');
  const char* line = nullptr;  // the end of this one, once a quote asks for it
  while (true) {
    const char* cell = at;
    if (quotes_count && at < end && *at == '"') {
      if (line == nullptr) {
        const void* found = std::memchr(at, '\n', static_cast<std::size_t>(end - at));
        line = found == nullptr ? end : static_cast<const char*>(found);
        if (line == end && !at_end_) return Found::kNeedsMore;
      }
      const char* quote = find_closing_quote(at + 1, line);
      if (quote == nullptr) return Found::kOpenQuote;
      at = quote + 1;
    }
    const char* border = borders.next(at);
    if (border == end && !at_end_) return Found::kNeedsMore;
    is_damaged |= at > cell && !std::all_of(at, border, is_space);
    cells.emplace_back(cell, static_cast<std::size_t>(border - cell));
    if (border == end || *border == '\n') {
      is_damaged_ = is_damaged;
      ended_with_file_ = border == end;
      next_begin_ = static_cast<std::size_t>(std::min(border + 1, end) - buffer_.data());
      return Found::kRecord;
    }
    at = border + 1;
  }
}

void CsvScanner::count(Defects& defects) const {
  if (defects.count++ == 0) defects.first_row = row_;
}

bool CsvScanner::take_record(const std::vector<std::string_view>& cells) {
  const std::string_view record(buffer_.data() + begin_, next_begin_ - begin_);
  begin_ = next_begin_;
  ++row_;
  if (is_damaged_) count(damaged_);
  const bool is_odd =
      !is_plain_ &&
      (is_damaged_text(record) || has_joined_cells(record.data(), record.data() + record.size()));
  if (is_odd) count(damaged_texts_);
  const bool is_blank = is_blank_record(cells);
  if (is_blank) ended_with_file_ = false;
  return !is_blank;
}

Result<bool> CsvScanner::next(std::vector<std::string_view>& cells) {
  while (true) {
    if (begin_ == end_ && at_end_) return false;
    if (is_first_ && (end_ - begin_ >= kByteOrderMark.size() || at_end_)) {
      is_first_ = false;
      const std::string_view head(buffer_.data() + begin_, end_ - begin_);
      if (head.starts_with(kByteOrderMark)) begin_ += kByteOrderMark.size();
      continue;
    }
    Found found = is_first_ ? Found::kNeedsMore : scan(cells, true);
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

}  // namespace lockstep::ascend_text
