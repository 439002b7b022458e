// Walks the parts of the zip archive and counts tags.
#include "report/sinks/xlsx_check.h"

#include <charconv>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/byte_source.h"
#include "io/compress/decompress.h"
#include "io/compress/gzip_source.h"

namespace lockstep::report::sinks {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 18;

// Field offsets and sizes of the zip format (APPNOTE.TXT, 4.3.7, 4.3.12, 4.3.16).
constexpr std::size_t kLocalBytes = 30;
constexpr std::size_t kEntryBytes = 46;
constexpr std::size_t kEndBytes = 22;

// A number of `bytes` bytes; zero behind the end.
std::uint64_t number_at(std::string_view text, std::size_t at, std::size_t bytes) {
  if (at > text.size() || bytes > text.size() - at) return 0;
  std::uint64_t value = 0;
  for (std::size_t i = bytes; i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(text[at + i]);
  }
  return value;
}

struct Part {
  std::string_view packed;
  std::string_view sums;  // checksum and size
};

// The parts that the directory at the end lists; none where it makes no sense.
std::optional<std::vector<Part>> parts_of(std::string_view book) {
  if (book.size() < kEndBytes) return std::nullopt;
  const std::string_view end = book.substr(book.size() - kEndBytes);
  if (!end.starts_with("PK\x05\x06")) return std::nullopt;
  std::vector<Part> parts;
  std::size_t at = number_at(end, 16, 4);
  for (std::uint64_t left = number_at(end, 10, 2); left > 0; --left) {
    if (at > book.size() || book.size() - at < kEntryBytes) return std::nullopt;
    const std::string_view entry = book.substr(at);
    if (!entry.starts_with("PK\x01\x02") || number_at(entry, 10, 2) != 8) return std::nullopt;
    const std::size_t local = number_at(entry, 42, 4);
    const std::size_t data =
        local + kLocalBytes + number_at(book, local + 26, 2) + number_at(book, local + 28, 2);
    const std::size_t size = number_at(entry, 20, 4);
    if (data > book.size() || size > book.size() - data) return std::nullopt;
    parts.push_back({book.substr(data, size), entry.substr(16, 12)});
    at += kEntryBytes + number_at(entry, 28, 2) + number_at(entry, 30, 2) + number_at(entry, 32, 2);
  }
  return parts;
}

// Counts what an XML document of the library holds; it writes no comments and escapes every > that
// is no end of a tag.
class TagCounts {
 public:
  void add(std::string_view text) {
    for (const char c : text) {
      if (!in_tag_) {
        in_tag_ = c == '<';
        tag_.clear();
      } else if (c != '>') {
        if (tag_.size() < kTagBytes) tag_ += c;
        last_ = c;
      } else {
        in_tag_ = false;
        end_tag();
      }
    }
  }

  [[nodiscard]] bool is_whole() const {
    return has_tags_ && !in_tag_ && depth_ == 0 && strings_ == strings_wanted_;
  }
  [[nodiscard]] std::uint64_t cells() const { return cells_; }

 private:
  static constexpr std::size_t kTagBytes = 256;

  void end_tag() {
    if (tag_.starts_with('?')) return;
    has_tags_ = true;
    if (tag_.starts_with('/')) {
      --depth_;
    } else if (last_ != '/') {
      ++depth_;
    }
    if (tag_.starts_with("c ")) ++cells_;
    if (tag_ == "si") ++strings_;
    constexpr std::string_view kWanted = " uniqueCount=\"";
    if (const std::size_t at = tag_.find(kWanted); at != std::string::npos) {
      const char* const digits = tag_.data() + at + kWanted.size();
      std::from_chars(digits, tag_.data() + tag_.size(), strings_wanted_);
    }
  }

  bool in_tag_ = false;
  bool has_tags_ = false;
  char last_ = 0;
  std::string tag_;
  std::int64_t depth_ = 0;
  std::uint64_t cells_ = 0;
  std::uint64_t strings_ = 0;
  std::uint64_t strings_wanted_ = 0;
};

// The part with the head and tail of a gzip file around it.
std::string as_gzip(const Part& part) {
  std::string out("\x1F\x8B\x08\0\0\0\0\0\0\xFF", 10);
  out += part.packed;
  out += part.sums.substr(0, 4);
  out += part.sums.substr(8, 4);
  return out;
}

// The cells of a part that is whole.
std::optional<std::uint64_t> cells_of(const Part& part) {
  const auto bytes = io::make_gzip_source(std::make_unique<io::MemorySource>(as_gzip(part)));
  std::string buffer(kChunkBytes, '\0');
  TagCounts counts;
  while (true) {
    const Result<std::size_t> n = bytes->read(buffer);
    if (!n.ok()) return std::nullopt;
    if (n.value() == 0) break;
    counts.add(std::string_view(buffer).substr(0, n.value()));
  }
  if (!bytes->diagnostics().entries().empty() || !counts.is_whole()) return std::nullopt;
  return counts.cells();
}

}  // namespace

bool is_whole_book(std::string_view book, std::uint64_t cells) {
  const std::optional<std::vector<Part>> parts = parts_of(book);
  if (!parts) return false;
  std::uint64_t found = 0;
  for (const Part& part : *parts) {
    const std::optional<std::uint64_t> more = cells_of(part);
    if (!more) return false;
    found += *more;
  }
  return found == cells;
}

}  // namespace lockstep::report::sinks
