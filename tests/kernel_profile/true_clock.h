// Clocks of a simulated device that are known exactly: a timer that steps, and a cycle counter per
// multiprocessor whose rate wanders.
#pragma once

#include <cstdint>
#include <vector>

namespace lockstep::sim {

// The same numbers on every platform, unlike the distributions of the standard library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  // In [low, high].
  std::int64_t between(std::int64_t low, std::int64_t high);
  double share();  // in [0, 1)
  bool chance(double probability) { return share() < probability; }

 private:
  std::uint64_t state_;
};

// The device's timer. Times are ps from the simulation's origin, a whole number of steps.
struct TrueTimer {
  std::int64_t origin_ns = 0;
  std::int64_t tick_ns = 32;

  [[nodiscard]] std::int64_t read_ns(std::int64_t at_ps) const;
  // The first moment after `at_ps` at which the timer steps.
  [[nodiscard]] std::int64_t next_step_ps(std::int64_t at_ps) const;
};

struct WanderOptions {
  double mean_ghz = 1.98;
  double spread = 0;                 // how far the rate strays from the mean, as a share of it
  std::int64_t node_ps = 2'000'000;  // the rate changes this often
  double memory = 0.9;               // how much of a deviation is left at the next node
};

// The counter of one multiprocessor, from the simulation's origin to `until_ps`.
class TrueCounter {
 public:
  TrueCounter() = default;
  TrueCounter(std::int64_t offset, std::int64_t until_ps, const WanderOptions& wander,
              Random& random);

  [[nodiscard]] std::int64_t read(std::int64_t at_ps) const;
  void add_skew(std::int64_t cycles) { offset_ += cycles; }
  [[nodiscard]] double highest_ghz() const { return highest_ghz_; }

 private:
  std::int64_t offset_ = 0;
  double highest_ghz_ = 0;
  std::int64_t node_ps_ = 1;
  std::vector<double> cycles_;  // at the nodes, from offset_
};

}  // namespace lockstep::sim
