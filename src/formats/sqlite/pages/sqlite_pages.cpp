// The sizes of pages, and who refers to whom.
#include "formats/sqlite/pages/sqlite_pages.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "formats/sqlite/sqlite_cells.h"
#include "io/byte_source.h"
#include "io/file_bytes.h"

namespace lockstep::formats::sqlite {

const DiagnosticKind kDamagedPages{
    "damaged_pages", Severity::kDataLoss,
    "Pages of the database contradict themselves or each other; rows may be missing."};

const DiagnosticKind kDamagedDatabase{
    "damaged_database", Severity::kDataLoss,
    "The database is cut off or its first pages are damaged; what can still be found was read."};

const DiagnosticKind kPagesNotChecked{
    "pages_not_checked", Severity::kDataLoss,
    "The pages of the database could not be looked at for damage that SQLite reads over; rows may "
    "be missing."};

namespace {

constexpr std::size_t kFileHeaderBytes = 100;
constexpr std::uint64_t kLockByte = 0x4000'0000;  // its page holds nothing
constexpr std::size_t kChunkBytes = std::size_t{1} << 20;
constexpr std::uint32_t kLeastUsable = 480;   // of a page
constexpr std::uint32_t kColumnsOfList = 5;   // of the list of tables
constexpr std::uint32_t kMostValues = 65535;  // no table has as many columns

// What the header of a file says of its pages.
struct PageSizes {
  std::uint32_t page = 0;
  std::uint32_t usable = 0;
  std::uint64_t pages = 0;
  std::uint32_t first_free = 0;
  bool has_maps = false;  // pages that say who refers to whom, for auto_vacuum

  [[nodiscard]] bool is_map(std::uint64_t number) const {
    if (!has_maps || number < 2) return false;
    const std::uint64_t mapped = usable / 5 + 1;
    std::uint64_t map = (number - 2) / mapped * mapped + 2;
    if (map == lock_page()) ++map;
    return map == number;
  }
  [[nodiscard]] std::uint64_t lock_page() const { return kLockByte / page + 1; }
};

// What the numbers of the rows below a branch may be. The least of all `above` is no bound.
struct RowBounds {
  std::int64_t above = std::numeric_limits<std::int64_t>::min();
  std::int64_t up_to = std::numeric_limits<std::int64_t>::max();

  [[nodiscard]] bool hold(const RowNumbers& rows) const {
    const bool is_above = rows.first > above || above == RowBounds{}.above;
    return rows.is_empty() || (is_above && rows.last <= up_to);
  }
};

// First add_root() and add_free(), then look_at() all pages, then walk() from the roots.
class PageCheck {
 public:
  explicit PageCheck(const PageSizes& sizes)
      : sizes_(sizes), facts_(sizes.pages + 1), rows_(sizes.pages + 1), values_(sizes.pages + 1) {
    to_visit_.push_back({.page = 1, .is_root = true, .columns = kColumnsOfList, .bounds = {}});
  }

  void add_root(const SqliteRoot& root) {
    if (!refer(root.page)) return;
    to_visit_.push_back(
        {.page = root.page, .is_root = true, .columns = root.columns, .bounds = {}});
  }
  void add_free(std::uint32_t page) {
    if (page < facts_.size()) facts_[page] |= kIsFree;
  }

  void look_at(std::uint64_t number, SqlitePage whole) {
    if (number == sizes_.lock_page() || sizes_.is_map(number)) return;
    if ((facts_[number] & kIsFree) != 0) return;
    const SqlitePage page = whole.first(sizes_.usable);
    const std::size_t header = header_of(number);
    if (is_of_index(page[header])) facts_[number] |= kIsOfIndex;
    if (page[header] != kLeaf && page[header] != kBranch) return;
    facts_[number] |= kHasRows;
    if (page[header] == kBranch) facts_[number] |= kIsBranch;
    if (const std::optional<PageRows> rows = sound_rows(page, header)) {
      facts_[number] |= kIsSound;
      rows_[number] = rows->numbers;
      values_[number] = static_cast<std::uint16_t>(std::min(rows->most_values, kMostValues));
    } else {
      damage(number);
    }
  }

