// Pairing by age.
#include "formats/kernel_profile/other_tools/proton_tokens.h"

#include <algorithm>
#include <deque>
#include <map>
#include <vector>

namespace lockstep::formats::kernel_profile {
namespace {

struct Edge {
  trace::KernelRecord* record;
  std::size_t warp;
};

// Open begins of a scope, by warp.
using OpenBegins = std::map<std::size_t, std::deque<std::uint32_t>>;

// In order of time; equal times in order of warps and programs.
std::vector<Edge> async_edges(std::span<LaneDraft> warps) {
  std::vector<Edge> edges;
  for (std::size_t warp = 0; warp < warps.size(); ++warp) {
    for (trace::KernelRecord& record : warps[warp].records) {
      if (record.is_async) edges.push_back({&record, warp});
    }
  }
  std::ranges::stable_sort(edges, {}, [](const Edge& edge) { return edge.record->ticks; });
  return edges;
}

// Tokens grow with time, so the oldest is the smallest.
OpenBegins::iterator oldest(OpenBegins& open) {
  return std::ranges::min_element(
      open, {}, [](const OpenBegins::value_type& entry) { return entry.second.front(); });
}

}  // namespace

void pair_proton_async(std::span<LaneDraft> warps, std::uint32_t& next_token) {
  std::map<std::uint32_t, OpenBegins> open_by_scope;
  for (const Edge& edge : async_edges(warps)) {
    OpenBegins& open = open_by_scope[edge.record->event];
    if (edge.record->type == trace::RecordType::kBegin) {
      edge.record->payload = next_token++;
      open[edge.warp].push_back(edge.record->payload);
      continue;
    }
    auto from = open.find(edge.warp);
    if (from == open.end()) from = oldest(open);
    if (from == open.end()) {
      edge.record->payload = next_token++;  // of nothing
      continue;
    }
    edge.record->payload = from->second.front();
    from->second.pop_front();
    if (from->second.empty()) open.erase(from);
  }
}

}  // namespace lockstep::formats::kernel_profile
