// The options that say how the bytes of an in-kernel profile are to be read, and what of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/options/option_table.h"
#include "formats/kernel_profile/kernel_profile_formats.h"
#include "trace/kernel_profile.h"

namespace lockstep::cli {

struct KernelFlags {
  void add_to(OptionTable& table);
  // What the words mean; a usage error for those that mean nothing.
  [[nodiscard]] Result<formats::kernel_profile::KernelDecodeOptions> resolve() const;
  // Leaves only the launch of --launch; a usage error where the profile has none of that id.
  [[nodiscard]] Status apply(trace::KernelProfile& profile) const;
  [[nodiscard]] const std::string& meta_path() const { return meta_; }

 private:
  std::optional<std::string> format_;
  std::string names_;
  std::string meta_;
  std::uint32_t groups_ = 0;
  std::uint64_t blocks_ = 0;
  std::optional<std::uint32_t> launch_;
};

// "a,b,c" as three names; one may be empty: that event keeps its number.
[[nodiscard]] std::vector<std::string> split_names(const std::string& words);

}  // namespace lockstep::cli
