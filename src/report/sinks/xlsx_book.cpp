// Calls of libxlsxwriter. It can write only to a file that it names, so it writes a temporary one,
// whose bytes then go where outputs go.
#include "report/sinks/xlsx_book.h"

#include <algorithm>
#include <cerrno>
#include <exception>
#include <map>
#include <new>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <xlsxwriter.h>

#include "base/letters.h"
#include "base/text.h"
#include "base/utf8.h"
#include "io/byte_source.h"
#include "io/temporary_folder.h"
#include "report/layout/text_width.h"
#include "report/sinks/unchecked_library.h"
#include "report/sinks/xlsx_check.h"

namespace lockstep::report::sinks {
namespace {

constexpr std::size_t kMaxSheetName = 31;
constexpr std::size_t kMaxCellBytes = 32'767;  // characters are meant; bytes are never fewer
static_assert(kMostXlsxRows == LXW_ROW_MAX - 1);
// Each is a part of a zip archive, which counts to 65,535; a few parts are the library's. It does
// not notice when there are more, and other programs cannot read what it writes then.
constexpr std::size_t kMaxSheets = 65'000;
constexpr time_t kCreated = 315'532'800;  // 1980-01-01: the time of writing is no part of a result

// Titles of sheets must differ whatever their case, and may not hold some characters.
class SheetNames {
 public:
  std::string legal(std::string_view wish) {
    std::string name = one_line(wish);
    for (char& c : name) {
      if (std::string_view("[]:*?/\\'").find(c) != std::string_view::npos) c = '_';
    }
    if (name.empty()) name = "Sheet";
    std::string candidate(cut_between_characters(name, kMaxSheetName));
    std::uint32_t& number = numbers_[in_small_letters(candidate)];  // the last that this name had
    number = std::max(number, 1U);
    while (!taken_.insert(in_small_letters(candidate)).second) {
      const std::string suffix = fmt::format(" {}", ++number);
      candidate = std::string(cut_between_characters(name, kMaxSheetName - suffix.size())) + suffix;
    }
    return candidate;
  }

 private:
  std::set<std::string> taken_;
  std::map<std::string, std::uint32_t> numbers_;
};

// The library's codes of a failed allocation, as the exception that it is elsewhere.
void throw_if_short(lxw_error code) {
  const bool is_short =
      code == LXW_ERROR_MEMORY_MALLOC_FAILED || code == LXW_ERROR_SHARED_STRING_INDEX_NOT_FOUND;
  if (is_short) throw std::bad_alloc();
}

// Text as a cell can hold it.
std::string cell_text(std::string_view text) {
  std::string shown = one_line(text);
  if (shown.size() <= kMaxCellBytes) return shown;
  shown.resize(cut_between_characters(shown, kMaxCellBytes - layout::kEllipsis.size()).size());
  return shown.append(layout::kEllipsis);
}

class Book {
 public:
  // `folder` is for the library's own temporary files.
  Book(UncheckedLibrary& library, std::size_t most_rows, const std::string& path,
       std::string folder)
      : library_(library), most_rows_(most_rows) {
    lxw_workbook_options options{};
    options.tmpdir = folder.data();
    book_ = made(library_.call([&] { return workbook_new_opt(path.c_str(), &options); }));
    lxw_doc_properties properties{};
    properties.created = kCreated;
    note([&] { return workbook_set_properties(book_, &properties); });
  }
  // What was thrown may have left it broken: then it is left alone.
  ~Book() {
    if (book_ != nullptr && std::uncaught_exceptions() == 0) lxw_workbook_free(book_);
  }
  Book(const Book&) = delete;
  Book& operator=(const Book&) = delete;

  // The first failure, or none.
  [[nodiscard]] lxw_error add(const XlsxSheet& sheet) {
    const std::string name = names_.legal(sheet.name);
    lxw_worksheet* const page =
        made(library_.call([&] { return workbook_add_worksheet(book_, name.c_str()); }));
    add_titles(sheet, page);
    const std::size_t rows = std::min(sheet.rows.size(), most_rows_);
    const bool is_cut = rows < sheet.rows.size();
    for (std::size_t r = 0; r < (is_cut ? rows - 1 : rows); ++r) add_row(page, r, sheet.rows[r]);
    if (is_cut) {
      const std::size_t left_out = sheet.rows.size() - (rows - 1);
      add_row(page, rows - 1,
              {{fmt::format("Left out: {} rows (--csv writes all)", grouped(left_out))}});
    }
    if (!sheet.columns.empty()) {
      const auto last = static_cast<lxw_col_t>(sheet.columns.size() - 1);
      note([&] { return worksheet_autofilter(page, 0, 0, static_cast<lxw_row_t>(rows), last); });
    }
    return failure_;
  }

  // That a reader will find.
  [[nodiscard]] std::uint64_t cells() const { return cells_; }

  [[nodiscard]] lxw_error close() {
    lxw_workbook* const book = std::exchange(book_, nullptr);
    note([&] { return workbook_close(book); });
    return failure_;
  }

 private:
  template <typename Made>
  static Made* made(Made* object) {
    if (object == nullptr) throw std::bad_alloc();
    return object;
  }