  // Only branches are read again, and the trees of tables WITHOUT ROWID: pages of indexes look like
  // theirs, and nobody reads those.
  void walk(const io::FileBytes& file) {
    std::vector<unsigned char> whole(sizes_.page);
    while (!to_visit_.empty()) {
      const Visit visit = to_visit_.back();
      to_visit_.pop_back();
      const auto read = [&] {
        file.read(std::uint64_t{visit.page - 1} * sizes_.page,
                  std::as_writable_bytes(std::span(whole)));
        return SqlitePage(whole).first(sizes_.usable);
      };
      if (visit.is_of_index || (visit.is_root && (facts_[visit.page] & kIsOfIndex) != 0)) {
        visit_index(visit, read());
      } else if (visit_table(visit)) {
        refer_to_children(visit, read());
      }
    }
  }

  [[nodiscard]] SqlitePageDamage result() {
    for (std::size_t page = 2; page < facts_.size(); ++page) {
      if ((facts_[page] & kHasRows) != 0 && (facts_[page] & kIsReferredTo) == 0) damage(page);
    }
    return damage_;
  }

 private:
  enum : unsigned char {
    kIsReferredTo = 1,
    kIsFree = 2,
    kHasRows = 4,
    kIsBranch = 8,
    kIsSound = 16,
    kIsOfIndex = 32,
    kIsDamaged = 64
  };
  struct Visit {
    std::uint32_t page = 0;
    bool is_root = false;
    bool is_of_index = false;
    std::uint32_t columns = 0;  // of its table
    RowBounds bounds;
  };

  static std::size_t header_of(std::uint64_t page) { return page == 1 ? kFileHeaderBytes : 0; }

  void damage(std::uint64_t page) {
    if (page < facts_.size()) {
      if ((facts_[page] & kIsDamaged) != 0) return;
      facts_[page] |= kIsDamaged;
    }
    if (damage_.pages++ == 0) damage_.first = page;
  }
  // False where that is damage.
  bool refer(std::uint32_t page) {
    if (page == 0 || page >= facts_.size() || (facts_[page] & (kIsReferredTo | kIsFree)) != 0) {
      damage(page);
      return false;
    }
    facts_[page] |= kIsReferredTo;
    return true;
  }

  // True for a branch that can be followed.
  bool visit_table(const Visit& visit) {
    const unsigned char facts = facts_[visit.page];
    if ((facts & kHasRows) == 0) damage(visit.page);
    if ((facts & kIsSound) == 0) return false;
    const RowNumbers& rows = rows_[visit.page];
    const bool is_branch = (facts & kIsBranch) != 0;
    // SQLite leaves no page of a tree without rows.
    const bool lacks_rows = rows.is_empty() && !is_branch && !visit.is_root;
    const bool is_of_another = values_[visit.page] > visit.columns;
    if (lacks_rows || is_of_another || !visit.bounds.hold(rows)) damage(visit.page);
    return is_branch;
  }

  void visit_index(const Visit& visit, SqlitePage page) {
    if (!is_of_index(page[0]) || !sound_rows(page, 0)) {
      damage(visit.page);
    } else if (!is_leaf(page[0])) {
      refer_to_children(visit, page);
    } else if (number_at(page, 3, 2) == 0 && !visit.is_root) {
      damage(visit.page);
    }
  }

  // To those that are met for the first time.
  void refer_to_children(const Visit& visit, SqlitePage page) {
    const std::size_t header = header_of(visit.page);
    const bool is_index = is_of_index(page[header]);
    RowBounds bounds = visit.bounds;
    const auto refer_to = [&](std::uint32_t child) {
      if (!refer(child)) return;
      to_visit_.push_back({.page = child,
                           .is_root = false,
                           .is_of_index = is_index,
                           .columns = visit.columns,
                           .bounds = bounds});
    };
    const std::size_t cells = number_at(page, header + 3, 2);
    for (std::size_t i = 0; i < cells; ++i) {
      std::size_t at = number_at(page, header + 12 + 2 * i, 2);
      const std::uint32_t child = number_at(page, at, 4);
      at += 4;
      if (!is_index) bounds.up_to = static_cast<std::int64_t>(variable_at(page, at));
      refer_to(child);
      bounds.above = bounds.up_to;
    }
    bounds.up_to = visit.bounds.up_to;
    refer_to(number_at(page, header + 8, 4));
  }

