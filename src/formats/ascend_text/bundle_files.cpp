// Grouping of paths.
#include "formats/ascend_text/bundle_files.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

namespace lockstep::formats::ascend_text {
namespace {

constexpr std::string_view kOutputFolder = "ASCEND_PROFILER_OUTPUT";
constexpr std::string_view kMsprofOutputFolder = "mindstudio_profiler_output";
constexpr std::string_view kMsprofFolder = "PROF_";
constexpr std::string_view kDeviceFolder = "device_";

struct FileName {
  std::string_view prefix;
  std::string_view suffix;
  FileSort sort;
};

// First match wins. Names have a time or a slice number in the middle, or none.
constexpr std::array kFileNames = {
    FileName{"trace_view", ".json", FileSort::kTimeline},
    FileName{"msprof", ".json", FileSort::kMsprofTimeline},
    FileName{"kernel_details", ".csv", FileSort::kKernelDetails},
    FileName{"op_summary", ".csv", FileSort::kOpSummary},
    FileName{"task_time", ".csv", FileSort::kTaskTime},
    FileName{"communication_matrix", ".json", FileSort::kCommunicationMatrix},
    FileName{"communication", ".json", FileSort::kCommunication},
    FileName{"step_trace_time", ".csv", FileSort::kStepTraceTime},
    FileName{"op_statistic", ".csv", FileSort::kOpStatistic},
    FileName{"api_statistic", ".csv", FileSort::kApiStatistic},
    FileName{"profiler_info", ".json", FileSort::kProfilerInfo},
    FileName{"profiler_metadata", ".json", FileSort::kProfilerMetadata},
    FileName{"ascend_pytorch_profiler", ".db", FileSort::kDatabase},
    FileName{"ascend_mindspore_profiler", ".db", FileSort::kDatabase},
    FileName{"msprof", ".db", FileSort::kDatabase},
    FileName{"analysis", ".db", FileSort::kAnalysisDatabase},
    FileName{"communication_analyzer", ".db", FileSort::kAnalysisDatabase},
    FileName{"operator_details", ".csv", FileSort::kOtherProduct},
    FileName{"operator_memory", ".csv", FileSort::kOtherProduct},
    FileName{"memory_record", ".csv", FileSort::kOtherProduct},
    FileName{"npu_module_mem", ".csv", FileSort::kOtherProduct},
    FileName{"npu_mem", ".csv", FileSort::kOtherProduct},
    FileName{"l2_cache", ".csv", FileSort::kOtherProduct},
    FileName{"communication_statistic", ".csv", FileSort::kOtherProduct},
    FileName{"data_preprocess", ".csv", FileSort::kOtherProduct},
};

std::string_view base_name(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1);
}

std::string_view parent_of(std::string_view path) {
  const std::size_t slash = path.find_last_of('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

bool is_worker_folder(std::string_view name) {
  return name.ends_with("_ascend_pt") || name.ends_with("_ascend_ms");
}

bool is_under(std::string_view path, std::string_view folder) {
  if (folder.empty()) return !path.starts_with('/');
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

// The folder whose files belong together with `path`, by the names of folders alone: of those in
// the directory that was given, and its own. Above it people call folders what they like.
std::optional<std::string_view> marked_root(std::string_view path, std::string_view directory) {
  std::optional<std::string_view> prof;
  for (std::string_view folder = parent_of(path);
       !folder.empty() && folder.size() >= directory.size(); folder = parent_of(folder)) {
    const std::string_view name = base_name(folder);
    const std::string_view above = parent_of(folder);
    if (is_worker_folder(name)) return folder;
    // "Inside its worker folder" and "beside nothing" are the same root.
    if (name == kOutputFolder) return above;
    if (name.starts_with(kMsprofFolder)) prof = folder;
    const bool is_given = folder.size() == directory.size();
    if (is_given && name == kMsprofOutputFolder && base_name(above).starts_with(kMsprofFolder)) {
      return above;
    }
  }
  return prof;
}

// One of these makes a folder with a marked name a profile: by itself such a name proves nothing.
bool is_product(FileSort sort) {
  switch (sort) {
    case FileSort::kTimeline:
    case FileSort::kMsprofTimeline:
    case FileSort::kKernelDetails:
    case FileSort::kOpSummary:
    case FileSort::kTaskTime:
    case FileSort::kCommunication:
    case FileSort::kDatabase:
      return true;
    default:
      return false;
  }
}

bool is_main_product(FileSort sort) {
  return sort == FileSort::kKernelDetails || sort == FileSort::kOpSummary ||
         sort == FileSort::kTaskTime;
}

// Files that lie beside ASCEND_PROFILER_OUTPUT and belong to it, under a root without a marked
// name.
bool is_companion(std::string_view path, std::string_view root) {
  const std::string_view rest = root.empty() ? path : path.substr(root.size() + 1);
  const std::string_view first = rest.substr(0, rest.find('/'));
  if (first.size() != rest.size()) return first == "FRAMEWORK" || first.starts_with(kMsprofFolder);
  const FileSort sort = file_sort(path);
  return sort == FileSort::kProfilerInfo || sort == FileSort::kProfilerMetadata;
}

// Whether the file lies in a folder that profilers make in the root of a profile.
bool is_in_profiler_folder(std::string_view path, std::string_view root) {
  static constexpr std::array<std::string_view, 8> kFolders = {kOutputFolder,
                                                               kMsprofOutputFolder,
                                                               "mindstudio_profiler_log",
                                                               "FRAMEWORK",
                                                               "host",
                                                               "analyze",
                                                               "query",
                                                               "logs"};
  std::string_view rest = root.empty() ? path : path.substr(root.size() + 1);
  for (std::size_t slash = 0; (slash = rest.find('/')) != std::string_view::npos;) {
    const std::string_view folder = rest.substr(0, slash);
    rest.remove_prefix(slash + 1);
    if (folder.starts_with(kMsprofFolder)) continue;
    return folder.starts_with(kDeviceFolder) ||
           std::ranges::find(kFolders, folder) != kFolders.end();
  }
  return false;
}

bool may_be_trace(std::string_view path) {
  static constexpr std::array<std::string_view, 6> kNames = {".json", ".pb",     ".pftrace",
                                                             ".rpd",  ".sqlite", ".perfetto"};
  const std::string_view name = base_name(path);
  return std::ranges::any_of(
      kNames, [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

using Groups = std::map<std::string, std::vector<std::string>, std::less<>>;  // files by root

// The group that a file without a marked folder goes with, the nearest first.
Groups::iterator group_beside(Groups& groups, std::string_view file) {
  std::string_view folder = file;
  while (!folder.empty()) {
    folder = parent_of(folder);
    const auto group = groups.find(folder);
    if (group != groups.end() && is_companion(file, folder)) return group;
  }
  return groups.end();
}

// A PROF_ folder beside ASCEND_PROFILER_OUTPUT is where that came from.
void merge_raw_data(Groups& groups) {
  for (auto it = groups.begin(); it != groups.end();) {
    const bool is_msprof = base_name(it->first).starts_with(kMsprofFolder);
    const auto above = is_msprof ? groups.find(parent_of(it->first)) : groups.end();
    if (above == groups.end()) {
      ++it;
      continue;
    }
    above->second.insert(above->second.end(), it->second.begin(), it->second.end());
    it = groups.erase(it);
  }
}

// Moves what is of the profiler into the bundle, the rest into `left`. Raw data alone are claimed
// too, so that people hear what to do with them, but nothing that may be a trace.
shared::Bundle bundle_of(const std::string& root, const std::vector<std::string>& files,
                         std::vector<std::string>& left) {
  shared::Bundle bundle{root.empty() ? "." : root, {}};
  const bool has_product = std::ranges::any_of(
      files, [](const std::string& file) { return is_product(file_sort(file)); });
  for (const std::string& file : files) {
    const bool is_raw = file_sort(file) == FileSort::kRaw;
    const bool is_ours =
        is_raw ? is_in_profiler_folder(file, root) && (has_product || !may_be_trace(file))
               : has_product;
    (is_ours ? bundle.files : left).push_back(file);
  }
  std::ranges::sort(bundle.files);
  return bundle;
}

}  // namespace

FileSort file_sort(std::string_view path) {
  std::string_view name = base_name(path);
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (name.ends_with(packed)) name.remove_suffix(packed.size());
  }
  for (const FileName& known : kFileNames) {
    if (!name.starts_with(known.prefix) || !name.ends_with(known.suffix)) continue;
    // "communication_group.json" is not communication.json; times and numbers may follow.
    const std::string_view middle =
        name.substr(known.prefix.size(), name.size() - known.prefix.size() - known.suffix.size());
    if (middle.find_first_not_of("_0123456789slice") == std::string_view::npos) return known.sort;
  }
  return FileSort::kRaw;
}

BundleFiles::BundleFiles(const shared::Bundle& bundle) {
  for (const std::string& file : bundle.files) {
    by_sort_[static_cast<std::size_t>(file_sort(file))].push_back(file);
  }
  if (!has(FileSort::kProfilerInfo)) find_facts_beside(bundle.root);
}

void BundleFiles::find_facts_beside(const std::string& root) {
  std::error_code failure;
  std::vector<std::string> found;
  std::filesystem::directory_iterator entries(root, failure);
  for (; !failure && entries != std::filesystem::directory_iterator(); entries.increment(failure)) {
    std::error_code ignored;
    if (entries->is_regular_file(ignored)) found.push_back(entries->path().string());
  }
  std::ranges::sort(found);
  for (const std::string& path : found) {
    const FileSort sort = file_sort(path);
    const bool is_facts = sort == FileSort::kProfilerInfo || sort == FileSort::kProfilerMetadata;
    auto& known = by_sort_[static_cast<std::size_t>(sort)];
    if (is_facts && std::ranges::find(known, path) == known.end()) known.push_back(path);
  }
}

std::vector<shared::Bundle> claim(std::string_view directory, std::vector<std::string>& files) {
  while (directory.ends_with('/')) directory.remove_suffix(1);
  Groups groups;
  std::vector<std::string> unmarked;
  std::set<std::string, std::less<>> plain_roots;
  for (const std::string& file : files) {
    if (const auto root = marked_root(file, directory)) {
      groups[std::string(*root)].push_back(file);
    } else {
      unmarked.push_back(file);
      if (is_main_product(file_sort(file))) plain_roots.emplace(parent_of(file));
    }
  }
  files.clear();
  for (const std::string& file : unmarked) {
    const std::string folder(parent_of(file));
    if (const auto group = group_beside(groups, file); group != groups.end()) {
      group->second.push_back(file);
    } else if (plain_roots.contains(folder) && file_sort(file) != FileSort::kRaw) {
      groups[folder].push_back(file);
    } else {
      files.push_back(file);
    }
  }
  merge_raw_data(groups);
  std::vector<shared::Bundle> claimed;
  for (const auto& [root, members] : groups) {
    shared::Bundle bundle = bundle_of(root, members, files);
    if (!bundle.files.empty()) claimed.push_back(std::move(bundle));
  }
  std::ranges::sort(files);
  return claimed;
}

std::string name_in(const shared::Bundle& bundle, const std::string& path) {
  std::string_view name = path;
  if (is_under(name, bundle.root)) name.remove_prefix(bundle.root.size() + 1);
  // Where all products lie; it would only push their names off the page.
  if (is_under(name, kOutputFolder)) name.remove_prefix(kOutputFolder.size() + 1);
  return std::string(name);
}

std::string device_in(std::string_view path) {
  for (std::string_view folder = parent_of(path); !folder.empty(); folder = parent_of(folder)) {
    const std::string_view name = base_name(folder);
    if (!name.starts_with(kDeviceFolder)) continue;
    const std::string_view number = name.substr(kDeviceFolder.size());
    if (!number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos) {
      return std::string(number);
    }
  }
  return {};
}

std::string process_in(std::string_view root) {
  std::string_view name = base_name(root);
  if (!is_worker_folder(name)) return "0";
  name.remove_suffix(std::string_view("_ascend_pt").size());
  const std::size_t time = name.find_last_of('_');
  if (time == std::string_view::npos) return "0";
  name = name.substr(0, time);
  const std::string_view pid = name.substr(name.find_last_of('_') + 1);
  const bool is_number =
      !pid.empty() && pid.find_first_not_of("0123456789") == std::string_view::npos;
  return is_number && pid.size() < name.size() ? std::string(pid) : "0";
}

}  // namespace lockstep::formats::ascend_text