  // The code of a call of the library.
  template <typename Call>
  lxw_error note(Call call) {
    const lxw_error code = library_.call(call);
    throw_if_short(code);
    if (failure_ == LXW_NO_ERROR) failure_ = code;
    return code;
  }

  void add_titles(const XlsxSheet& sheet, lxw_worksheet* page) {
    for (std::size_t c = 0; c < sheet.columns.size(); ++c) {
      const auto column = static_cast<lxw_col_t>(c);
      const double width = sheet.columns[c].width;
      note([&] { return worksheet_set_column(page, column, column, width, nullptr); });
      add_cell(page, 0, column, {sheet.columns[c].title, std::nullopt, true});
    }
    worksheet_freeze_panes(page, 1, 0);
  }

  // Counted without the titles.
  void add_row(lxw_worksheet* page, std::size_t row, const std::vector<XlsxCell>& cells) {
    for (std::size_t c = 0; c < cells.size(); ++c) {
      add_cell(page, static_cast<lxw_row_t>(row + 1), static_cast<lxw_col_t>(c), cells[c]);
    }
  }

  void add_cell(lxw_worksheet* page, lxw_row_t row, lxw_col_t column, const XlsxCell& cell) {
    lxw_format* const format = format_of(cell);
    lxw_error failure = LXW_NO_ERROR;
    bool is_kept = true;  // cells without content or format are not
    if (const auto* text = std::get_if<std::string>(&cell.value)) {
      const std::string shown = cell_text(*text);
      is_kept = !shown.empty() || format != nullptr;
      failure =
          note([&] { return worksheet_write_string(page, row, column, shown.c_str(), format); });
    } else if (const auto* number = std::get_if<double>(&cell.value)) {
      failure = note([&] { return worksheet_write_number(page, row, column, *number, format); });
    } else {
      is_kept = format != nullptr;
      failure = note([&] { return worksheet_write_blank(page, row, column, format); });
    }
    if (is_kept && failure == LXW_NO_ERROR) ++cells_;
  }

  lxw_format* format_of(const XlsxCell& cell) {
    if (!cell.fill && !cell.is_bold) return nullptr;
    lxw_format*& format = formats_[{cell.fill, cell.is_bold}];
    if (format != nullptr) return format;
    format = made(library_.call([&] { return workbook_add_format(book_); }));
    if (cell.is_bold) format_set_bold(format);
    if (cell.fill) format_set_bg_color(format, *cell.fill);
    return format;
  }

  UncheckedLibrary& library_;
  std::size_t most_rows_;
  lxw_workbook* book_ = nullptr;
  lxw_error failure_ = LXW_NO_ERROR;
  std::uint64_t cells_ = 0;
  SheetNames names_;
  std::map<std::tuple<std::optional<std::uint32_t>, bool>, lxw_format*> formats_;
};

// `reason` is what errno was left at; it may be from something else.
Error writing_error(const std::string& path, int reason, const std::string& otherwise) {
  for (const int shortage : {ENOSPC, EDQUOT, EFBIG, EIO, EMFILE, ENFILE}) {
    if (reason == shortage) return io::temporary_writing_failed(path, reason);
  }
  return output_error("workbook", fmt::format("cannot be written: {}", otherwise));
}

// Fills `path`, and says of how many cells.
Result<std::uint64_t> write_file(const std::vector<XlsxSheet>& sheets, std::size_t most_rows,
                                 const std::string& path, const std::string& folder) {
  UncheckedLibrary library;
  Book book(library, most_rows, path, folder);
  lxw_error failure = LXW_NO_ERROR;
  for (const XlsxSheet& sheet : sheets) {
    failure = book.add(sheet);
    if (failure != LXW_NO_ERROR) return writing_error(path, errno, lxw_strerror(failure));
  }
  failure = book.close();
  if (failure != LXW_NO_ERROR) return writing_error(path, errno, lxw_strerror(failure));
  return book.cells();
}

Result<std::string> content_of(const std::string& path) {
  LOCKSTEP_ASSIGN_OR_RETURN(const auto file, io::FileSource::open(path));
  std::string bytes(file->size().value_or(0), '\0');
  LOCKSTEP_ASSIGN_OR_RETURN(const std::size_t n, file->read(bytes));
  bytes.resize(n);
  return bytes;
}

}  // namespace

Status write_xlsx(const std::vector<XlsxSheet>& sheets, io::ByteSink& sink, std::size_t most_rows) {
  if (sheets.size() > kMaxSheets) {
    return output_error(
        "workbook",
        fmt::format("cannot be written: it would have {} sheets, and {} are the most",
                    grouped(sheets.size()), grouped(kMaxSheets)),
        "Write CSV files instead (--csv)");
  }
  LOCKSTEP_ASSIGN_OR_RETURN(const auto folder, io::TemporaryFolder::make());
  const std::string path = folder->reserve("book.xlsx");
  LOCKSTEP_ASSIGN_OR_RETURN(const std::uint64_t cells,
                            write_file(sheets, most_rows, path, folder->path()));
  const int reason = errno;
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string bytes, content_of(path));
  if (!is_whole_book(bytes, cells)) {
    Error error = writing_error(path, reason, "a part of it is missing");
    if (error.hint.empty()) error.hint = "The folder for temporary files (TMPDIR) may lack room";
    return error;
  }
  return sink.write(bytes);
}

}  // namespace lockstep::report::sinks
