// Headers of tar: blocks of 512 bytes with fields of octal text.
#include "formats/shared/tar_archive.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace lockstep::formats::shared {
namespace {

struct Field {
  std::size_t at = 0;
  std::size_t size = 0;
};

constexpr std::size_t kBlockBytes = 512;
constexpr Field kName{0, 100};
constexpr Field kSize{124, 12};
constexpr Field kChecksum{148, 8};
constexpr Field kMagic{257, 5};

std::string_view field_of(std::string_view block, Field field) {
  return block.substr(field.at, field.size);
}

// Digits between blanks or zeros, as all writers leave them.
std::optional<std::uint64_t> octal(std::string_view text) {
  constexpr std::string_view kPadding(" \0", 2);
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return std::nullopt;
  std::uint64_t value = 0;
  std::size_t at = begin;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '7'; ++at) {
    value = value * 8 + static_cast<std::uint64_t>(text[at] - '0');
  }
  const bool ends = text.find_first_not_of(kPadding, at) == std::string_view::npos;
  return at > begin && ends ? std::optional(value) : std::nullopt;
}

// The sum of all bytes of the header, its own field counted as blanks. Some writers took bytes for
// signed.
bool has_checksum(std::string_view block) {
  const std::optional<std::uint64_t> said = octal(field_of(block, kChecksum));
  if (!said) return false;
  std::int64_t plain = 0;
  std::int64_t with_sign = 0;
  for (std::size_t i = 0; i < kBlockBytes; ++i) {
    const bool is_own = i >= kChecksum.at && i < kChecksum.at + kChecksum.size;
    const char c = is_own ? ' ' : block[i];
    plain += static_cast<unsigned char>(c);
    with_sign += static_cast<signed char>(c);
  }
  const auto sum = static_cast<std::int64_t>(*said);
  return sum == plain || sum == with_sign;
}

std::string_view member_name(std::string_view block) {
  const std::string_view name = field_of(block, kName);
  return name.substr(0, name.find('\0'));
}

}  // namespace

bool is_tar(std::string_view head) {
  if (head.size() < kMagic.at + kMagic.size || member_name(head).empty()) return false;
  // The magic alone is told where the rest of the header is damaged or cut off: text has no zeros.
  const bool has_zeros = field_of(head, kName).contains('\0');
  if (has_zeros && field_of(head, kMagic) == "ustar") return true;
  return head.size() >= kBlockBytes && has_checksum(head);
}

std::vector<std::string> tar_members(std::string_view head) {
  std::vector<std::string> names;
  while (head.size() >= kBlockBytes && is_tar(head)) {
    names.emplace_back(member_name(head));
    const std::uint64_t size = octal(field_of(head, kSize)).value_or(0);
    const std::uint64_t blocks = size / kBlockBytes + (size % kBlockBytes == 0 ? 1 : 2);
    if (blocks > head.size() / kBlockBytes) break;
    head.remove_prefix(static_cast<std::size_t>(blocks) * kBlockBytes);
  }
  return names;
}

Error tar_error(std::string_view path, std::string_view compression) {
  const std::string inside =
      compression == "none" ? std::string() : " inside " + std::string(compression);
  return input_error(std::string(path),
                     "is a tar archive" + inside + ", and its members are not read",
                     "Unpack it with 'tar -xf' and give the traces in it, or their directory");
}

}  // namespace lockstep::formats::shared
