// Copying of databases and of what their writers left beside them.
#include "formats/sqlite/pages/sqlite_place.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "formats/sqlite/pages/sqlite_journal.h"
#include "io/descriptor.h"

namespace lockstep::formats::sqlite {

const DiagnosticKind kLogLeftAlone{
    "log_left_alone", Severity::kDataLoss,
    "What lies beside the database under the name of its log is no plain file or cannot be read; "
    "it was left alone, and rows may be missing."};

const DiagnosticKind kSharedJournal{
    "shared_journal", Severity::kDataLoss,
    "The journal beside the database belongs to a change of several databases at once; that change "
    "was taken back here, and rows may be missing."};

const DiagnosticKind kChangedDatabase{
    "changed_database", Severity::kDataLoss,
    "The database was being written while it was read; rows may be missing or out of date. Read it "
    "again when its writer is done."};

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCopyName = "trace.db";
constexpr std::array<std::string_view, 2> kLogSuffixes = {"-wal", "-journal"};
// Where SQLite looks for what belongs to a database.
constexpr std::array<std::string_view, 3> kNamesBeside = {"-wal", "-journal", "-shm"};
constexpr int kMostCopies = 3;

std::string without_links(const std::string& path) {
  std::error_code failure;
  const fs::path real = fs::canonical(path, failure);
  return failure ? path : real.string();
}

enum class Log {
  kNone,   // nothing that SQLite would apply
  kPlain,  // to be copied
  kOther,  // not a plain file, or it does not begin like a log
};

constexpr std::string_view kLogStart{"\x37\x7f\x06", 3};  // then 82 or 83

// Some writers end a change by making the head of its journal zero. The number of a page follows in
// the next sector, unless all that was made zero by something else.
bool is_done(io::FileSource& journal, const std::string& head) {
  const auto is_zero = [](std::string_view text) {
    return text.find_first_not_of('\0') == std::string_view::npos;
  };
  std::string rest(4096 + 4 - head.size(), '\0');
  if (!is_zero(head) || !journal.read(rest).ok()) return false;
  const auto sector = [&](std::size_t at) { return std::string_view(rest).substr(at - 8, 4); };
  return !is_zero(sector(512)) || (!is_zero(sector(4096)) && sector(4096).starts_with('\0'));
}

// Something that cannot be asked about is not there as far as SQLite is concerned either.
Log log_at(const std::string& path) {
  struct stat facts{};
  if (lstat(path.c_str(), &facts) != 0) return Log::kNone;
  if (!S_ISREG(facts.st_mode)) return Log::kOther;
  if (facts.st_size == 0) return Log::kNone;
  const auto file = io::FileSource::open_plain(path);
  std::string head(kJournalStart.size(), '\0');
  if (!file.ok()) return Log::kOther;
  const auto got = file.value()->read(head);
  if (!got.ok()) return Log::kOther;
  if (path.ends_with("-journal") && is_done(*file.value(), head)) return Log::kNone;
  return head == kJournalStart || head.starts_with(kLogStart) ? Log::kPlain : Log::kOther;
}

// Takes the name of another file out of a copied journal. SQLite would look at that file, and
// delete it.
Status forget_other_journal(const std::string& journal, Diagnostics& diagnostics) {
  const io::Descriptor file(::open(journal.c_str(), O_RDWR | O_CLOEXEC));
  if (!file.is_open()) return input_error(journal, "the copy of a journal cannot be opened again");
  struct stat facts{};
  std::array<char, 8> tail{};
  const auto size = static_cast<off_t>(tail.size());
  const bool names_one =
      fstat(file.number(), &facts) == 0 && facts.st_size >= size &&
      pread(file.number(), tail.data(), tail.size(), facts.st_size - size) == size &&
      std::string_view(tail.data(), tail.size()) == kJournalStart;
  if (!names_one) return {};
  diagnostics.add(kSharedJournal);
  tail.fill('\0');  // cut off, there might be another one before it
  if (pwrite(file.number(), tail.data(), tail.size(), facts.st_size - size) == size) return {};
  return input_error(journal, "the copy of a journal cannot be changed");
}

Status copy_log(const std::string& log, std::string_view suffix, SqlitePlace& place,
                Diagnostics& diagnostics) {
  auto bytes = io::FileSource::open_plain(log);
  if (!bytes.ok()) {
    diagnostics.add(kLogLeftAlone, Place::none(), log);
    return {};
  }
  LOCKSTEP_ASSIGN_OR_RETURN(
      const std::string copy,
      place.folder->spool(*bytes.value(), std::string(kCopyName) + std::string(suffix)));
  place.has_logs = true;
  if (suffix == "-journal") return forget_other_journal(copy, diagnostics);
  return {};
}

Result<SqlitePlace> copied_once(const std::string& database, Diagnostics& diagnostics) {
  SqlitePlace place;
  LOCKSTEP_ASSIGN_OR_RETURN(place.folder, io::TemporaryFolder::make());
  LOCKSTEP_ASSIGN_OR_RETURN(const auto bytes, io::FileSource::open(database));
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string copy,
                            place.folder->spool(*bytes, std::string(kCopyName)));
  place.file = without_links(copy);
  place.folder->reserve(std::string(kCopyName) + "-shm");
  for (const std::string_view suffix : kLogSuffixes) {
    const std::string log = database + std::string(suffix);
    const Log found = log_at(log);
    if (found == Log::kOther) diagnostics.add(kLogLeftAlone, Place::none(), log);
    if (found == Log::kPlain) {
      LOCKSTEP_RETURN_IF_ERROR(copy_log(log, suffix, place, diagnostics));
    } else {
      place.folder->reserve(std::string(kCopyName) + std::string(suffix));
    }
  }
  return place;
}

