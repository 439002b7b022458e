// One pass without branches over text that is plain; only other text is looked at closely.
#include "formats/shared/text_damage.h"

#include <cstdint>

#include "base/text.h"

namespace lockstep::formats::shared {

const DiagnosticKind kDamagedText{
    "damaged_text", Severity::kDataLoss,
    "Text holds NUL or other control characters, bytes that are not UTF-8 or long runs of line "
    "ends, as damaged storage leaves them; what can be read was kept, but records may be missing "
    "in their place."};

namespace {

// What the bytes of a text have among them.
struct ByteKinds {
  bool controls;
  bool beyond_ascii;
};

// In bytes throughout, so that the compiler makes it wide.
ByteKinds bytes_of(std::string_view text) {
  std::uint8_t controls = 0;
  std::uint8_t all = 0;
  for (const char c : text) {
    const auto byte = static_cast<std::uint8_t>(c);
    const auto is_control = static_cast<std::uint8_t>(byte < 0x20 ? 0xFF : 0);
    const auto is_space =
        static_cast<std::uint8_t>(byte == '\t' || byte == '\n' || byte == '\r' ? 0xFF : 0);
    controls |= static_cast<std::uint8_t>(is_control & ~is_space);
    all |= byte;
  }
  return {controls != 0, all >= 0x80};
}

}  // namespace

bool is_plain_text(std::string_view text) {
  const ByteKinds bytes = bytes_of(text);
  return !bytes.controls && !bytes.beyond_ascii;
}

bool is_damaged_text(std::string_view text) {
  const ByteKinds bytes = bytes_of(text);
  return bytes.controls || (bytes.beyond_ascii && valid_utf8(text) != text);
}

}  // namespace lockstep::formats::shared
