// Grouping of paths.
#include "formats/ascend_text/bundle_files.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

namespace lockstep::ascend_text {
namespace {

constexpr std::string_view kOutputFolder = "ASCEND_PROFILER_OUTPUT";

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

// The folder whose files belong together with `path`, by the names of folders alone.
std::optional<std::string_view> marked_root(std::string_view path) {
  std::optional<std::string_view> prof;
  for (std::string_view folder = parent_of(path); !folder.empty(); folder = parent_of(folder)) {
    const std::string_view name = base_name(folder);
    if (is_worker_folder(name)) return folder;
    if (name == kOutputFolder) {
      const std::string_view above = parent_of(folder);
      // "Inside its worker folder" and "beside nothing" are the same root.
      return above;
    }
    if (name.starts_with("PROF_")) prof = folder;
  }
  return prof;
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
  if (first.size() != rest.size()) return first == "FRAMEWORK" || first.starts_with("PROF_");
  const FileSort sort = file_sort(path);
  return sort == FileSort::kProfilerInfo || sort == FileSort::kProfilerMetadata;
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

BundleFiles::BundleFiles(const Bundle& bundle) {
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

std::vector<Bundle> claim(std::vector<std::string>& files) {
  std::map<std::string, Bundle> bundles;  // by root
  std::vector<std::string> left;
  std::set<std::string> plain_roots;
  for (const std::string& file : files) {
    if (const auto root = marked_root(file)) {
      bundles[std::string(*root)].files.push_back(file);
    } else {
      left.push_back(file);
      if (is_main_product(file_sort(file))) plain_roots.emplace(parent_of(file));
    }
  }
  files.clear();
  for (const std::string& file : left) {
    const std::string folder(parent_of(file));
    auto owner = bundles.end();
    for (auto it = bundles.begin(); it != bundles.end(); ++it) {
      if (is_under(file, it->first) && is_companion(file, it->first)) owner = it;
    }
    if (owner != bundles.end()) {
      owner->second.files.push_back(file);
    } else if (plain_roots.contains(folder) && file_sort(file) != FileSort::kRaw) {
      bundles[folder].files.push_back(file);
    } else {
      files.push_back(file);
    }
  }
  // A PROF_ folder beside ASCEND_PROFILER_OUTPUT is where that came from.
  for (auto it = bundles.begin(); it != bundles.end();) {
    const std::string parent(parent_of(it->first));
    const auto above =
        base_name(it->first).starts_with("PROF_") ? bundles.find(parent) : bundles.end();
    if (above == bundles.end()) {
      ++it;
      continue;
    }
    above->second.files.insert(above->second.files.end(), it->second.files.begin(),
                               it->second.files.end());
    it = bundles.erase(it);
  }
  std::vector<Bundle> claimed;
  for (auto& [root, bundle] : bundles) {
    std::ranges::sort(bundle.files);
    bundle.root = root.empty() ? "." : root;
    claimed.push_back(std::move(bundle));
  }
  return claimed;
}

std::string name_in(const Bundle& bundle, const std::string& path) {
  std::string_view name = path;
  if (is_under(name, bundle.root)) name.remove_prefix(bundle.root.size() + 1);
  // Where all products lie; it would only push their names off the page.
  if (is_under(name, kOutputFolder)) name.remove_prefix(kOutputFolder.size() + 1);
  return std::string(name);
}

std::string device_in(std::string_view path) {
  constexpr std::string_view kFolder = "device_";
  for (std::string_view folder = parent_of(path); !folder.empty(); folder = parent_of(folder)) {
    const std::string_view name = base_name(folder);
    if (!name.starts_with(kFolder)) continue;
    const std::string_view number = name.substr(kFolder.size());
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

}  // namespace lockstep::ascend_text
