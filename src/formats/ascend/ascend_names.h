// What the readers of Ascend's text and SQLite files must agree on: which device rows are a second
// record of a collective, and the words for types of data.
//
// With AIV or AICPU expansion a collective is written twice: as the communication operator, and as
// the kernel that carries it out on a stream. Only together they count twice.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/time.h"

namespace lockstep::formats::ascend {

extern const DiagnosticKind kDuplicateCollective;

// The name of a kernel that carries out a collective: it ends in AivKernel or AicpuKernel, before
// the numbers that exporters append ("hcom_reduceScatter_AicpuKernel_503_490_1").
[[nodiscard]] bool names_collective_kernel(std::string_view name);

struct HcclDataType {
  std::string_view hccl;   // "BFP16"
  std::string_view torch;  // "BFloat16", the word that other traces have
  std::int64_t bytes = 0;
};
// Nothing for a word that HCCL does not have.
[[nodiscard]] std::optional<HcclDataType> hccl_data_type(std::string_view hccl);

// The number of a collective in its group: 3 for "hcom_allReduce__586_3_1".
[[nodiscard]] std::optional<std::int64_t> collective_sequence(std::string_view name);

// The times of the communication operators of one device. A kernel with such a name is a duplicate
// where an operator runs at the same time; without one it is all that is known of the collective.
class CollectiveWindows {
 public:
  void add(WideTime start, WideTime end) { windows_.push_back({start, end}); }
  // Once, after the last add().
  void seal();
  [[nodiscard]] bool overlap(WideTime start, WideTime end) const;

 private:
  struct Window {
    WideTime start = 0;
    WideTime end = 0;
  };
  std::vector<Window> windows_;  // after seal(): by start, apart from each other
};

}  // namespace lockstep::formats::ascend
