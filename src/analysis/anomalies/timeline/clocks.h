// Four clocks of some kernels of a device, summed in the order in which they ran.
#pragma once

#include "analysis/anomalies/structure/structure.h"

namespace lockstep::analysis::anomalies {

class ClockSum {
 public:
  // Kernels come by start.
  void add(const DeviceWork& kernel, const KernelGaps& gaps);

  [[nodiscard]] Clocks clocks() const;
  [[nodiscard]] bool empty() const { return is_empty_; }
  [[nodiscard]] Time start() const { return start_; }
  [[nodiscard]] Time end() const { return end_; }  // the latest

 private:
  bool is_empty_ = true;
  Time start_;
  Time end_;
  Time busy_;
  WideTime kernel_sum_ = 0;
  WideTime total_cost_ = 0;
};

}  // namespace lockstep::analysis::anomalies
