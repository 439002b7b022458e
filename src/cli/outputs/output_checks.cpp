// Checks of names, and the writing of folders.
#include "cli/outputs/output_checks.h"

#include <filesystem>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "formats/sqlite/pages/sqlite_place.h"
#include "io/byte_sink.h"
#include "io/input.h"
#include "io/output_place.h"
#include "io/standard_streams.h"

namespace lockstep::cli {
namespace {

// However a name is written: where nothing is there yet, weakly_canonical() leaves a bare one
// relative. Empty where it cannot be found.
std::filesystem::path real_name(const std::string& path) {
  std::error_code failure;
  const std::filesystem::path absolute = std::filesystem::absolute(path, failure);
  if (failure) return {};
  const std::filesystem::path real = std::filesystem::weakly_canonical(absolute, failure);
  return real.has_filename() ? real : real.parent_path();  // "folder/" is "folder"
}

// Empty for what is not replaced (a device, a pipe) or cannot be found: opening it tells why.
std::filesystem::path replaced_by(const std::string& path) {
  const Result<io::OutputPlace> place = io::find_output_place(path);
  if (!place.ok() || place.value().is_stream || place.value().descriptor) return {};
  return real_name(place.value().path);
}

Status check_no_log(std::string_view option, const std::string& path, const std::string& input) {
  const std::filesystem::path file = replaced_by(path);
  if (file.empty() || !formats::sqlite::is_log_of_database(file.string(), input)) return {};
  return usage_error(
      fmt::format("the output '{}' has the name of a log of the input '{}'", path, input),
      fmt::format("Choose another name with {}", option));
}

Error share_a_file(const NamedOutput& one, const NamedOutput& other) {
  return usage_error(
      fmt::format("{} and {} name the same file, '{}'", one.option, other.option, other.path),
      "Each needs one of its own");
}

// Other files may lie beside the tables in it.
Status check_beside_tables(const NamedOutput& folder, const NamedOutput& output) {
  std::error_code failure;
  const bool is_folder = std::filesystem::is_directory(output.path, failure);
  const std::filesystem::path place = is_folder ? real_name(output.path) : replaced_by(output.path);
  const std::filesystem::path tables = real_name(folder.path);
  if (place.empty() || tables.empty()) return {};
  if (place == tables) return share_a_file(folder, output);
  if (place.parent_path() != tables || place.extension() != ".csv") return {};
  return usage_error(fmt::format("{} names '{}', which may be a table of {}", output.option,
                                 output.path, folder.option),
                     "Choose another name or folder");
}

Status make_folder(const std::string& folder) {
  std::error_code failure;
  if (std::filesystem::is_directory(folder, failure)) return {};
  if (std::filesystem::exists(folder, failure)) {
    return output_error(folder, "is no directory", "Name one, or one that can be made");
  }
  std::filesystem::create_directory(folder, failure);  // or another process has, just now
  if (!failure) return {};
  return io::cannot_be_written(folder, failure.value());
}

// A user may have 1,024 as a rule.
constexpr std::size_t kMostOpenFiles = 128;

Status close_each(const std::vector<std::unique_ptr<io::ByteSink>>& sinks) {
  for (const auto& sink : sinks) LOCKSTEP_RETURN_IF_ERROR(sink->close());
  return {};
}

}  // namespace

Status check_no_input(std::string_view option, const std::string& path, const std::string& input) {
  if (!io::is_same_file(input, path)) return check_no_log(option, path, input);
  const std::string name = path == "-" ? "standard output" : fmt::format("'{}'", path);
  return usage_error(fmt::format("the output {} is an input", name),
                     fmt::format("Choose another name with {}", option));
}

Status check_extra_output(std::string_view option, const std::string& path,
                          std::span<const std::string> inputs) {
  if (path.empty()) return usage_error(fmt::format("the name after {} is empty", option));
  if (io::is_standard_output(path)) {
    return usage_error(
        fmt::format("{} cannot go to standard output, where the report goes", option),
        "Name a file");
  }
  for (const std::string& input : inputs) {
    LOCKSTEP_RETURN_IF_ERROR(check_no_input(option, path, input));
  }
  return {};
}

Status check_extra_output(std::string_view option, const std::string& path,
                          std::span<const formats::input::InputFacts> inputs) {
  for (const formats::input::InputFacts& input : inputs) {
    for (const std::string& file : input.files) {
      LOCKSTEP_RETURN_IF_ERROR(check_no_input(option, path, file));
    }
  }
  return {};
}

Status check_two_outputs(const NamedOutput& one, const NamedOutput& other) {
  if (one.is_folder) return check_beside_tables(one, other);
  if (other.is_folder) return check_beside_tables(other, one);
  const std::filesystem::path file = replaced_by(one.path);
  if (file.empty() || file != replaced_by(other.path)) return {};
  return share_a_file(one, other);
}

Status check_xlsx_name(const std::string& path) {
  if (path.ends_with(".xlsx")) return {};
  return usage_error(fmt::format("--xlsx '{}' does not end in .xlsx", path),
                     "Spreadsheets do not open it then");
}

Status write_folder(const std::string& folder, std::span<const report::sinks::CsvFile> files) {
  LOCKSTEP_RETURN_IF_ERROR(make_folder(folder));
  std::vector<std::unique_ptr<io::ByteSink>> written;
  for (const report::sinks::CsvFile& file : files) {
    const std::string path = (std::filesystem::path(folder) / file.name).string();
    LOCKSTEP_ASSIGN_OR_RETURN(std::unique_ptr<io::ByteSink> sink, io::open_output(path));
    LOCKSTEP_RETURN_IF_ERROR(sink->write(file.content));
    written.push_back(std::move(sink));
    if (written.size() < kMostOpenFiles) continue;
    LOCKSTEP_RETURN_IF_ERROR(close_each(written));
    written.clear();
  }
  return close_each(written);
}

}  // namespace lockstep::cli
