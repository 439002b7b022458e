// Where the parts of one process lie in the document; they may stand in any order.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "formats/rocprofv3_json/record_list.h"

namespace lockstep::formats::rocprofv3_json {

inline constexpr std::string_view kRootKey = "rocprofiler-sdk-tool";

struct RecordList {
  std::string name;  // "kernel_dispatch"
  Range range;
};

struct ProcessSections {
  Range metadata;
  Range agents;
  Range kernel_symbols;
  Range strings;
  Range counter_collection;
  std::vector<RecordList> lists;
  std::vector<RecordList> other_callbacks;
  bool has_records = false;  // the member that the lists stand in

  [[nodiscard]] Range list(std::string_view name) const;
};

// The processes of a document. What is cut off or damaged is counted, and what stands before it is
// there.
[[nodiscard]] std::vector<ProcessSections> find_processes(const Document& document,
                                                          Diagnostics& diagnostics);

}  // namespace lockstep::formats::rocprofv3_json
