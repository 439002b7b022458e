// Limits that were met.
#include "analysis/anomalies/evidence/left_out.h"

#include <algorithm>

namespace lockstep::analysis::anomalies {
namespace {

// An event is one of the calls that are looked at.
std::size_t deepest_call(std::span<const HostIndex> hosts) {
  std::size_t deepest = 0;
  for (const HostIndex& host : hosts) {
    for (const HostThread& thread : host.threads) deepest = std::max(deepest, thread.deepest + 1);
  }
  return deepest;
}

struct SeenThreads {
  std::size_t seen = 0;
  std::size_t all = 0;
};

SeenThreads seen_threads(std::span<const HostIndex> hosts) {
  SeenThreads threads;
  for (const HostIndex& host : hosts) {
    threads.all += host.threads.size();
    threads.seen += host.evidence.size();
  }
  return threads;
}

}  // namespace

std::vector<EvidenceGap> left_out(const JudgedPart& judged, std::span<const HostIndex> hosts,
                                  const cycles::Cycles& cycles) {
  std::vector<EvidenceGap> gaps;
  const auto tell = [&gaps](Lack lack, std::size_t count, std::size_t of) {
    if (count < of) gaps.push_back({.lack = lack, .count = count, .of = of});
  };
  tell(Lack::kLeftOutDevices, judged.devices, judged.all_devices);
  if (judged.empty_steps == EmptySteps::kLeaveOut) gaps.push_back({.lack = Lack::kEmptySteps});
  const SeenThreads threads = seen_threads(hosts);
  tell(Lack::kHostThreads, threads.seen, threads.all);
  tell(Lack::kDeepCalls, kMostCallsAround, deepest_call(hosts));
  tell(Lack::kMarkClasses, cycles.asked_mark_classes, cycles.mark_classes);
  return gaps;
}

}  // namespace lockstep::analysis::anomalies
