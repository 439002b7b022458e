// Checksums and salts of frames (SQLite's file format, section 4).
#include "formats/sqlite/pages/sqlite_wal.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "formats/sqlite/sqlite_numbers.h"
#include "io/byte_source.h"

namespace lockstep::formats::sqlite {
namespace {

constexpr std::size_t kHeaderBytes = 32;
constexpr std::size_t kFrameHeaderBytes = 24;
constexpr std::size_t kFirstSalt = 8;  // of a frame
constexpr std::uint32_t kVersion = 3'007'000;
constexpr std::uint32_t kMagic = 0x377F'0682;  // its last bit: the order of bytes in checksums

using Bytes = std::span<const char>;

// Over all that stands in front of it.
struct Checksum {
  bool is_big = false;
  std::uint32_t first = 0;
  std::uint32_t second = 0;

  void add(Bytes bytes) {
    for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
      first += word_at(bytes, at) + second;
      second += word_at(bytes, at + 4) + first;
    }
  }
  [[nodiscard]] std::uint32_t word_at(Bytes bytes, std::size_t at) const {
    const std::uint32_t word = number_at(bytes, at);
    return is_big ? word : std::byteswap(word);
  }
  [[nodiscard]] bool is_at(Bytes bytes, std::size_t at) const {
    return number_at(bytes, at) == first && number_at(bytes, at + 4) == second;
  }
};

class Wal {
 public:
  // `first_page` is the beginning of one that is looked for.
  explicit Wal(io::FileSource& file, std::string_view first_page = {})
      : file_(file), first_page_(first_page) {}

  // Of the frames up to where is_whole() has come.
  [[nodiscard]] bool has_first_page() const { return has_first_page_; }

  [[nodiscard]] bool is_whole() {
    if (!read_header()) return false;
    bool is_committed = false;  // a header alone has lost what it was written for
    bool is_old = false;
    for (;;) {
      const Result<std::size_t> got = file_.read(frame_);
      if (!got.ok()) return false;
      if (got.value() == 0) return is_committed;
      const bool has_salt = got.value() >= kFirstSalt + 4;
      is_old = is_old || (has_salt && is_of_an_older_log());
      if (got.value() < frame_.size()) return is_old && is_committed;
      if (is_old && !is_of_an_older_log()) return false;
      if (is_old) continue;
      if (!is_next()) return false;
      const std::string_view page(&frame_[kFrameHeaderBytes], frame_.size() - kFrameHeaderBytes);
      has_first_page_ |= number_at(frame_, 0) == 1 && page.starts_with(first_page_);
      const bool ends_change = number_at(frame_, 4) != 0;
      is_committed = ends_change;
    }
  }

 private:
  bool read_header() {
    std::vector<char> header(kHeaderBytes);
    const Result<std::size_t> got = file_.read(header);
    if (!got.ok() || got.value() < header.size()) return false;
    checksum_.is_big = (number_at(header, 0) & 1) != 0;
    checksum_.add(Bytes(header).first(24));
    const std::uint32_t page = number_at(header, 8);
    const bool is_sane = (number_at(header, 0) & ~1U) == kMagic &&
                         number_at(header, 4) == kVersion && page >= 512 && page <= 65536 &&
                         (page & (page - 1)) == 0 && checksum_.is_at(header, 24);
    if (!is_sane) return false;
    times_begun_anew_ = number_at(header, 12);
    first_salt_ = number_at(header, 16);
    second_salt_ = number_at(header, 20);
    frame_.resize(kFrameHeaderBytes + page);
    return true;
  }

  // The first salt grows by one each time.
  [[nodiscard]] bool is_of_an_older_log() const {
    const std::uint32_t age = first_salt_ - number_at(frame_, kFirstSalt);
    return age >= 1 && age <= times_begun_anew_;
  }

  [[nodiscard]] bool is_next() {
    checksum_.add(Bytes(frame_).first(8));
    checksum_.add(Bytes(frame_).subspan(kFrameHeaderBytes));
    return number_at(frame_, 0) != 0 && number_at(frame_, kFirstSalt) == first_salt_ &&
           number_at(frame_, 12) == second_salt_ && checksum_.is_at(frame_, 16);
  }

  io::FileSource& file_;
  std::string_view first_page_;
  bool has_first_page_ = false;
  Checksum checksum_;
  std::uint32_t times_begun_anew_ = 0;
  std::uint32_t first_salt_ = 0;
  std::uint32_t second_salt_ = 0;
  std::vector<char> frame_;  // with its header
};

}  // namespace

bool is_whole_wal(const std::string& path) {
  const auto file = io::FileSource::open_plain(path);
  return file.ok() && Wal(*file.value()).is_whole();
}

bool wal_has_first_page(const std::string& path, std::string_view begin) {
  const auto file = io::FileSource::open_plain(path);
  if (!file.ok()) return false;
  Wal wal(*file.value(), begin);
  static_cast<void>(wal.is_whole());
  return wal.has_first_page();
}

}  // namespace lockstep::formats::sqlite
