// Opening of SQLite databases, and the list of their tables.
#include "formats/sqlite/sqlite_file.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/letters.h"
#include "base/threads/on_threads.h"
#include "formats/sqlite/pages/sqlite_logs.h"
#include "formats/sqlite/sqlite_memory.h"

namespace lockstep::formats::sqlite {
namespace {

namespace fs = std::filesystem;

// Of the file: what a row needs at least (a pointer of two bytes, two lengths, a header).
constexpr std::uintmax_t kLeastBytesPerRow = 5;
constexpr std::uintmax_t kLeastBytes = 1U << 20;
// UTF-16 becomes UTF-8.
constexpr std::uintmax_t kMostTextPerByte = 2;
// The list of tables is read in this many steps of SQLite's machine, and some for each byte of the
// file; more are a tree that repeats its pages.
constexpr std::uint64_t kStepsToList = 1'000'000;
constexpr std::uint64_t kStepsPerByte = 200;
constexpr int kStepsAtOnce = 10'000;
// Where PRAGMA table_xinfo has what of a column.
constexpr std::size_t kNameInTableInfo = 1;
constexpr std::size_t kTypeInTableInfo = 2;
constexpr std::size_t kKeyInTableInfo = 5;
constexpr std::size_t kHiddenInTableInfo = 6;

// Whether a database is shorter than its header says. SQLite takes half a page for a whole one and
// reads zeros. The file may go on behind the database.
bool is_cut(const std::string& path) {
  const std::optional<SqliteExtent> extent = extent_of_database(path);
  if (!extent) return true;
  return extent->pages > 0 ? extent->bytes < extent->pages * extent->page_bytes
                           : extent->bytes % extent->page_bytes != 0;
}

std::string in_quotes(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

// While it lives, statements of a connection end with SQLITE_INTERRUPT after so many steps.
class StepsLimited {
 public:
  StepsLimited(sqlite3* database, const std::string& file) : database_(database) {
    std::error_code failure;
    const std::uintmax_t bytes = fs::file_size(file, failure);
    left_ = (kStepsToList + (failure ? 0 : bytes) * kStepsPerByte) / kStepsAtOnce;
    sqlite3_progress_handler(database_, kStepsAtOnce, spend, &left_);
  }
  ~StepsLimited() { sqlite3_progress_handler(database_, 0, nullptr, nullptr); }
  StepsLimited(const StepsLimited&) = delete;
  StepsLimited& operator=(const StepsLimited&) = delete;

 private:
  // Not zero where nothing is left.
  static int spend(void* left) {
    auto& times = *static_cast<std::uint64_t*>(left);
    if (times == 0) return 1;
    --times;
    return 0;
  }

  sqlite3* database_;
  std::uint64_t left_ = 0;
};

}  // namespace

Result<std::unique_ptr<SqliteFile>> SqliteFile::open(io::ByteSource& bytes,
                                                     const std::string& path) {
  std::unique_ptr<SqliteFile> file(new SqliteFile);
  file->path_ = path;
  auto place = is_plain_database(path) ? place_of_database(path, file->diagnostics_)
                                       : spooled_database(bytes);
  if (!place.ok()) return place.error();
  return open_at(std::move(place).value(), std::move(file));
}

Result<std::unique_ptr<SqliteFile>> SqliteFile::open_copy(const std::string& path) {
  std::unique_ptr<SqliteFile> file(new SqliteFile);
  file->path_ = path;
  LOCKSTEP_ASSIGN_OR_RETURN(SqlitePlace place, copy_of_database(path, file->diagnostics_));
  return open_at(std::move(place), std::move(file));
}

Result<std::unique_ptr<SqliteFile>> SqliteFile::open_at(SqlitePlace place,
                                                        std::unique_ptr<SqliteFile> file) {
  file->place_ = std::move(place);
  if (file->place_.has_logs) {
    LOCKSTEP_RETURN_IF_ERROR(apply_logs(file->place_.file, file->diagnostics_));
  }
  file->sandbox_ =
      std::make_unique<SqliteSandbox>(file->place_.file, SqliteSandbox::Access::kReadOnly);
  LOCKSTEP_RETURN_IF_ERROR(file->open_database());
  switch (list_of_tables(file->place_.file)) {
    case TableList::kEndless:
      return file->error_of(SQLITE_INTERRUPT);
    case TableList::kTooLong:
      return input_error(file->path_,
                         fmt::format("lists more than {} tables and indexes", kMostTables),
                         "No profiler writes so many; export one session at a time");
    case TableList::kFits:
      break;
  }
  if (is_cut(file->place_.file) || !file->list_tables().ok()) {
    file->accept_damage();
    LOCKSTEP_RETURN_IF_ERROR(file->list_tables());
    file->diagnostics_.add(kDamagedDatabase);
  }
  file->say_damaged_definitions();
  return file;
}

void SqliteFile::start_looking_at_pages() {
  if (accepts_damage_) return;  // it is said already
  std::vector<SqliteRoot> roots;
  const auto take_root = [&](std::span<const std::string_view> texts) {
    SqliteRoot root;
    std::from_chars(texts[0].data(), texts[0].data() + texts[0].size(), root.page);
    const SqliteTable* const table = find(texts[1]);
    if (table != nullptr && table->all_columns > 0) root.columns = table->all_columns;
    roots.push_back(root);
  };
  const Status status = for_each_row(
      "SELECT rootpage, name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0", take_root);
  if (!status.ok()) {
    diagnostics_.add(kPagesNotChecked, Place::none(), status.error().text());
    return;
  }
  page_damage_ = run_beside("SQLite pages", [file = place_.file, roots = std::move(roots)] {
    return damaged_pages(file, roots);
  });
}

void SqliteFile::finish() {
  if (!page_damage_.valid()) return;
  const Result<SqlitePageDamage> damage = page_damage_.get();
  if (!damage.ok()) {
    diagnostics_.add(kPagesNotChecked, Place::none(), damage.error().text());
  } else if (damage.value().pages > 0) {
    diagnostics_.add(kDamagedPages, Place::none(), fmt::format("page {}", damage.value().first),
                     damage.value().pages);
  }
}

bool SqliteFile::has_changed() const {
  return place_.stamp && place_.stamp != SqliteStamp::of(place_.file);
}

SqliteFile::~SqliteFile() = default;

Status SqliteFile::open_database() {
  const int code = connect(*sandbox_, database_);
  throw_if_out_of_memory(code);
  if (code != SQLITE_OK) return error_of(code);
  // The branches of a damaged tree may meet again.
  std::error_code failure;
  const std::uintmax_t bytes = fs::file_size(place_.file, failure);
  const std::uintmax_t least = std::max<std::uintmax_t>(failure ? 0 : bytes, kLeastBytes);
  most_rows_ = least / kLeastBytesPerRow;
  most_text_ = least * kMostTextPerByte;
  return {};
}

void SqliteFile::accept_damage() {
  // With a writable schema SQLite opens a file that is shorter than it says, and passes over
  // entries of the schema that make no sense. Nothing is written: the file is read only, or a copy.
  sqlite3_db_config(database_.get(), SQLITE_DBCONFIG_DEFENSIVE, 0, nullptr);
  sqlite3_db_config(database_.get(), SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, nullptr);
  accepts_damage_ = true;
  tables_.clear();
  definitions_.clear();
}

Error SqliteFile::error_of(int code) const {
  const std::string reason = sqlite_reason(code);
  switch (code & 0xFF) {
    case SQLITE_NOTADB:
      return input_error(path_, "is not an SQLite database that can be read (" + reason + ")",
                         "It may be encrypted or damaged");
    case SQLITE_INTERRUPT:
      return input_error(path_, "is a damaged SQLite database (its list of tables has no end)",
                         "Export it again");
    case SQLITE_NOMEM:  // of a row that claims gigabytes
    case SQLITE_CORRUPT:
      return input_error(path_, "is a damaged SQLite database (" + reason + ")",
                         "It may be cut off; export it again");
    default:
      return input_error(path_, "cannot be read as an SQLite database: " + reason);
  }
}

Status SqliteFile::list_tables() {
  const StepsLimited limited(database_.get(), place_.file);
  // A virtual table has no page of its own, and asking for its columns would run its module.
  const auto take_table = [this](std::span<const std::string_view> texts) {
    SqliteTable table{.name = std::string(texts[0]), .definition = std::string(texts[1])};
    const bool is_new =
        definitions_.try_emplace(in_small_letters(texts[0]), std::move(table)).second;
    if (is_new) tables_.emplace_back(texts[0]);
  };
  LOCKSTEP_RETURN_IF_ERROR(for_each_row(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND rootpage > 0", take_table));
  for (const std::string& name : tables_) {
    SqliteTable& table = definitions_[in_small_letters(name)];
    const Status status = list_columns(table);
    if (!status.ok() && !accepts_damage_) return status;
    if (!status.ok()) diagnostics_.add(kDamagedTable, Place::none(), "table " + name);
  }
  return {};
}

Status SqliteFile::list_columns(SqliteTable& table) {
  return for_each_row("PRAGMA table_xinfo(" + in_quotes(table.name) + ")",
                      [&](std::span<const std::string_view> texts) {
                        ++table.all_columns;
                        if (texts[kHiddenInTableInfo] != "0") return;  // computed
                        table.columns.push_back({std::string(texts[kNameInTableInfo]),
                                                 std::string(texts[kTypeInTableInfo]),
                                                 texts[kKeyInTableInfo] != "0"});
                      });
}

void SqliteFile::say_damaged_definitions() {
  for (const std::string& name : tables_) {
    SqliteTable& table = definitions_[in_small_letters(name)];
    say_damage(table, damage_of(table));
  }
}

Status SqliteFile::for_each_row(const std::string& query, const TakeRow& take) {
  const SqliteStatement statement = prepared(database_, query);
  if (!statement) throw_if_out_of_memory(sqlite3_errcode(database_.get()));
  if (!statement) return error_of(sqlite3_errcode(database_.get()));
  std::vector<std::string_view> texts;
  int code = SQLITE_ROW;
  while ((code = sqlite3_step(statement.get())) == SQLITE_ROW) {
    texts.clear();
    for (int i = 0; i < sqlite3_column_count(statement.get()); ++i) {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement.get(), i));
      throw_if_out_of_memory(text != nullptr ? SQLITE_OK : sqlite3_errcode(database_.get()));
      texts.emplace_back(text != nullptr ? text : "");
    }
    take(texts);
  }
  throw_if_out_of_memory(code);
  if (code != SQLITE_DONE) return error_of(code);
  return {};
}

void SqliteFile::report_progress(std::uint64_t pages) {
  if (!on_progress_) return;
  bytes_read_ += pages * page_bytes_;
  on_progress_(bytes_read_);
}

void SqliteFile::report_progress_to(std::function<void(std::uint64_t)> on_progress) {
  on_progress_ = std::move(on_progress);
  const auto take = [this](std::span<const std::string_view> texts) {
    std::from_chars(texts[0].data(), texts[0].data() + texts[0].size(), page_bytes_);
  };
  if (!for_each_row("PRAGMA page_size", take).ok()) page_bytes_ = 0;
}

const SqliteTable* SqliteFile::find(std::string_view table) const {
  const auto known = definitions_.find(in_small_letters(table));
  return known == definitions_.end() ? nullptr : &known->second;
}

bool SqliteFile::has_table(std::string_view name) const { return find(name) != nullptr; }

bool SqliteFile::has_column(std::string_view table, std::string_view column) const {
  const SqliteTable* known = find(table);
  return known != nullptr && known->has_column(column);
}

void SqliteFile::say_damaged_columns(SqliteTable& table, const SqliteColumns& columns) {
  if (table.columns.empty()) return;  // unknown to SQLite, which is said
  std::vector<std::string_view> wanted = columns.needed;
  wanted.insert(wanted.end(), columns.details.begin(), columns.details.end());
  for (const std::string_view column : wanted) {
    say_damage(table, damage_of_missing(table, column, wanted));
  }
}

// Of each table the first that is found.
void SqliteFile::say_damage(SqliteTable& table, const std::string& damage) {
  if (damage.empty() || std::exchange(table.is_said_to_be_damaged, true)) return;
  diagnostics_.add(kDamagedDefinition, Place::none(),
                   fmt::format("table {}: {}", table.name, damage));
}

SqliteScan SqliteFile::scan(std::string_view table, const SqliteColumns& columns) {
  std::vector<bool> present;
  const auto list_of = [&](const std::vector<std::string_view>& some, bool with_values) {
    std::string list;
    for (const std::string_view column : some) {
      const bool is_read = with_values && has_column(table, column);
      list += (list.empty() ? "" : ", ") + (is_read ? in_quotes(column) : std::string("NULL"));
    }
    return list;
  };
  for (const auto* some : {&columns.needed, &columns.details}) {
    for (const std::string_view column : *some) present.push_back(has_column(table, column));
  }
  const auto query_of = [&](bool with_details) {
    const std::string more = list_of(columns.details, with_details);
    return fmt::format("SELECT {}{}{} FROM {} NOT INDEXED", list_of(columns.needed, true),
                       more.empty() ? "" : ", ", more, in_quotes(table));
  };
  SqliteScan::Queries queries{query_of(true), query_of(false)};
  SqliteStatement statement;
  if (const auto known = definitions_.find(in_small_letters(table));
      known != definitions_.end() && !present.empty()) {
    say_damaged_columns(known->second, columns);
    statement = prepared(database_, queries.whole);
    if (!statement) {
      const int code = sqlite3_errcode(database_.get());
      throw_if_out_of_memory(code);
      const bool is_row = code == SQLITE_NOMEM;  // one that claims gigabytes
      diagnostics_.add(kDamagedTable, Place::row(1),
                       fmt::format("table {}: {}", table,
                                   is_row ? sqlite_reason(code) : sqlite3_errmsg(database_.get())));
    }
  }
  return {std::move(statement), std::move(queries), std::string(table), std::move(present), this};
}

}  // namespace lockstep::formats::sqlite
