// Bonds by correlation ids.
#include "formats/chrome_json/ranks/launch_bonds.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <utility>

namespace lockstep::formats::chrome_json {
namespace {

// Fewer ids than this may be in anybody's range.
constexpr std::uint64_t kMinIds = 16;
// An id that so many processes have tells none of them; to count them would take long.
constexpr std::size_t kMaxHostsOfId = 64;

struct IdOfProcess {
  std::int64_t correlation = 0;
  std::size_t process = 0;

  friend auto operator<=>(const IdOfProcess&, const IdOfProcess&) = default;
};
using Ids = std::vector<IdOfProcess>;

void sort_out(Ids& ids) {
  std::ranges::sort(ids);
  ids.erase(std::ranges::unique(ids).begin(), ids.end());
}

struct Coverage {
  std::uint64_t ids = 0;                       // of the device
  std::uint64_t anybodys = 0;                  // of these, those that many processes have
  std::map<std::size_t, std::uint64_t> hosts;  // how many of its ids each process has
};

using Coverages = std::map<std::size_t, Coverage>;  // by device

// The processes that have this id.
std::span<const IdOfProcess> holders(const Ids& ids, std::int64_t correlation) {
  const auto range = std::ranges::equal_range(ids, correlation, {}, &IdOfProcess::correlation);
  return {range.begin(), range.end()};
}

Coverages cover(const Ids& device_ids, const Ids& host_ids) {
  Coverages devices;
  for (const IdOfProcess& id : device_ids) {
    Coverage& device = devices[id.process];
    ++device.ids;
    const std::span<const IdOfProcess> hosts = holders(host_ids, id.correlation);
    if (hosts.size() > kMaxHostsOfId) {
      ++device.anybodys;
      continue;
    }
    for (const IdOfProcess& host : hosts) ++device.hosts[host.process];
  }
  return devices;
}

// The only one that has nine tenths of the ids, while no other has half of them.
std::optional<std::size_t> owner_of(const Coverage& device) {
  std::optional<std::size_t> owner;
  if (device.ids < kMinIds || device.anybodys * 2 > device.ids) return owner;
  for (const auto& [host, ids] : device.hosts) {
    if ((ids + device.anybodys) * 10 >= device.ids * 9 && !owner) {
      owner = host;
    } else if ((ids + device.anybodys) * 2 > device.ids) {
      return std::nullopt;
    }
  }
  return owner;
}

}  // namespace

std::vector<LaunchBond> launch_bonds(const trace::Trace& trace, const RankStart& start) {
  Ids device_ids;
  Ids host_ids;
  for (std::size_t i = start.row; i < trace.events.size(); ++i) {
    if (trace.events.correlation[i] == trace::kNoCorrelation) continue;
    const trace::Track& track = trace.track_of(i);
    Ids& ids = track.side == trace::Track::Side::kDevice ? device_ids : host_ids;
    ids.push_back({trace.events.correlation[i], trace::index_of(track.process) - start.process});
  }
  sort_out(device_ids);
  sort_out(host_ids);
  std::vector<LaunchBond> bonds;
  for (const auto& [device, coverage] : cover(device_ids, host_ids)) {
    if (const auto owner = owner_of(coverage)) bonds.push_back({*owner, device});
  }
  return bonds;
}

}  // namespace lockstep::formats::chrome_json
