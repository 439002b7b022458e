// Names of exports, and which of them holds the most.
#include "formats/input/other_exports.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <string_view>

#include "base/letters.h"

namespace lockstep::formats::input {
namespace {

// The best first: databases and XSpace hold what the others were made from; Perfetto holds
// nanoseconds only and, from some tools, edited times. Longer suffixes before those that they end
// in.
constexpr std::array<std::string_view, 11> kSuffixes = {
    ".xplane.pb",      ".sqlite",     ".rpd",     ".db",
    ".pt.trace.json",  ".trace.json", ".json",    ".pftrace",
    ".perfetto-trace", ".perfetto",   ".nsys-rep"};

constexpr std::array<std::string_view, 2> kCompressions = {".gz", ".zst"};

struct Export {
  std::string_view stem;
  std::string_view suffix;
  std::size_t worth = std::numeric_limits<std::size_t>::max();  // less is better
};

// In letters of any size.
bool ends_with(std::string_view path, std::string_view suffix) {
  if (path.size() <= suffix.size()) return false;
  return std::ranges::equal(path.substr(path.size() - suffix.size()), suffix, {}, small_letter);
}

// Nothing in `stem` for a name that no profiler gives.
Export export_of(std::string_view path) {
  std::size_t packed = 0;
  for (std::size_t i = 0; i < kCompressions.size() && packed == 0; ++i) {
    if (!ends_with(path, kCompressions[i])) continue;
    path.remove_suffix(kCompressions[i].size());
    packed = i + 1;
  }
  for (std::size_t i = 0; i < kSuffixes.size(); ++i) {
    const std::string_view suffix = kSuffixes[i];
    if (ends_with(path, suffix)) {
      return {path.substr(0, path.size() - suffix.size()), suffix,
              (1 + kCompressions.size()) * i + packed};
    }
  }
  return {};
}

}  // namespace

std::string_view export_suffix(std::string_view path) { return export_of(path).suffix; }

std::vector<OtherExport> take_other_exports(std::vector<std::string>& files) {
  std::map<std::string_view, std::pair<std::size_t, std::string_view>> best;  // worth and file
  for (const std::string& file : files) {
    const Export one = export_of(file);
    if (one.stem.empty()) continue;
    const auto [known, is_new] = best.try_emplace(one.stem, one.worth, file);
    if (!is_new && one.worth < known->second.first) known->second = {one.worth, file};
  }
  std::vector<std::string> kept;
  std::vector<OtherExport> taken;
  for (const std::string& file : files) {
    const Export one = export_of(file);
    if (one.stem.empty() || best.at(one.stem).first == one.worth) {
      kept.push_back(file);
    } else {
      taken.push_back({file, std::string(best.at(one.stem).second)});
    }
  }
  files = std::move(kept);
  return taken;
}

}  // namespace lockstep::formats::input
