// Journals of databases. An even first byte: the others are a journal, and looking at it twice
// finds the same. An odd one: they say what a writer wrote, as SQLite does (file format, section
// 3), and what became of it. A journal that nothing happened to is whole. With one wrong bit it is
// not, but where no sum counts it; cut, it is where a segment or a journal without a count could
// have ended.
#include "formats/sqlite/pages/sqlite_journal.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "file_of_bytes.h"
#include "fuzz_check.h"

namespace lockstep {
namespace {

constexpr std::string_view kStart{"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8};
constexpr std::size_t kHeaderBytes = 28;
constexpr std::uint32_t kPages = 100;  // of the database

class MadeJournal {
 public:
  explicit MadeJournal(Choices& choices) {
    const std::uint8_t how = choices.byte();
    page_bytes_ = 512U << (how & 1);
    sector_bytes_ = 512U << (how >> 1 & 3);
    is_counted_ = (how & 8) != 0;
    first_sum_ = choices.number();
    const std::size_t segments = 1 + (how >> 4) % 4;
    for (std::size_t i = 0; i < segments; ++i) {
      add_segment(1 + choices.byte() % 3, i + 1 == segments, choices);
    }
  }

  [[nodiscard]] const std::string& bytes() const { return bytes_; }

  [[nodiscard]] bool is_whole_when_cut_to(std::size_t size) const {
    const bool is_end = std::ranges::any_of(segments_, [&](const Segment& segment) {
      return size == segment.records + segment.count * record_bytes();
    });
    const std::size_t last = segments_.back().records;
    const bool may_end_anywhere = !is_counted_ && size > last;
    return is_end || (may_end_anywhere && (size - last) % record_bytes() == 0);
  }

  [[nodiscard]] bool is_whole_with_wrong_bit(std::size_t at, unsigned bit) const {
    const Segment& segment =
        *std::prev(std::ranges::upper_bound(segments_, at, {}, &Segment::begin));
    if (at < segment.records) {
      const std::size_t place = at - segment.begin;
      // Sizes are taken from the first segment; more pages than there were do no harm.
      if (place < 16 || place >= kHeaderBytes) return place >= kHeaderBytes;
      if (segment.begin > 0) return true;
      return place < 20 && wrong(kPages, place, bit) >= largest_number_;
    }
    const std::size_t record = (at - segment.records) / record_bytes();
    const std::size_t place = (at - segment.records) % record_bytes();
    if (record >= segment.count) return true;  // what fills the sector
    const std::uint32_t number = wrong(number_of(record), place, bit);
    if (place < 4) return number > 0 && number <= kPages;
    return place < 4 + page_bytes_ && (4 + page_bytes_ - place) % 200 != 0;
  }

 private:
  struct Segment {
    std::size_t begin = 0;
    std::size_t records = 0;  // where they begin
    std::size_t count = 0;
  };

  [[nodiscard]] std::size_t record_bytes() const { return page_bytes_ + 8; }
  [[nodiscard]] static std::uint32_t number_of(std::size_t record) {
    return static_cast<std::uint32_t>(3 + record);
  }
  static std::uint32_t wrong(std::uint32_t number, std::size_t place, unsigned bit) {
    return number ^ 1U << (bit + 8 * (3 - static_cast<unsigned>(place % 4)));
  }

  void add_segment(std::size_t count, bool is_last, const Choices& choices) {
    bytes_.resize((bytes_.size() + sector_bytes_ - 1) / sector_bytes_ * sector_bytes_);
    const std::size_t begin = bytes_.size();
    const bool is_counted = is_counted_ || !is_last;
    bytes_ += kStart;
    bytes_ += big(is_counted ? static_cast<std::uint32_t>(count) : 0xFFFF'FFFF) + big(first_sum_) +
              big(kPages) + big(sector_bytes_) + big(page_bytes_);
    bytes_.resize(begin + sector_bytes_);
    segments_.push_back({begin, bytes_.size(), count});
    const std::string page = choices.text(page_bytes_);
    for (std::size_t i = 0; i < count; ++i) bytes_ += big(number_of(i)) + page + big(sum_of(page));
    largest_number_ = std::max(largest_number_, number_of(count - 1));
  }
  [[nodiscard]] std::uint32_t sum_of(std::string_view page) const {
    std::uint32_t sum = first_sum_;
    for (std::size_t at = page.size() - 200;; at -= 200) {
      sum += static_cast<unsigned char>(page[at]);
      if (at <= 200) return sum;
    }
  }

  std::string bytes_;
  std::uint32_t page_bytes_ = 0;
  std::uint32_t sector_bytes_ = 0;
  bool is_counted_ = false;  // the last one
  std::uint32_t first_sum_ = 0;
  std::uint32_t largest_number_ = 0;
  std::vector<Segment> segments_;
};

void check_made(Choices choices) {
  const std::uint8_t what = choices.byte();
  const std::uint32_t place = choices.number();
  check_damage(MadeJournal(choices), what, place, formats::sqlite::is_whole_journal);
}

void check_any(std::string_view bytes) {
  const std::string& path = file_of(bytes);
  const bool is_whole = formats::sqlite::is_whole_journal(path);
  LOCKSTEP_FUZZ_CHECK(is_whole == formats::sqlite::is_whole_journal(path));
  LOCKSTEP_FUZZ_CHECK(!is_whole || bytes.starts_with(kStart));
}

}  // namespace
}  // namespace lockstep

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  lockstep::check_made_or_any({data, size}, lockstep::check_made, lockstep::check_any);
  return 0;
}
