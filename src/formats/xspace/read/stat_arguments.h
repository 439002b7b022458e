// Stats of events as arguments, in the words that Kineto uses where there are some.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "formats/xspace/read/plane_metadata.h"
#include "trace/arguments.h"

namespace lockstep::formats::xspace {

// The value as JSON; of bytes only how many there are.
[[nodiscard]] std::string json_of(const StatValue& value, std::string_view text);

class StatArguments {
 public:
  StatArguments(shared::RankBuilder& builder, PlaneMetadata& metadata)
      : builder_(builder), metadata_(metadata) {}

  void clear() { arguments_.clear(); }
  void add(const StatMetadata& stat, const StatValue& value);
  // "regs:32 static_shared:0 dynamic_shared:512 grid:4,1,1 block:64,1,1": registers per thread,
  // shared memory, grid, block.
  void add_kernel_details(std::string_view details);
  // "kind:... size:4 dest:1 async:1": bytes.
  void add_copy_details(std::string_view details);
  void add_text(std::string_view key, StringId value);
  [[nodiscard]] const std::vector<trace::Argument>& all() const { return arguments_; }

 private:
  shared::RankBuilder& builder_;
  PlaneMetadata& metadata_;
  std::vector<trace::Argument> arguments_;
};

}  // namespace lockstep::formats::xspace
