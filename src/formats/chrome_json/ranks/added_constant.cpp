// Constants that part the ids of processes.
#include "formats/chrome_json/ranks/added_constant.h"

#include <algorithm>
#include <map>
#include <set>

#include "formats/chrome_json/ranks/labelled_plan.h"

namespace lockstep::formats::chrome_json {
namespace {

constexpr std::int64_t kMaxDeviceNumber = 1023;
// From here on a constant is beyond all process numbers, so that quotients cannot mislead.
constexpr std::int64_t kCertainConstant = 10'000'000;
// What tools were seen to add: 1000, 100,000,000, and a power of ten above the largest number.
constexpr std::int64_t kMinConstant = 1000;
constexpr std::int64_t kMaxConstant = 1'000'000'000'000'000;

struct PartedNumber {
  std::int64_t rank = 0;
  std::int64_t own = 0;
};

std::optional<PartedNumber> parted(const ProcessFacts& process, std::int64_t constant) {
  const auto number = number_of(process.pid);
  if (!number || *number < 0) return std::nullopt;
  const PartedNumber all{*number / constant, *number % constant};
  // Kineto's -1 of what no thread did.
  const bool is_nobody = all.own == constant - 1 && !process.has_device;
  return is_nobody ? PartedNumber{all.rank + 1, -1} : all;
}

struct RankSides {
  std::size_t hosts = 0;
  bool has_device = false;
};

// Whether all processes fall into ranks by this constant.
bool divides(std::span<const ProcessFacts> processes, std::int64_t constant) {
  std::map<std::int64_t, RankSides> ranks;
  for (const ProcessFacts& process : processes) {
    const auto number = parted(process, constant);
    if (!number || !process.has_events()) continue;
    if (number->own > (process.has_host ? kMaxProcessNumber : kMaxDeviceNumber)) return false;
    RankSides& sides = ranks[number->rank];
    sides.hosts += process.has_host && number->own >= 0 ? 1 : 0;
    sides.has_device |= process.has_device;
  }
  if (ranks.size() < 2) return false;
  const auto devices =
      std::ranges::count_if(ranks, [](auto& one) { return one.second.has_device; });
  const auto hosts = std::ranges::count_if(ranks, [](auto& one) { return one.second.hosts > 0; });
  // Where only processes are apart, the ids were moved in another way.
  if (constant >= kCertainConstant) return devices > 1 || (devices == 0 && hosts > 1);
  // A process that is larger than the constant looks like one of a later rank. As long as each has
  // one, none can have taken the place of another.
  const std::size_t alike = ranks.begin()->second.hosts;
  return alike <= 1 && devices == std::ssize(ranks) &&
         std::ranges::all_of(ranks, [&](auto& one) { return one.second.hosts == alike; });
}

// The constants that may have been added, the likeliest first: of two that serve, the larger is
// that of the ranks, and the smaller a part of it.
std::vector<std::int64_t> constants(std::span<const ProcessFacts> processes) {
  std::vector<std::int64_t> all;
  for (std::int64_t ten = kMaxConstant; ten >= kMinConstant; ten /= 10) all.push_back(ten);
  for (std::int64_t two = std::int64_t{1} << 48; two > kMinConstant; two /= 2) all.push_back(two);
  // Any other, as the distance of devices of the first two ranks.
  std::set<std::int64_t> devices;
  for (const ProcessFacts& process : processes) {
    const auto number = number_of(process.pid);
    if (number && *number >= 0 && process.has_device) devices.insert(*number);
  }
  for (const std::int64_t device : devices) {
    if (device - *devices.begin() < kMinConstant) continue;
    all.push_back(device - *devices.begin());
    break;
  }
  return all;
}

}  // namespace

RankPlan plan_by_constant(std::span<const ProcessFacts> processes) {
  for (const std::int64_t constant : constants(processes)) {
    if (!divides(processes, constant)) continue;
    ProcessLabels labels(processes.size());
    for (std::size_t p = 0; p < processes.size(); ++p) {
      const auto number = parted(processes[p], constant);
      if (!number) continue;
      labels[p] = numbered(std::to_string(number->rank), std::to_string(number->own));
    }
    return plan_of(processes, labels);
  }
  return {};
}

}  // namespace lockstep::formats::chrome_json
