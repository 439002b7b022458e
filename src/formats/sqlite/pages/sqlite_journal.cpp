// Segments, records and their checksums (SQLite's file format, section 3).
#include "formats/sqlite/pages/sqlite_journal.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "formats/sqlite/sqlite_numbers.h"
#include "io/file_bytes.h"

namespace lockstep::formats::sqlite {
namespace {

constexpr std::size_t kUsedOfHeader = 28;
constexpr std::uint32_t kUpToTheEnd = 0xFFFF'FFFF;
constexpr std::size_t kBetweenSummed = 200;  // one byte of so many is

class Journal {
 public:
  explicit Journal(const io::FileBytes& file) : file_(file) {}

  [[nodiscard]] bool is_whole() {
    for (std::uint64_t at = 0;;) {
      const std::optional<Segment> segment = segment_at(at);
      if (!segment || !holds_records(*segment)) return false;
      // Nothing follows the last one, not even what would fill its sector.
      const bool is_last = segment->is_not_yet_safe || segment->records == kUpToTheEnd ||
                           segment->end == file_.size();
      if (is_last) return true;
      at = (segment->end + sector_ - 1) / sector_ * sector_;
      if (at - segment->end >= segment->record_bytes() && at <= file_.size() &&
          is_valid(*segment, segment->records)) {
        return false;  // one that is not counted, before the next segment
      }
    }
  }

 private:
  struct Segment {
    std::uint64_t begin = 0;  // of its records
    std::uint64_t end = 0;
    std::uint32_t records = 0;
    bool is_not_yet_safe = false;  // its records are of pages that were not changed yet
    std::uint32_t first_sum = 0;
    std::uint32_t page = 0;

    [[nodiscard]] std::uint64_t record_bytes() const { return std::uint64_t{page} + 8; }
    // That there is room for.
    [[nodiscard]] std::uint64_t records_in(const io::FileBytes& file) const {
      return (file.size() - begin) / record_bytes();
    }
  };

  void read(std::uint64_t at, std::size_t bytes) {
    buffer_.resize(bytes);
    file_.read(at, std::as_writable_bytes(std::span(buffer_)));
  }
  static bool is_power_from(std::uint32_t value, std::uint32_t least) {
    return value >= least && value <= 65536 && (value & (value - 1)) == 0;
  }

  // The head of a segment gets its first bytes when its records are on the disk.
  [[nodiscard]] bool has_no_start_yet() const {
    const auto is_zero = [](unsigned char c) { return c == 0; };
    return std::ranges::all_of(std::span(buffer_).first(12), is_zero) &&
           number_at(buffer_, 20) == sector_ && number_at(buffer_, 24) == page_;
  }

  // Nothing where none begins.
  std::optional<Segment> segment_at(std::uint64_t at) {
    if (at > file_.size() || file_.size() - at < kUsedOfHeader) return std::nullopt;
    read(at, kUsedOfHeader);
    const bool is_begun =
        std::ranges::equal(std::span(buffer_).first(kJournalStart.size()), kJournalStart, {}, {},
                           [](char c) { return static_cast<unsigned char>(c); });
    Segment segment;
    segment.is_not_yet_safe = at > 0 && has_no_start_yet();
    if (!is_begun && !segment.is_not_yet_safe) return std::nullopt;
    segment.records = number_at(buffer_, 8);
    segment.first_sum = number_at(buffer_, 12);
    // Only the first one has the sizes for sure.
    if (at == 0) {
      pages_ = number_at(buffer_, 16);
      sector_ = number_at(buffer_, 20);
      page_ = number_at(buffer_, 24);
    }
    if (!is_power_from(sector_, 32) || !is_power_from(page_, 512)) return std::nullopt;
    segment.page = page_;
    segment.begin = at + sector_;
    const std::uint64_t length = std::uint64_t{segment.records} * (page_ + 8);
    segment.end = segment.begin + length;
    return segment;
  }

  [[nodiscard]] bool holds_records(const Segment& segment) {
    if (segment.records == 0) return segment.is_not_yet_safe;
    if (segment.begin > file_.size()) return false;
    const bool is_counted = segment.records != kUpToTheEnd;
    const bool holds = is_counted ? holds_counted(segment) : holds_up_to_the_end(segment);
    return holds && file_.status().ok();
  }

  [[nodiscard]] bool holds_counted(const Segment& segment) {
    if (segment.records_in(file_) < segment.records) return false;
    for (std::uint64_t i = 0; i < segment.records; ++i) {
      if (!is_valid(segment, i)) return false;
    }
    return true;
  }

  // SQLite takes what comes before the first record that is not valid. That may be the rest of an
  // older journal: a writer that keeps its journals writes over the one before.
  [[nodiscard]] bool holds_up_to_the_end(const Segment& segment) {
    const std::uint64_t records = segment.records_in(file_);
    const bool ends_with_one = segment.begin + records * segment.record_bytes() == file_.size();
    std::uint64_t taken = 0;
    while (taken < records && is_valid(segment, taken)) ++taken;
    if (taken == 0) return false;
    if (taken == records) return ends_with_one;
    if (is_damaged(segment)) return false;
    const bool is_last = taken + 1 == records && ends_with_one;
    if (is_last && number_at(buffer_, 4 + segment.page) == 0) return false;  // zeros are left of it
    for (std::uint64_t i = taken + 1; i < records; ++i) {
      if (is_valid(segment, i)) return false;  // so that the one in front was not of an older one
    }
    return true;
  }

  [[nodiscard]] bool is_valid(const Segment& segment, std::uint64_t record) {
    read(segment.begin + record * segment.record_bytes(), segment.record_bytes());
    const bool is_of_file = number_at(buffer_, 0) > 0 && number_at(buffer_, 0) <= pages_;
    return is_of_file && number_at(buffer_, 4 + segment.page) == sum_of_page(segment);
  }

  // Whether a record that is not valid is one of this journal. The sums of each begin with a number
  // of its own: near its sum it is, whatever became of the page, and with one wrong bit in its sum.
  [[nodiscard]] bool is_damaged(const Segment& segment) const {
    const std::uint32_t more = number_at(buffer_, 4 + segment.page) - sum_of_page(segment);
    const std::uint32_t less = 0 - more;
    const std::uint64_t furthest = 255 * (segment.page / kBetweenSummed + 1);
    const bool is_near = std::min(more, less) <= furthest;
    return is_near || std::has_single_bit(more) || std::has_single_bit(less);
  }

  [[nodiscard]] std::uint32_t sum_of_page(const Segment& segment) const {
    std::uint32_t sum = segment.first_sum;
    for (std::size_t at = segment.page - kBetweenSummed; at > 0;
         at = at > kBetweenSummed ? at - kBetweenSummed : 0) {
      sum += buffer_[4 + at];
    }
    return sum;
  }

  const io::FileBytes& file_;
  std::vector<unsigned char> buffer_;
  // As the first segment has them.
  std::uint32_t pages_ = 0;  // of the database before the change
  std::uint32_t sector_ = 0;
  std::uint32_t page_ = 0;
};

}  // namespace

bool is_whole_journal(const std::string& path) {
  Diagnostics unused;
  const auto file = io::FileBytes::open(path, unused);
  return file.ok() && Journal(*file.value()).is_whole();
}

}  // namespace lockstep::formats::sqlite
