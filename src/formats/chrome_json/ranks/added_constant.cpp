// Constants that part the ids of processes.
#include "formats/chrome_json/ranks/added_constant.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <ranges>
#include <set>

#include "formats/chrome_json/ranks/labelled_plan.h"

namespace lockstep::formats::chrome_json {
namespace {

constexpr std::int64_t kMaxDeviceNumber = 1023;
// From here on a constant is beyond all process numbers, so that quotients cannot mislead.
constexpr std::int64_t kCertainConstant = 10'000'000;
// Without devices: of any large ids most look like ids of processes beside a smaller constant, and
// two of them may well be in the first two ranks.
constexpr std::int64_t kCertainForThreads = 100'000'000;
constexpr std::ptrdiff_t kMinCountedRanks = 3;
// What tools were seen to add: 1000, 100,000,000, and a power of ten above the largest number.
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
using Ranks = std::map<std::int64_t, RankSides>;

// The ranks of all processes by this constant; none where what it leaves are no ids.
Ranks ranks_by(std::span<const ProcessFacts> processes, std::int64_t constant) {
  Ranks ranks;
  for (const ProcessFacts& process : processes) {
    const auto number = parted(process, constant);
    if (!number || !process.has_events()) continue;
    if (number->own > (process.has_host ? kMaxProcessNumber : kMaxDeviceNumber)) return {};
    RankSides& sides = ranks[number->rank];
    sides.hosts += process.has_host && number->own >= 0 ? 1 : 0;
    sides.has_device |= process.has_device;
  }
  return ranks;
}

bool is_counted(const Ranks& ranks) {
  return ranks.begin()->first == 0 && ranks.rbegin()->first + 1 == std::ssize(ranks);
}

// Whether each rank has a process that did what one of another rank did as well.
bool do_all_repeat(std::span<const ProcessFacts> processes, std::int64_t constant,
                   const Ranks& ranks, const RepeatsOfFile& repeats) {
  std::set<std::int64_t> repeating;
  for (const std::size_t process : repeats()) {
    if (const auto number = parted(processes[process], constant)) repeating.insert(number->rank);
  }
  return std::ranges::includes(repeating, std::views::keys(ranks));
}

// Whether all processes fall into ranks by this constant.
bool divides(std::span<const ProcessFacts> processes, std::int64_t constant,
             const RepeatsOfFile& repeats) {
  const Ranks ranks = ranks_by(processes, constant);
  if (ranks.size() < 2) return false;
  const auto count = [&](auto&& has) {
    return std::ranges::count_if(ranks, [&](auto& one) { return has(one.second); });
  };
  const auto devices = count([](const RankSides& sides) { return sides.has_device; });
  const auto hosts = count([](const RankSides& sides) { return sides.hosts > 0; });
  if (hosts == 0) return ranks.begin()->first == 0 && devices == std::ssize(ranks);
  if (devices == 0 && constant >= kCertainConstant) {
    const bool is_row = constant >= kCertainForThreads && is_counted(ranks) &&
                        std::ssize(ranks) >= kMinCountedRanks;
    return is_row || do_all_repeat(processes, constant, ranks, repeats);
  }
  // Nobody launched on such a device: either only devices were moved, or its profiler counts so.
  if (count([](const RankSides& sides) { return sides.hosts == 0; }) > 0) return false;
  // Where only processes are apart, the ids were moved in another way.
  if (constant >= kCertainConstant) return devices > 1;
  // A process that is larger than the constant looks like one of a later rank. As long as each has
  // one, none can have taken the place of another.
  return devices == std::ssize(ranks) &&
         count([](const RankSides& sides) { return sides.hosts == 1; }) == devices;
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

bool is_power(std::int64_t value, std::int64_t base) {
  while (value > 1 && value % base == 0) value /= base;
  return value == 1;
}

// Ranks that may be others have no numbers. Without devices only those have some that are counted:
// what a large constant leaves of any large ids looks like processes.
void number_ranks(std::span<const ProcessFacts> processes, std::int64_t constant, RankPlan& plan) {
  const bool is_row = plan.numbers.front() == 0 && plan.numbers.back() &&
                      *plan.numbers.back() + 1 == std::ssize(plan.numbers);
  const bool has_device = std::ranges::any_of(processes, &ProcessFacts::has_device);
  std::set<std::int64_t> distances;
  for (const auto& number : plan.numbers) {
    if (number) distances.insert(*number * constant);
  }
  const auto one = distances.size() == plan.numbers.size() && (has_device || is_row)
                       ? certain_constant(distances)
                       : std::nullopt;
  for (std::optional<std::int64_t>& number : plan.numbers) {
    number = one ? std::optional(*number * constant / *one) : std::nullopt;
  }
}

}  // namespace

std::optional<std::int64_t> certain_constant(const std::set<std::int64_t>& distances) {
  std::int64_t common = 0;
  for (const std::int64_t distance : distances) common = std::gcd(common, distance);
  if (common < kMinConstant) return std::nullopt;
  if (is_power(common, 10) || is_power(common, 2)) return common;
  const bool has_all =
      *distances.begin() == 0 && *distances.rbegin() / common + 1 == std::ssize(distances);
  return has_all && common % 10 != 0 ? std::optional(common) : std::nullopt;
}

RankPlan plan_by_constant(std::span<const ProcessFacts> processes, const RepeatsOfFile& repeats) {
  std::optional<std::vector<std::size_t>> known;
  const RepeatsOfFile once = [&] {
    if (!known) known = repeats();
    return *known;
  };
  for (const std::int64_t constant : constants(processes)) {
    if (!divides(processes, constant, once)) continue;
    ProcessLabels labels(processes.size());
    for (std::size_t p = 0; p < processes.size(); ++p) {
      const auto number = parted(processes[p], constant);
      if (!number) continue;
      labels[p] = numbered(std::to_string(number->rank), std::to_string(number->own));
    }
    RankPlan plan = plan_of(processes, labels);
    number_ranks(processes, constant, plan);
    return plan;
  }
  return {};
}

}  // namespace lockstep::formats::chrome_json
