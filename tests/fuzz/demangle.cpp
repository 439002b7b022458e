// Any bytes as a mangled name: no crash, bounded output, and twice the same.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/text.h"
#include "fuzz_check.h"

namespace {

constexpr std::size_t kMostBytes =
    1 << 17;  // a demangled name has no more, unless it is the name itself

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string name(reinterpret_cast<const char*>(data), size);
  // Most inputs are no mangled names without this.
  if (!name.starts_with("_Z")) name.insert(0, "_Z");
  const std::string text = lockstep::demangled(name);
  LOCKSTEP_FUZZ_CHECK(!text.empty());
  LOCKSTEP_FUZZ_CHECK(text.size() <= std::max(kMostBytes, name.size()));
  LOCKSTEP_FUZZ_CHECK(lockstep::demangled(name) == text);
  return 0;
}
