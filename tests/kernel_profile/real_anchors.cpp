// Reading of the fixture of real anchors.
#include "real_anchors.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>

namespace lockstep::sim {
namespace {

constexpr std::int64_t kStepNs = 32;

struct Item {
  std::uint32_t width_and_steps;
  std::uint32_t before;
};
static_assert(sizeof(Item) == 8);
constexpr std::uint32_t kStepBits = 20;

template <typename T>
T load(const std::string& bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

}  // namespace

std::vector<AnchorCase> read_anchor_cases(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  std::vector<AnchorCase> cases;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = bytes.find('\n', at);
    if (end == std::string::npos) return {};
    std::istringstream head(bytes.substr(at, end - at));
    std::string word;
    std::uint32_t sms = 0;
    std::uint32_t anchors = 0;
    std::int64_t first = 0;
    AnchorCase next;
    head >> word >> next.warps >> next.load >> next.total_ns >> sms >> anchors >> first;
    at = end + 1;
    const std::size_t clocks_at = at;
    at += sms * sizeof(std::uint64_t);
    if (!head || at + std::size_t{sms} * anchors * sizeof(Item) > bytes.size()) return {};
    next.profile.launches.emplace_back();
    for (std::uint32_t sm = 0; sm < sms; ++sm) {
      trace::KernelLane lane;
      lane.sm = lane.sm_end = static_cast<std::int32_t>(sm);
      lane.clock = trace::LaneClock::kCycles;
      lane.first_anchor = next.profile.anchors.size();
      for (std::uint32_t i = 0; i < anchors; ++i, at += sizeof(Item)) {
        const auto item = load<Item>(bytes, at);
        const std::int64_t width = item.width_and_steps >> kStepBits;
        const std::int64_t steps = item.width_and_steps & ((1U << kStepBits) - 1);
        if (width == 0) continue;
        const auto before = static_cast<std::int64_t>(
            load<std::uint64_t>(bytes, clocks_at + sm * sizeof(std::uint64_t)) + item.before);
        next.profile.anchors.push_back({first + steps * kStepNs, before, before + width});
        ++lane.anchor_count;
      }
      next.profile.lanes.push_back(lane);
    }
    next.profile.records =
        std::make_shared<trace::DecodedRecords>(std::vector<trace::KernelRecord>{});
    cases.push_back(std::move(next));
  }
  return cases;
}

}  // namespace lockstep::sim
