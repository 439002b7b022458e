// Opening and scanning of SQLite databases.
#include "formats/sqlite_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <sqlite3.h>

namespace lockstep {

const DiagnosticKind kDamagedTable{
    "damaged_table", Severity::kDataLoss,
    "A table of the database cannot be read to its end; the rows before the damage were read."};

const DiagnosticKind kDamagedDatabase{
    "damaged_database", Severity::kDataLoss,
    "The database is cut off or its first pages are damaged; what can still be found was read."};

namespace {

namespace fs = std::filesystem;

// Whether this path is a database that can be opened where it lies.
bool is_plain_database(const std::string& path) {
  std::error_code failure;
  if (path == "-" || !fs::is_regular_file(path, failure)) return false;
  std::ifstream file(path, std::ios::binary);
  std::string magic(kSqliteMagic.size(), '\0');
  file.read(magic.data(), static_cast<std::streamsize>(magic.size()));
  return file && magic == kSqliteMagic;
}

bool has_content(const std::string& path) {
  std::error_code failure;
  const std::uintmax_t size = fs::file_size(path, failure);
  return !failure && size > 0;
}

// Of the file: what a row needs at least (a pointer of two bytes, two lengths, a header).
constexpr std::uintmax_t kLeastBytesPerRow = 5;
constexpr std::uintmax_t kLeastBytes = 1U << 20;
constexpr std::uintmax_t kLongestCellBytes = 512U << 20;
constexpr std::uint64_t kRowsPerProgress = 1U << 17;

// Whether a database is shorter than its header says (fields of the file format: page size at 16,
// number of pages at 28, valid when the numbers at 24 and 92 agree). SQLite takes half a page
// for a whole one and reads zeros.
bool is_cut(const std::string& path) {
  std::array<unsigned char, 100> header{};
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(header.data()), header.size());
  std::error_code failure;
  const std::uintmax_t size = fs::file_size(path, failure);
  if (!file || failure) return true;
  const auto number = [&](std::size_t at, std::size_t bytes) {
    std::uintmax_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i) value = value << 8 | header[at + i];
    return value;
  };
  const std::uintmax_t page = number(16, 2) == 1 ? 65536 : number(16, 2);
  const bool knows_count = number(24, 4) == number(92, 4) && number(28, 4) > 0;
  return page == 0 || size % page != 0 || (knows_count && size < number(28, 4) * page);
}

