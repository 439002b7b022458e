// Cuts comma-separated text into records and cells, as a stream.
//
// Cells are views into the scanner's buffer and are valid until the next call; nothing is copied
// and nothing is allocated per cell. A cell in quotes may hold commas and doubled quotes. A record
// is one line: a quote that came or went by damage would swallow all records up to the next one.
// Only where the quotes are right to the letter, the cells as many as the header has and no line is
// as wide as a record by itself, a record goes over lines. Memory is one chunk and the longest
// record, which is bounded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "formats/shared/format.h"
#include "io/byte_source.h"

namespace lockstep::formats::ascend_text {

class CsvScanner {
 public:
  CsvScanner(io::ByteSource& bytes, const shared::ReadOptions& options);

  // The cells of the next record that is not blank, as they stand in the file; see clean(). False
  // at the end.
  [[nodiscard]] Result<bool> next(std::vector<std::string_view>& cells);

  // How many cells a record over lines must have, which are those of the header; before that is
  // known there is none.
  void expect_cells(std::size_t cells) { expected_cells_ = cells; }

  [[nodiscard]] std::uint64_t row() const { return row_; }  // of the last record, from 1
  // The last record that is not blank ended with the file, not with a line end.
  [[nodiscard]] bool ended_with_file() const { return ended_with_file_; }
  // Records that may have swallowed others or lost a part.
  struct Defects {
    std::uint64_t count = 0;
    std::uint64_t first_row = 0;
  };
  // A quote that is not closed in its line (the line was read without regard to quotes) or not
  // opened, text behind a closing quote, or a line beyond all measure (passed over).
  [[nodiscard]] const Defects& damaged_records() const { return damaged_; }
  // Bytes that no table holds; see text_damage.h.
  [[nodiscard]] const Defects& damaged_texts() const { return damaged_texts_; }
  // Carriage returns and tabs where writers put none: cells of two lines may have become one.
  [[nodiscard]] const Defects& joined_cells() const { return joined_cells_; }

  static constexpr std::size_t kMaxRecordBytes = std::size_t{1} << 20;

 private:
  enum class Found : std::uint8_t { kRecord, kNeedsMore, kOpenQuote };
  [[nodiscard]] Found scan(std::vector<std::string_view>& cells, bool quotes_count);
  // The record over lines that begins here; kOpenQuote when there is none.
  [[nodiscard]] Found scan_lines(std::vector<std::string_view>& cells);
  [[nodiscard]] Found scan_cells_over_lines(std::vector<std::string_view>& cells);
  // Whether the record that scan() found is one; counts what is wrong with it.
  [[nodiscard]] bool take_record(const std::vector<std::string_view>& cells);
  void count(Defects& defects) const;
  [[nodiscard]] Status refill();
  [[nodiscard]] Result<bool> skip_line();

  io::ByteSource& bytes_;
  const shared::ReadOptions& options_;
  std::size_t chunk_bytes_;
  std::vector<char> buffer_;  // [begin_, end_) is there; padded for wide loads
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t next_begin_ = 0;  // behind the record that scan() found
  bool at_end_ = false;
  bool is_first_ = true;
  bool is_plain_ = false;  // no byte of the buffer asks for a closer look
  bool ended_with_file_ = false;
  bool is_damaged_ = false;  // the record that scan() found
  std::uint64_t row_ = 0;
  Defects damaged_;
  Defects damaged_texts_;
  Defects joined_cells_;
  std::size_t expected_cells_ = 0;
};

// A cell without quotes around it (of any number: profilers write three), doubled quotes, and the
// spaces, tabs and line ends at its borders. `scratch` holds the text when it had to be changed.
[[nodiscard]] std::string_view clean(std::string_view cell, std::string& scratch);

// The same for cells that are numbers or words: borders only, never a copy.
[[nodiscard]] std::string_view trimmed(std::string_view cell);

// Nothing was written: "", "N/A", "NA".
[[nodiscard]] bool is_blank(std::string_view value);

}  // namespace lockstep::formats::ascend_text
