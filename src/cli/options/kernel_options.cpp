// Formats, names and shapes from words.
#include "cli/options/kernel_options.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "cli/options/value_checks.h"

namespace lockstep::cli {
namespace {

std::vector<std::string_view> format_names() {
  std::vector<std::string_view> names;
  for (const formats::kernel_profile::KernelFormat format :
       formats::kernel_profile::all_kernel_formats())
    names.push_back(name_of(format));
  return names;
}

Error unknown_format(const std::string& word) {
  const std::vector<std::string_view> names = format_names();
  const std::string_view nearest = nearest_word(word, names);
  const std::string question = nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest);
  return usage_error(fmt::format("no in-kernel format '{}'{}", word, question),
                     fmt::format("Known are {}", fmt::join(names, ", ")));
}

}  // namespace

std::vector<std::string> split_names(const std::string& words) {
  std::vector<std::string> names;
  std::size_t from = 0;
  while (from <= words.size()) {
    const std::size_t to = std::min(words.find(',', from), words.size());
    names.push_back(words.substr(from, to - from));
    from = to + 1;
  }
  return names;
}

void KernelFlags::add_to(OptionTable& table) {
  const std::vector<std::string_view> formats = format_names();
  table.add({.names = "--format",
             .target = &format_,
             .value = "F",
             .help = fmt::format("what wrote it: {} (.npy and raw buffers do not say)",
                                 fmt::join(formats, ", ")),
             .details = fmt::format("what wrote it: `{}` (`.npy` and raw buffers do not say)",
                                    fmt::join(formats, "`, `")),
             .words = {formats.begin(), formats.end()}});
  table.add({.names = "--names",
             .target = &names_,
             .value = "A,B,C",
             .help = "names of the events, from event 0 on",
             .details = "names of the events, from event 0 on; an empty one keeps its number. "
                        "They replace those of the file"});
  table.add({.names = "--groups",
             .target = &groups_,
             .value = "N",
             .help = "groups of a block, where the header is missing",
             .details = "groups of a block, where the header of a buffer is missing or wrong",
             .check = is_whole_number});
  table.add({.names = "--blocks",
             .target = &blocks_,
             .value = "N",
             .help = "blocks of the grid, where the header is missing",
             .details = "blocks of the grid, where the header of a buffer is missing or wrong",
             .check = is_whole_number});
  table.add({.names = "--meta",
             .target = &meta_,
             .value = "FILE",
             .help = "JSON beside the buffer (Proton, Mosaic)",
             .details = "JSON beside a buffer (Proton, Mosaic): names, clock rate, shape",
             .completion = Completion::kFile});
  table.add({.names = "--launch",
             .target = &launch_,
             .value = "ID",
             .help = "only the launch of this id",
             .check = is_whole_number});
}

Result<formats::kernel_profile::KernelDecodeOptions> KernelFlags::resolve() const {
  formats::kernel_profile::KernelDecodeOptions options;
  if (format_) {
    options.format = formats::kernel_profile::kernel_format_named(*format_);
    if (!options.format) return unknown_format(*format_);
  }
  if (!names_.empty()) options.names = split_names(names_);
  options.groups = groups_;
  options.blocks = blocks_;
  options.meta_path = meta_;
  return options;
}

Status KernelFlags::apply(trace::KernelProfile& profile) const {
  if (!launch_) return {};
  const auto found = std::ranges::find(profile.launches, *launch_, &trace::KernelLaunch::id);
  if (found == profile.launches.end()) {
    return usage_error(fmt::format("no launch has the id {}", *launch_),
                       "Leave --launch out to see those that are there");
  }
  const auto index = static_cast<std::uint32_t>(found - profile.launches.begin());
  std::erase_if(profile.lanes, [&](const trace::KernelLane& lane) { return lane.launch != index; });
  for (trace::KernelLane& lane : profile.lanes) lane.launch = 0;
  profile.launches = {trace::KernelLaunch(*found)};
  return {};
}

}  // namespace lockstep::cli
