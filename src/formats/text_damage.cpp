// One pass without branches over text that is plain; only other text is looked at closely.
#include "formats/text_damage.h"

#include "base/text.h"

namespace lockstep {

const DiagnosticKind kDamagedText{
    "damaged_text", Severity::kDataLoss,
    "Text holds NUL or other control characters or bytes that are not UTF-8, as damaged storage "
    "leaves them; what can be read was kept, but records may be missing in their place."};

bool is_damaged_text(std::string_view text) {
  unsigned controls = 0;
  unsigned all = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_space = byte == '\t' || byte == '\n' || byte == '\r';
    controls |= static_cast<unsigned>(byte < 0x20) & static_cast<unsigned>(!is_space);
    all |= byte;
  }
  return controls != 0 || (all >= 0x80 && valid_utf8(text) != text);
}

}  // namespace lockstep