// As a file: address; SQLite reads %, ? and # in it.
std::string address_of(const std::string& path, bool immutable) {
  std::string out = "file:";
  for (const char c : fs::absolute(path).string()) {
    if (c == '%' || c == '?' || c == '#') {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + (immutable ? "?immutable=1" : "?mode=rw");
}

std::string quoted(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string literal(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("''") : std::string(1, c);
  return out + "'";
}

}  // namespace

SqliteScan::SqliteScan(sqlite3_stmt* statement, std::string table, std::vector<bool> present,
                       SqliteFile* file)
    : statement_(statement), table_(std::move(table)), present_(std::move(present)), file_(file) {}

SqliteScan::SqliteScan(SqliteScan&& other) noexcept
    : statement_(std::exchange(other.statement_, nullptr)),
      table_(std::move(other.table_)),
      present_(std::move(other.present_)),
      file_(other.file_),
      rows_(other.rows_) {}

SqliteScan::~SqliteScan() { sqlite3_finalize(statement_); }

bool SqliteScan::next() {
  if (statement_ == nullptr) return false;
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW && rows_ < file_->most_rows_) {
    if (++rows_ % kRowsPerProgress == 0) file_->report_progress();
    return true;
  }
  if (code != SQLITE_DONE) {
    const char* reason =
        code == SQLITE_ROW ? "more rows than the file can hold" : sqlite3_errstr(code);
    file_->diagnostics_.add(kDamagedTable, Place::row(rows_ + 1),
                            fmt::format("table {}: {}", table_, reason));
  }
  sqlite3_finalize(std::exchange(statement_, nullptr));
  return false;
}

bool SqliteScan::has(int column) const { return present_[static_cast<std::size_t>(column)]; }

bool SqliteScan::is_null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

std::int64_t SqliteScan::integer(int column, std::int64_t otherwise) const {
  sqlite3_value* cell = sqlite3_column_value(statement_, column);
  const int type = sqlite3_value_type(cell);
  if (type == SQLITE_INTEGER) return sqlite3_value_int64(cell);
  if (type == SQLITE_NULL) return otherwise;
  if (type == SQLITE_FLOAT) {
    const double value = sqlite3_value_double(cell);
    const bool fits = value > -9.2e18 && value < 9.2e18;
    return fits ? static_cast<std::int64_t>(value) : otherwise;
  }
  const std::string_view digits = text(column);
  std::int64_t value = otherwise;
  const auto [end, failure] = std::from_chars(digits.begin(), digits.end(), value);
  return failure == std::errc() && end == digits.end() ? value : otherwise;
}

double SqliteScan::real(int column) const { return sqlite3_column_double(statement_, column); }

std::string_view SqliteScan::text(int column) const {
  sqlite3_value* cell = sqlite3_column_value(statement_, column);
  // A blob is taken as it is; text may be stored as UTF-16 and a number is written out.
  const void* bytes = sqlite3_value_type(cell) == SQLITE_BLOB
                          ? sqlite3_value_blob(cell)
                          : static_cast<const void*>(sqlite3_value_text(cell));
  const int size = sqlite3_value_bytes(cell);
  if (bytes == nullptr || size <= 0) return {};
  return {static_cast<const char*>(bytes), static_cast<std::size_t>(size)};
}

Result<std::unique_ptr<SqliteFile>> SqliteFile::open(ByteSource& bytes, const std::string& path) {
  std::unique_ptr<SqliteFile> file(new SqliteFile);
  file->path_ = path;
  std::string database = path;
  bool immutable = true;
  if (!is_plain_database(path)) {
    LOCKSTEP_ASSIGN_OR_RETURN(file->copy_, TemporaryFolder::make());
    LOCKSTEP_ASSIGN_OR_RETURN(database, file->copy_->spool(bytes, "trace.db"));
  } else if (has_content(path + "-wal")) {
    LOCKSTEP_ASSIGN_OR_RETURN(file->copy_, TemporaryFolder::make());
    LOCKSTEP_ASSIGN_OR_RETURN(const auto main_file, FileSource::open(path));
    LOCKSTEP_ASSIGN_OR_RETURN(database, file->copy_->spool(*main_file, "trace.db"));
    LOCKSTEP_ASSIGN_OR_RETURN(const auto log, FileSource::open(path + "-wal"));
    LOCKSTEP_ASSIGN_OR_RETURN(const std::string log_copy, file->copy_->spool(*log, "trace.db-wal"));
    file->copy_->reserve("trace.db-shm");
    immutable = false;
  }
  LOCKSTEP_RETURN_IF_ERROR(file->open_database(database, immutable));
  if (!(immutable && is_cut(database)) && file->list_tables().ok()) return file;
  file->accept_damage();
  LOCKSTEP_RETURN_IF_ERROR(file->list_tables());
  file->diagnostics_.add(kDamagedDatabase);
  return file;
}

SqliteFile::~SqliteFile() { sqlite3_close_v2(database_); }

Status SqliteFile::open_database(const std::string& file, bool immutable) {
  const int flags = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX |
                    (immutable ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE);
  const int code = sqlite3_open_v2(address_of(file, immutable).c_str(), &database_, flags, nullptr);
  if (code != SQLITE_OK) return error_of(code);
  // A file from elsewhere must not call functions, load code or believe in its own schema.
  sqlite3_db_config(database_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(database_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(database_, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(database_, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_exec(database_, "PRAGMA cell_size_check = ON", nullptr, nullptr, nullptr);
  // A damaged page may claim a cell of any size, or a tree whose branches meet again.
  std::error_code failure;
  const std::uintmax_t bytes = std::max<std::uintmax_t>(fs::file_size(file, failure), kLeastBytes);
  if (!failure) {
    sqlite3_limit(database_, SQLITE_LIMIT_LENGTH,
                  static_cast<int>(std::min(bytes, kLongestCellBytes)));
    if (immutable) most_rows_ = bytes / kLeastBytesPerRow;
  }
  return {};
}

void SqliteFile::accept_damage() {
  // With a writable schema SQLite opens a file that is shorter than it says, and passes over
  // entries of the schema that make no sense. Nothing is written: the file is immutable, or a copy.
  sqlite3_db_config(database_, SQLITE_DBCONFIG_DEFENSIVE, 0, nullptr);
  sqlite3_db_config(database_, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, nullptr);
  accepts_damage_ = true;
  tables_.clear();
  columns_.clear();
}

Error SqliteFile::error_of(int code) const {
  const std::string reason = sqlite3_errstr(code);
  switch (code & 0xFF) {
    case SQLITE_NOTADB:
      return input_error(path_, "is not an SQLite database that can be read (" + reason + ")",
                         "It may be encrypted or damaged");
    case SQLITE_CORRUPT:
      return input_error(path_, "is a damaged SQLite database (" + reason + ")",
                         "It may be cut off; export it again");
    default:
      return input_error(path_, "cannot be read as an SQLite database: " + reason);
  }
}

Status SqliteFile::list_tables() {
  // A virtual table has no page of its own, and asking for its columns would run its module.
  const auto take_table = [this](std::string_view name) {
    if (columns_.try_emplace(std::string(name)).second) tables_.emplace_back(name);
  };
  LOCKSTEP_RETURN_IF_ERROR(for_each_text(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0", take_table));
  for (const std::string& table : tables_) {
    std::vector<std::string>& columns = columns_[table];
    // Columns that are computed are not listed.
    const Status status =
        for_each_text("SELECT name FROM pragma_table_info(" + literal(table) + ")",
                      [&](std::string_view name) { columns.emplace_back(name); });
    if (status.ok()) continue;
    if (!accepts_damage_) return status;
    diagnostics_.add(kDamagedTable, Place::none(), "table " + table);
  }
  return {};
}

Status SqliteFile::for_each_text(const std::string& query,
                                 const std::function<void(std::string_view)>& take) {
  sqlite3_stmt* statement = nullptr;
  int code = sqlite3_prepare_v2(database_, query.c_str(), -1, &statement, nullptr);
  if (code != SQLITE_OK) {
    sqlite3_finalize(statement);
    return error_of(code);
  }
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
    if (text != nullptr) take(text);
  }
  sqlite3_finalize(statement);
  if (code != SQLITE_DONE) return error_of(code);
  return {};
}

void SqliteFile::report_progress() {
  if (!on_progress_) return;
  int pages = 0;
  int highest = 0;
  sqlite3_db_status(database_, SQLITE_DBSTATUS_CACHE_MISS, &pages, &highest, 1);
  bytes_read_ += static_cast<std::uint64_t>(std::max(pages, 0)) * page_bytes_;
  on_progress_(bytes_read_);
}

void SqliteFile::report_progress_to(std::function<void(std::uint64_t)> on_progress) {
  on_progress_ = std::move(on_progress);
  const auto take = [this](std::string_view digits) {
    std::from_chars(digits.data(), digits.data() + digits.size(), page_bytes_);
  };
  if (!for_each_text("PRAGMA page_size", take).ok()) page_bytes_ = 0;
}

bool SqliteFile::has_table(std::string_view name) const {
  return columns_.contains(std::string(name));
}

bool SqliteFile::has_column(std::string_view table, std::string_view column) const {
  const auto known = columns_.find(std::string(table));
  return known != columns_.end() && std::ranges::find(known->second, column) != known->second.end();
}

SqliteScan SqliteFile::scan(std::string_view table, const std::vector<std::string_view>& columns) {
  std::vector<bool> present;
  std::string list;
  for (const std::string_view column : columns) {
    present.push_back(has_column(table, column));
    list += (list.empty() ? "" : ", ") + (present.back() ? quoted(column) : std::string("NULL"));
  }
  sqlite3_stmt* statement = nullptr;
  if (!columns.empty() && has_table(table)) {
    const std::string query = fmt::format("SELECT {} FROM {} NOT INDEXED", list, quoted(table));
    const int code = sqlite3_prepare_v2(database_, query.c_str(), static_cast<int>(query.size()),
                                        &statement, nullptr);
    if (code != SQLITE_OK) {
      diagnostics_.add(kDamagedTable, Place::row(1),
                       fmt::format("table {}: {}", table, sqlite3_errmsg(database_)));
    }
  }
  return {statement, std::string(table), std::move(present), this};
}

}  // namespace lockstep
