// Logs of databases. An even first byte: the others are a log, and looking at it twice finds the
// same. An odd one: they say what a writer wrote, as SQLite does (file format, section 4), and what
// became of it. A log that nothing happened to is whole; with one wrong bit or a cut it is not,
// but where the damage lies in frames from before the log was begun anew, or ends it between two
// changes.
#include "formats/sqlite/pages/sqlite_wal.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "file_of_bytes.h"
#include "fuzz_check.h"

namespace lockstep {
namespace {

constexpr std::size_t kHeaderBytes = 32;
constexpr std::size_t kFrameHeaderBytes = 24;
constexpr std::uint32_t kSalt = 0x1000'0000;
constexpr std::uint32_t kOtherSalt = 77;

std::uint32_t number_of(std::string_view bytes, bool is_big) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    value = value << 8 | static_cast<unsigned char>(bytes[is_big ? i : 3 - i]);
  }
  return value;
}

struct Sums {
  bool is_big = false;
  std::uint32_t first = 0;
  std::uint32_t second = 0;

  void add(std::string_view bytes) {
    for (; !bytes.empty(); bytes.remove_prefix(8)) {
      first += number_of(bytes, is_big) + second;
      second += number_of(bytes.substr(4), is_big) + first;
    }
  }
  [[nodiscard]] std::string text() const { return big(first) + big(second); }
};

class MadeLog {
 public:
  explicit MadeLog(Choices& choices) {
    const std::uint8_t how = choices.byte();
    page_bytes_ = 512U << (how & 3);
    sums_.is_big = (how & 4) != 0;
    times_begun_anew_ = how >> 3 & 3;
    const std::uint8_t ends = choices.byte();
    const std::size_t frames = 1 + choices.byte() % 8;
    const std::size_t old_frames = times_begun_anew_ == 0 ? 0 : choices.byte() % 4;
    begin();
    for (std::size_t i = 0; i < frames; ++i) {
      const bool is_end = i + 1 == frames || (ends >> i & 1) != 0;
      add_frame(1 + choices.byte() % 4, is_end, choices.text(page_bytes_));
    }
    for (std::size_t i = 0; i < old_frames; ++i) add_old_frame(choices.text(page_bytes_));
  }

  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  [[nodiscard]] bool has_first_page() const { return has_first_page_; }

  [[nodiscard]] bool is_whole_when_cut_to(std::size_t size) const {
    if (size < kHeaderBytes) return false;
    const std::size_t frames = (size - kHeaderBytes) / frame_bytes();
    const std::size_t more = (size - kHeaderBytes) % frame_bytes();
    if (frames > ends_.size()) return true;  // an old one is there
    if (frames < ends_.size() && more > 0) return false;
    // Of the first old one the salt must be there to tell it by.
    if (more > 0 && more < 12) return false;
    return frames > 0 && ends_[frames - 1];
  }

  [[nodiscard]] bool is_whole_with_wrong_bit(std::size_t at, unsigned bit) const {
    if (at < kHeaderBytes) return false;
    const std::size_t frame = (at - kHeaderBytes) / frame_bytes();
    const std::size_t place = (at - kHeaderBytes) % frame_bytes();
    const bool is_salt = place >= 8 && place < 12;
    if (!is_salt) return frame >= ends_.size();
    // A frame may look older than it is: only the last one, behind the end of a change.
    const std::uint32_t salt = (frame < ends_.size() ? kSalt : kSalt - 1) ^
                               1U << (bit + 8 * (11 - static_cast<unsigned>(place)));
    const std::uint32_t age = kSalt - salt;
    if (age < 1 || age > times_begun_anew_) return false;
    return frame >= ends_.size() || (frame + 1 == ends_.size() && frame > 0 && ends_[frame - 1]);
  }

 private:
  [[nodiscard]] std::size_t frame_bytes() const { return kFrameHeaderBytes + page_bytes_; }

  void begin() {
    bytes_ = big(0x377F'0682 | (sums_.is_big ? 1 : 0)) + big(3'007'000) + big(page_bytes_) +
             big(times_begun_anew_) + big(kSalt) + big(kOtherSalt);
    sums_.add(bytes_);
    bytes_ += sums_.text();
  }
  void add_frame(std::uint32_t number, bool is_end, const std::string& page) {
    const std::string front = big(number) + big(is_end ? 8 : 0);
    sums_.add(front);
    sums_.add(page);
    bytes_ += front + big(kSalt) + big(kOtherSalt) + sums_.text() + page;
    ends_.push_back(is_end);
    has_first_page_ |= number == 1;
  }
  void add_old_frame(const std::string& page) {
    bytes_ += big(1) + big(8) + big(kSalt - 1) + big(5) + big(6) + big(7) + page;
  }

  std::string bytes_;
  std::uint32_t page_bytes_ = 0;
  std::uint32_t times_begun_anew_ = 0;
  Sums sums_;
  std::vector<bool> ends_;  // whether a frame ends a change
  bool has_first_page_ = false;
};

void check_made(Choices choices) {
  const std::uint8_t what = choices.byte();
  const std::uint32_t place = choices.number();
  const MadeLog log(choices);
  LOCKSTEP_FUZZ_CHECK(formats::sqlite::wal_has_first_page(file_of(log.bytes()), "") ==
                      log.has_first_page());
  check_damage(log, what, place, formats::sqlite::is_whole_wal);
}

void check_any(std::string_view bytes) {
  const std::string& path = file_of(bytes);
  const bool is_whole = formats::sqlite::is_whole_wal(path);
  LOCKSTEP_FUZZ_CHECK(is_whole == formats::sqlite::is_whole_wal(path));
  LOCKSTEP_FUZZ_CHECK(!is_whole || bytes.size() >= kHeaderBytes + kFrameHeaderBytes + 512);
  // No page begins with more than a page.
  LOCKSTEP_FUZZ_CHECK(!formats::sqlite::wal_has_first_page(path, std::string(65537, '\0')));
}

}  // namespace
}  // namespace lockstep

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  lockstep::check_made_or_any({data, size}, lockstep::check_made, lockstep::check_any);
  return 0;
}
