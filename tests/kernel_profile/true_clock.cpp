// A stepping timer and wandering counters.
#include "true_clock.h"

#include <algorithm>
#include <cmath>

namespace lockstep::sim {
namespace {

constexpr std::int64_t kPsPerNs = 1000;

}  // namespace

// splitmix64
std::uint64_t Random::next() {
  state_ += 0x9E37'79B9'7F4A'7C15ULL;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xBF58'476D'1CE4'E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D0'49BB'1331'11EBULL;
  return z ^ (z >> 31);
}

std::int64_t Random::between(std::int64_t low, std::int64_t high) {
  const auto choices = static_cast<std::uint64_t>(high - low) + 1;
  return low + static_cast<std::int64_t>(next() % choices);
}

double Random::share() { return static_cast<double>(next() >> 11) * 0x1p-53; }

std::int64_t TrueTimer::read_ns(std::int64_t at_ps) const {
  const std::int64_t ns = origin_ns + at_ps / kPsPerNs;
  return ns - ns % tick_ns;
}

std::int64_t TrueTimer::next_step_ps(std::int64_t at_ps) const {
  return (read_ns(at_ps) + tick_ns - origin_ns) * kPsPerNs;
}

TrueCounter::TrueCounter(std::int64_t offset, std::int64_t until_ps, const WanderOptions& wander,
                         Random& random)
    : offset_(offset), node_ps_(wander.node_ps) {
  double deviation = 0;
  double cycles = 0;
  const double kick = wander.spread * std::sqrt(1 - wander.memory * wander.memory);
  for (std::int64_t at = 0; at <= until_ps + 2 * node_ps_; at += node_ps_) {
    cycles_.push_back(cycles);
    // A sum of three uniform numbers is bell-shaped and bounded.
    const double bell = 2 * (random.share() + random.share() + random.share() - 1.5);
    deviation = deviation * wander.memory + kick * bell;
    const double ghz = wander.mean_ghz * (1 + std::clamp(deviation, -0.5, 0.5));
    highest_ghz_ = std::max(highest_ghz_, ghz);
    cycles += ghz * static_cast<double>(node_ps_) / static_cast<double>(kPsPerNs);
  }
}

std::int64_t TrueCounter::read(std::int64_t at_ps) const {
  const auto node = static_cast<std::size_t>(at_ps / node_ps_);
  const double share = static_cast<double>(at_ps % node_ps_) / static_cast<double>(node_ps_);
  const double cycles = cycles_[node] + (cycles_[node + 1] - cycles_[node]) * share;
  return offset_ + static_cast<std::int64_t>(std::floor(cycles));
}

}  // namespace lockstep::sim
