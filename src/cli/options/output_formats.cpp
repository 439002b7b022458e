// Names and suffixes of the formats that are written.
#include "cli/options/output_formats.h"

#include <array>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "formats/chrome_json/write/chrome_json_writer.h"
#include "formats/perfetto/write/perfetto_writer.h"
#include "formats/xspace/write/xspace_writer.h"

namespace lockstep::cli {
namespace {

constexpr std::array<std::string_view, 2> kChromeSuffixes = {".json", ".trace"};
constexpr std::array<std::string_view, 2> kXSpaceSuffixes = {".xplane.pb", ".xspace.pb"};
constexpr std::array<std::string_view, 4> kPerfettoSuffixes = {".pftrace", ".perfetto-trace",
                                                               ".perfetto", ".pb"};

std::string_view without_compression(std::string_view path) {
  for (const std::string_view suffix : {".gz", ".zst"}) {
    if (path.ends_with(suffix)) return path.substr(0, path.size() - suffix.size());
  }
  return path;
}

std::string suffix_list() {
  std::string out;
  for (const OutputFormat& format : output_formats()) {
    out += fmt::format("{}{} ({})", out.empty() ? "" : ", ", fmt::join(format.suffixes, " "),
                       format.name);
  }
  return out;
}

Error unknown_name(std::string_view name) {
  std::vector<std::string_view> names;
  for (const OutputFormat& format : output_formats()) names.push_back(format.name);
  const std::string_view nearest = nearest_word(name, names);
  const std::string question = nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest);
  return usage_error(fmt::format("no output format '{}'{}", name, question),
                     nearest.empty() ? fmt::format("Known are {}", fmt::join(names, ", ")) : "");
}

}  // namespace

std::span<const OutputFormat> output_formats() {
  static constexpr std::array kFormats = {
      OutputFormat{"chrome", kChromeSuffixes, formats::chrome_json::write_chrome_json, true},
      // Before Perfetto, whose .pb its names end in.
      OutputFormat{"xspace", kXSpaceSuffixes, formats::xspace::write_xspace, false},
      OutputFormat{"perfetto", kPerfettoSuffixes, formats::perfetto::write_perfetto, false},
  };
  return kFormats;
}

Result<const OutputFormat*> choose_output_format(std::string_view path, std::string_view name) {
  for (const OutputFormat& format : output_formats()) {
    if (format.name == name) return &format;
  }
  if (!name.empty()) return unknown_name(name);
  if (path == "-") {
    return usage_error("standard output has no name that tells the format",
                       "Say --to chrome, --to perfetto or --to xspace");
  }
  const std::string_view stem = without_compression(path);
  for (const OutputFormat& format : output_formats()) {
    for (const std::string_view suffix : format.suffixes) {
      if (stem.ends_with(suffix)) return &format;
    }
  }
  return usage_error(
      fmt::format("the name '{}' does not tell which format to write", path),
      fmt::format("Known are {}, each also with .gz or .zst; or say --to", suffix_list()));
}

Status check_annotated_name(const std::string& path) {
  const Result<const OutputFormat*> format = choose_output_format(path, "");
  if (format.ok() && format.value()->name == "perfetto") return {};
  return usage_error(
      fmt::format("--annotate writes Perfetto, and the name '{}' does not say so", path),
      "End it in .pftrace, .perfetto-trace, .perfetto or .pb, each also with .gz or .zst");
}

}  // namespace lockstep::cli
