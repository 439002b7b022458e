// How long names may be.
#include "formats/kernel_profile/name_limit.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/utf8.h"
#include "formats/kernel_profile/kernel_findings.h"

namespace lockstep::formats::kernel_profile {
namespace {

constexpr std::uint64_t kTimesRecording = 16;
constexpr std::uint64_t kFreeBytes = std::uint64_t{1} << 20;
// What the smallest record takes: as long a name is in proportion to it, whatever else is there.
constexpr std::uint64_t kRecordBytes = 8;

}  // namespace

void limit_names(std::vector<std::string>& names, std::uint64_t uses, std::uint64_t bytes,
                 Diagnostics& findings) {
  const std::uint64_t room = kTimesRecording * bytes + kFreeBytes;
  const std::uint64_t most =
      std::max(kTimesRecording * kRecordBytes, room / std::max<std::uint64_t>(uses, 1));
  for (std::string& name : names) {
    if (name.size() <= most) continue;
    findings.add(kLongName, Place::none(), fmt::format("{} of {} bytes kept", most, name.size()));
    name.resize(cut_between_characters(name, most).size());
    name.shrink_to_fit();
  }
}

}  // namespace lockstep::formats::kernel_profile
