// The arithmetic of cells.
#include "formats/sqlite/sqlite_cells.h"

#include <algorithm>
#include <array>
#include <vector>

namespace lockstep::formats::sqlite {
namespace {

constexpr std::uint64_t kPageNumberBytes = 4;

// Most of them have one byte.
std::uint64_t short_variable_at(SqlitePage page, std::size_t& at) {
  if (at < page.size() && page[at] < 0x80) return page[at++];
  return variable_at(page, at);
}

// What of a row of so many bytes lies on its page. Where that is not all, the number of the page
// that has the rest lies behind it.
std::uint64_t bytes_on_page(std::uint64_t row, std::uint64_t usable, bool is_of_index) {
  const std::uint64_t most = is_of_index ? (usable - 12) * 64 / 255 - 23 : usable - 35;
  if (row <= most) return row;
  const std::uint64_t least = (usable - 12) * 32 / 255 - 23;
  const std::uint64_t some = least + (row - least) % (usable - kPageNumberBytes);
  return some <= most ? some : least;
}

// Of types that no file has. No row is as long: SQLite takes none of more than a gigabyte.
constexpr std::uint32_t kTooManyBytes = std::uint32_t{1} << 31;

// What a value takes in its row, by its type; types of a byte are nearly all.
constexpr std::array<std::uint32_t, 128> make_value_bytes() {
  std::array<std::uint32_t, 128> bytes = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0};
  bytes[10] = bytes[11] = kTooManyBytes;
  for (std::uint32_t type = 12; type < bytes.size(); ++type) bytes[type] = (type - 12) / 2;
  return bytes;
}
constexpr auto kValueBytes = make_value_bytes();

// How many values a row has. Nothing where they do not fill it, as its head says them. `row` is
// what of it lies on the page; of a head that goes on elsewhere nothing is known.
std::optional<std::uint32_t> values_of(SqlitePage row, std::uint64_t row_bytes) {
  std::size_t at = 0;
  const std::uint64_t head = short_variable_at(row, at);
  if (head > row.size()) return head <= row_bytes ? std::optional<std::uint32_t>(0) : std::nullopt;
  if (head < at) return std::nullopt;
  std::uint64_t filled = head;
  const std::size_t first = at;
  for (const unsigned char type : row.subspan(at, head - at)) {
    if (type >= kValueBytes.size()) break;
    filled += kValueBytes[type];
    ++at;
  }
  auto values = static_cast<std::uint32_t>(at - first);
  for (; at < head; ++values) {
    const std::uint64_t type = short_variable_at(row, at);
    filled += type < kValueBytes.size() ? kValueBytes[type] : (type - 12) / 2;
  }
  return at == head && filled == row_bytes ? std::optional(values) : std::nullopt;
}

struct Cell {
  std::uint64_t bytes = 0;
  std::int64_t number = 0;  // of its row, or the key of a branch
  std::uint32_t values = 0;
};

// Nothing where its row contradicts itself.
std::optional<Cell> cell_at(SqlitePage page, std::size_t at, unsigned char sort) {
  const std::size_t begin = at;
  if (!is_leaf(sort)) at += kPageNumberBytes;
  const bool has_row = sort != kBranch;
  const std::uint64_t row = has_row ? short_variable_at(page, at) : 0;
  Cell cell;
  if (!is_of_index(sort)) cell.number = static_cast<std::int64_t>(short_variable_at(page, at));
  cell.bytes = at - begin;
  if (has_row) {
    const std::uint64_t here = bytes_on_page(row, page.size(), is_of_index(sort));
    const SqlitePage part = page.subspan(at, std::min<std::uint64_t>(here, page.size() - at));
    const std::optional<std::uint32_t> values = values_of(part, row);
    if (!values) return std::nullopt;
    cell.values = *values;
    cell.bytes += here + (here < row ? kPageNumberBytes : 0);
  }
  cell.bytes = std::max<std::uint64_t>(cell.bytes, kLeastCellBytes);
  return cell;
}

// The free blocks of a page, or nothing where their chain does not go upwards.
std::optional<std::uint64_t> free_bytes(SqlitePage page, std::size_t header) {
  std::uint64_t sum = 0;
  std::size_t before = 0;
  for (std::size_t at = number_at(page, header + 1, 2); at != 0;) {
    if (at <= before || at + 4 > page.size()) return std::nullopt;
    sum += number_at(page, at + 2, 2);
    before = at;
    at = number_at(page, at, 2);
  }
  return sum;
}

// Each cell may be there once. Those of tables ascend by number, so that none is there twice; what
// those of indexes are ordered by is not known here, and their places are kept.
class CellOrder {
 public:
  CellOrder(unsigned char sort, std::size_t page_bytes) {
    if (is_of_index(sort)) taken_.resize(page_bytes / 64 + 1);
  }
  // False where it must not follow those before it.
  bool take(std::size_t place, std::int64_t number) {
    if (!taken_.empty()) return take_place(place);
    const bool ascends = numbers_.is_empty() || number > numbers_.last;
    if (numbers_.is_empty()) numbers_.first = number;
    numbers_.last = number;
    return ascends;
  }
  [[nodiscard]] RowNumbers numbers() const { return numbers_; }

 private:
  bool take_place(std::size_t place) {
    const std::uint64_t bit = std::uint64_t{1} << (place % 64);
    const bool is_free = (taken_[place / 64] & bit) == 0;
    taken_[place / 64] |= bit;
    return is_free;
  }

  std::vector<std::uint64_t> taken_;  // a bit for each place
  RowNumbers numbers_;
};

}  // namespace

std::uint64_t variable_at(SqlitePage page, std::size_t& at) {
  std::uint64_t value = 0;
  for (int i = 0; i < 9 && at < page.size(); ++i) {
    const unsigned char byte = page[at++];
    if (i == 8) return value << 8 | byte;
    value = value << 7 | (byte & 0x7FU);
    if (byte < 0x80) break;
  }
  return value;
}

std::optional<PageRows> sound_rows(SqlitePage page, std::size_t header) {
  const unsigned char sort = page[header];
  const std::size_t pointers = header + (is_leaf(sort) ? 8 : 12);
  const std::size_t cells = number_at(page, header + 3, 2);
  const std::uint32_t stated = number_at(page, header + 5, 2);
  const std::uint64_t content = stated == 0 ? 65536 : stated;
  if (pointers + 2 * cells > content || content > page.size()) return std::nullopt;
  std::uint64_t filled = page[header + 7];
  std::uint32_t most_values = 0;
  CellOrder order(sort, page.size());
  for (std::size_t i = 0; i < cells; ++i) {
    const std::size_t at = number_at(page, pointers + 2 * i, 2);
    if (at < content || at + kLeastCellBytes > page.size()) return std::nullopt;
    const std::optional<Cell> cell = cell_at(page, at, sort);
    if (!cell || !order.take(at, cell->number)) return std::nullopt;
    filled += cell->bytes;
    most_values = std::max(most_values, cell->values);
  }
  const std::optional<std::uint64_t> free = free_bytes(page, header);
  if (!free || filled + *free != page.size() - content) return std::nullopt;
  return PageRows{order.numbers(), most_values};
}

}  // namespace lockstep::formats::sqlite