  PageSizes sizes_;
  std::vector<unsigned char> facts_;   // by page
  std::vector<RowNumbers> rows_;       // by page
  std::vector<std::uint16_t> values_;  // by page: of the row that has the most
  std::vector<Visit> to_visit_;
  SqlitePageDamage damage_;
};

// Nothing where there is nothing to look at.
std::optional<PageSizes> sizes_of(const io::FileBytes& file) {
  if (file.size() < kFileHeaderBytes) return std::nullopt;
  std::vector<unsigned char> header(kFileHeaderBytes);
  file.read(0, std::as_writable_bytes(std::span(header)));
  PageSizes sizes;
  const std::uint32_t stated = number_at(header, 16, 2);
  sizes.page = stated == 1 ? 65536 : stated;
  const bool is_sane = sizes.page >= 512 && (sizes.page & (sizes.page - 1)) == 0;
  if (!is_sane || sizes.page - header[20] < kLeastUsable) return std::nullopt;
  sizes.usable = sizes.page - header[20];
  sizes.pages = file.size() / sizes.page;
  // The file may go on behind the database.
  const std::uint64_t count = number_at(header, 28, 4);
  const bool is_counted = number_at(header, 24, 4) == number_at(header, 92, 4) && count > 0;
  if (is_counted) sizes.pages = std::min(sizes.pages, count);
  sizes.first_free = number_at(header, 32, 4);
  sizes.has_maps = number_at(header, 52, 4) != 0;
  return sizes;
}

// Free pages are listed on trunks, each of which names the next one and many others.
void add_free_pages(const io::FileBytes& file, const PageSizes& sizes, PageCheck& check) {
  std::vector<unsigned char> page(sizes.page);
  std::uint32_t trunk = sizes.first_free;
  for (std::uint64_t i = 0; i < sizes.pages && trunk != 0 && trunk <= sizes.pages; ++i) {
    check.add_free(trunk);
    file.read(std::uint64_t{trunk - 1} * sizes.page, std::as_writable_bytes(std::span(page)));
    const std::size_t others = std::min(number_at(page, 4, 4), sizes.usable / 4 - 2);
    for (std::size_t k = 0; k < others; ++k) check.add_free(number_at(page, 8 + 4 * k, 4));
    trunk = number_at(page, 0, 4);
  }
}

// Walks the tree below the first page as SQLite does, and stops where that is more than the file.
class ListWalk {
 public:
  ListWalk(const io::FileBytes& file, const PageSizes& sizes)
      : file_(file),
        sizes_(sizes),
        longest_entry_(std::max(file.size(), kLeastLimit)),
        whole_(sizes.page) {}

  [[nodiscard]] TableList judge() {
    std::vector<std::uint32_t> to_visit = {1};
    for (std::uint64_t visited = 0; !to_visit.empty(); ++visited) {
      const std::uint32_t number = to_visit.back();
      to_visit.pop_back();
      if (number == 0 || number > sizes_.pages) continue;  // SQLite ends there
      if (visited >= sizes_.pages) return TableList::kEndless;
      visit(number, to_visit);
      // Twice, because one of them may be damaged.
      if (entry_bytes_ > 2 * longest_entry_) return TableList::kEndless;
      if (entries_ > kMostTables) return TableList::kTooLong;
    }
    return TableList::kFits;
  }

