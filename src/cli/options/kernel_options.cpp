// Formats, names and shapes from words.
#include "cli/options/kernel_options.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "cli/options/cycles_options.h"

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

void KernelFlags::add_to(CLI::App& app) {
  app.add_option("--format", format_,
                 fmt::format("what wrote it: {} (.npy and raw buffers do not say)",
                             fmt::join(format_names(), ", ")))
      ->type_name("F");
  app.add_option("--names", names_, "names of the events, from event 0 on")->type_name("A,B,C");
  app.add_option("--groups", groups_, "groups of a block, where the header is missing")
      ->type_name("N")
      ->check(is_whole_number);
  app.add_option("--blocks", blocks_, "blocks of the grid, where the header is missing")
      ->type_name("N")
      ->check(is_whole_number);
  app.add_option("--meta", meta_, "JSON beside the buffer (Proton, Mosaic)")->type_name("FILE");
  app.add_option("--launch", launch_, "only the launch of this id")
      ->type_name("ID")
      ->check(is_whole_number);
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