// Of a database and of the logs beside it.
using Stamps = std::array<std::optional<SqliteStamp>, 1 + kLogSuffixes.size()>;

Stamps stamps_of(const std::string& database) {
  Stamps stamps = {SqliteStamp::of(database)};
  for (std::size_t i = 0; i < kLogSuffixes.size(); ++i) {
    const std::string log = database + std::string(kLogSuffixes[i]);
    if (log_at(log) == Log::kPlain) stamps[i + 1] = SqliteStamp::of(log);
  }
  return stamps;
}

}  // namespace

std::optional<SqliteStamp> SqliteStamp::of(const std::string& path) {
  const io::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) return std::nullopt;
  SqliteStamp stamp;
  struct stat facts{};
  const bool is_known = fstat(file.number(), &facts) == 0 &&
                        pread(file.number(), stamp.header.data(), stamp.header.size(), 0) >= 0;
  if (!is_known) return std::nullopt;
  stamp.device = facts.st_dev;
  stamp.file = facts.st_ino;
  stamp.bytes = static_cast<std::uint64_t>(facts.st_size);
  stamp.changed_seconds = facts.st_mtim.tv_sec;
  stamp.changed_nanoseconds = facts.st_mtim.tv_nsec;
  return stamp;
}

bool is_plain_database(const std::string& path) {
  struct stat facts{};
  if (path == "-" || stat(path.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode)) return false;
  const std::optional<SqliteStamp> stamp = SqliteStamp::of(path);
  return stamp && std::string_view(stamp->header.data(), kSqliteMagic.size()) == kSqliteMagic;
}

bool is_log_of_database(const std::string& file, const std::string& database) {
  return std::ranges::any_of(kNamesBeside, [&](std::string_view suffix) {
    return file.ends_with(suffix) && is_plain_database(database) &&
           file == without_links(database) + std::string(suffix);
  });
}

Result<SqlitePlace> place_of_database(const std::string& path, Diagnostics& diagnostics) {
  const std::string database = without_links(path);
  // Before the logs are looked for: a writer may make one right afterwards and change the file.
  const std::optional<SqliteStamp> stamp = SqliteStamp::of(database);
  for (const std::string_view suffix : kLogSuffixes) {
    if (log_at(database + std::string(suffix)) == Log::kPlain) {
      return copy_of_database(path, diagnostics);
    }
  }
  for (const std::string_view suffix : kLogSuffixes) {
    const std::string log = database + std::string(suffix);
    if (log_at(log) == Log::kOther) diagnostics.add(kLogLeftAlone, Place::none(), log);
  }
  SqlitePlace place;
  place.file = database;
  place.stamp = stamp;
  return place;
}

Result<SqlitePlace> copy_of_database(const std::string& path, Diagnostics& diagnostics,
                                     const std::function<void()>& after_copy) {
  const std::string database = without_links(path);
  for (int copies = 1;; ++copies) {
    Diagnostics findings;
    const Stamps before = stamps_of(database);
    auto place = copied_once(database, findings);
    if (after_copy) after_copy();
    const bool has_changed = before != stamps_of(database);
    if (has_changed && copies < kMostCopies) continue;
    if (has_changed) findings.add(kChangedDatabase);
    diagnostics.absorb(findings, {});
    return place;
  }
}

Result<SqlitePlace> spooled_database(io::ByteSource& bytes) {
  SqlitePlace place;
  LOCKSTEP_ASSIGN_OR_RETURN(place.folder, io::TemporaryFolder::make());
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string copy,
                            place.folder->spool(bytes, std::string(kCopyName)));
  place.file = without_links(copy);
  return place;
}

}  // namespace lockstep::formats::sqlite