 private:
  void visit(std::uint32_t number, std::vector<std::uint32_t>& to_visit) {
    file_.read(std::uint64_t{number - 1} * sizes_.page, std::as_writable_bytes(std::span(whole_)));
    const SqlitePage page = SqlitePage(whole_).first(sizes_.usable);
    const std::size_t header = number == 1 ? kFileHeaderBytes : 0;
    const bool is_leaf = page[header] == kLeaf;
    if (!is_leaf && page[header] != kBranch) return;
    const std::size_t pointers = header + (is_leaf ? 8 : 12);
    const std::size_t room = (page.size() - pointers) / 2;
    const std::size_t cells = std::min<std::size_t>(number_at(page, header + 3, 2), room);
    if (!is_leaf) to_visit.push_back(number_at(page, header + 8, 4));
    for (std::size_t i = 0; i < cells; ++i) {
      std::size_t at = number_at(page, pointers + 2 * i, 2);
      if (at + kLeastCellBytes > page.size()) continue;
      if (is_leaf) {
        ++entries_;
        const std::uint64_t entry = variable_at(page, at);
        if (entry <= longest_entry_) entry_bytes_ += entry;  // SQLite refuses longer ones
      } else {
        to_visit.push_back(number_at(page, at, 4));
      }
    }
  }

  // A connection lets the entries of small files be as long as this.
  static constexpr std::uint64_t kLeastLimit = 1U << 20;

  const io::FileBytes& file_;
  PageSizes sizes_;
  std::uint64_t longest_entry_;
  std::vector<unsigned char> whole_;  // the page that is visited
  std::uint64_t entries_ = 0;
  std::uint64_t entry_bytes_ = 0;
};

}  // namespace

std::optional<SqliteExtent> extent_of_database(const std::string& path) {
  // Not by a stream of the standard library: for want of memory that only fails to read.
  std::vector<unsigned char> header(kFileHeaderBytes);
  const auto file = io::FileSource::open(path);
  if (!file.ok()) return std::nullopt;
  const auto got = file.value()->read({reinterpret_cast<char*>(header.data()), header.size()});
  if (!got.ok() || got.value() < header.size()) return std::nullopt;
  SqliteExtent extent;
  extent.bytes = file.value()->size().value_or(0);
  extent.page_bytes = number_at(header, 16, 2) == 1 ? 65536 : number_at(header, 16, 2);
  const bool is_counted = number_at(header, 24, 4) == number_at(header, 92, 4);
  if (is_counted) extent.pages = number_at(header, 28, 4);
  if (extent.page_bytes == 0) return std::nullopt;
  return extent;
}

TableList list_of_tables(const std::string& path) {
  Diagnostics unused;
  const auto opened = io::FileBytes::open(path, unused);
  if (!opened.ok()) return TableList::kFits;
  const std::optional<PageSizes> sizes = sizes_of(*opened.value());
  return sizes ? ListWalk(*opened.value(), *sizes).judge() : TableList::kFits;
}

Result<SqlitePageDamage> damaged_pages(const std::string& path,
                                       const std::vector<SqliteRoot>& roots) {
  Diagnostics unused;
  LOCKSTEP_ASSIGN_OR_RETURN(const auto opened, io::FileBytes::open(path, unused));
  const io::FileBytes& file = *opened;
  const std::optional<PageSizes> sizes = sizes_of(file);
  if (!sizes) return SqlitePageDamage{};
  PageCheck check(*sizes);
  add_free_pages(file, *sizes, check);
  for (const SqliteRoot& root : roots) check.add_root(root);
  std::vector<unsigned char> chunk(kChunkBytes);
  const std::uint64_t bytes = sizes->pages * sizes->page;
  for (std::uint64_t at = 0; at < bytes; at += chunk.size()) {
    chunk.resize(std::min<std::uint64_t>(chunk.size(), bytes - at));
    file.read(at, std::as_writable_bytes(std::span(chunk)));
    for (std::size_t i = 0; i < chunk.size(); i += sizes->page) {
      check.look_at((at + i) / sizes->page + 1, SqlitePage(chunk).subspan(i, sizes->page));
    }
  }
  check.walk(file);
  LOCKSTEP_RETURN_IF_ERROR(file.status());
  return check.result();
}

}  // namespace lockstep::formats::sqlite
