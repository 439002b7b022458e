// Interned strings of a packet sequence: each is sent once, before its first use, and then named by
// a number.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/string_pool.h"
#include "trace/kind.h"

namespace lockstep::formats::perfetto {

// Words of ours that go into annotations beside those of the trace.
enum class OwnWord : std::uint8_t {
  kKind,
  kCorrelation,
  kStartPs,
  kDurationPs,
  kShape,
  kCollective,
  // the entries of kCollective
  kOp,
  kGroup,
  kDtype,
  kSequence,
  kElementsIn,
  kElementsOut,
  kBytes,
  kTransitPs,
  kWaitPs,
  kIdlePs,
};
inline constexpr std::size_t kOwnWordCount = 16;

// `text` as UTF-8; what is not is replaced in `scratch`, which then holds the answer.
[[nodiscard]] std::string_view as_utf8(std::string_view text, std::string& scratch);

// Each domain numbers its strings for itself, as the format wants. Strings of the trace are known
// by their id already, so that no lookup is needed.
class StringInterner {
 public:
  enum class Domain : std::uint8_t { kCategory, kEventName, kAnnotationName, kAnnotationString };

  explicit StringInterner(const StringPool& strings);

  // The number to write; a string that is used for the first time joins pending().
  std::uint64_t use(Domain domain, StringId text);
  std::uint64_t use(Domain domain, trace::Kind kind);
  std::uint64_t use(Domain domain, OwnWord word);

  // The InternedData that must go out no later than the packet that uses it; empty when nothing is
  // new.
  [[nodiscard]] const std::string& pending() const { return pending_; }
  void clear_pending() { pending_.clear(); }

 private:
  std::uint64_t define(Domain domain, std::size_t index, std::string_view text);

  const StringPool& strings_;
  std::array<std::vector<bool>, 4> is_defined_;  // by domain, by index
  std::string pending_;
  std::string scratch_;
};

}  // namespace lockstep::formats::perfetto
