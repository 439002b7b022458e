// Any bytes as the files of one Ascend profile: no crash, a consistent trace or a sentence, and as
// many events whether arguments are kept or not. A byte 0x1E and a letter begin each file.
#include "formats/ascend_text/ascend_bundle.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>

#include "formats/ascend_text/ascend_text_reader.h"
#include "formats/chrome_json/chrome_json_reader.h"
#include "io/input.h"
#include "trace_check.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

struct NamedFile {
  char letter;
  std::string_view path;
};
constexpr std::array kFiles = {
    NamedFile{'t', "ASCEND_PROFILER_OUTPUT/trace_view.json"},
    NamedFile{'k', "ASCEND_PROFILER_OUTPUT/kernel_details.csv"},
    NamedFile{'c', "ASCEND_PROFILER_OUTPUT/communication.json"},
    NamedFile{'x', "ASCEND_PROFILER_OUTPUT/communication_matrix.json"},
    NamedFile{'s', "ASCEND_PROFILER_OUTPUT/step_trace_time.csv"},
    NamedFile{'p', "ASCEND_PROFILER_OUTPUT/op_statistic.csv"},
    NamedFile{'a', "ASCEND_PROFILER_OUTPUT/api_statistic.csv"},
    NamedFile{'r', "profiler_info_5.json"},
    NamedFile{'d', "profiler_metadata.json"},
    NamedFile{'0', "PROF_1/mindstudio_profiler_output/msprof_slice_0_1.json"},
    NamedFile{'1', "PROF_1/mindstudio_profiler_output/msprof_slice_1_1.json"},
    NamedFile{'2', "PROF_1/mindstudio_profiler_output/msprof_slice_2_1.json"},
    NamedFile{'o', "PROF_1/mindstudio_profiler_output/op_summary_1.csv"},
    NamedFile{'m', "PROF_1/mindstudio_profiler_output/task_time_1.csv"},
    NamedFile{'w', "PROF_1/host/data/raw"},
};

// The folder of the profile; one a process, emptied for each input.
const fs::path& root() {
  static const fs::path made = [] {
    std::string name = (fs::temp_directory_path() / "ascend_bundle_XXXXXX").string();
    LOCKSTEP_FUZZ_CHECK(mkdtemp(name.data()) != nullptr);
    static const std::string kept = name;
    std::atexit([] {
      std::error_code ignored;
      fs::remove_all(kept, ignored);
    });
    const fs::path worker = fs::path(name) / "h_1_2_ascend_pt";
    for (const NamedFile& file : kFiles) fs::create_directories((worker / file.path).parent_path());
    return worker;
  }();
  return made;
}

void write_files(std::string_view bytes) {
  constexpr char kSeparator = 0x1E;
  for (const NamedFile& file : kFiles) fs::remove(root() / file.path);
  std::size_t at = bytes.find(kSeparator);
  while (at != std::string_view::npos && at + 1 < bytes.size()) {
    const std::size_t end = bytes.find(kSeparator, at + 2);
    for (const NamedFile& file : kFiles) {
      if (file.letter != bytes[at + 1]) continue;
      std::ofstream(root() / file.path, std::ios::binary) << bytes.substr(at + 2, end - at - 2);
    }
    at = end;
  }
}

void check_collectives(const trace::Trace& trace) {
  std::size_t next = 0;
  for (const trace::Collective& collective : trace.collectives) {
    const std::size_t row = trace::index_of(collective.event);
    LOCKSTEP_FUZZ_CHECK(row >= next && trace.events.kind[row] == trace::Kind::kCommunication);
    next = row + 1;
  }
}

std::size_t events_read(bool keep_arguments, std::size_t chunk_bytes) {
  formats::shared::ReadOptions options;
  options.keep_arguments =
      keep_arguments ? trace::KeepArguments::kAll : trace::KeepArguments::kNone;
  options.chunk_bytes = chunk_bytes;
  auto list = io::list_files(root().parent_path().string());
  LOCKSTEP_FUZZ_CHECK(list.ok());
  std::vector<std::string> files = std::move(list).value().files;
  const formats::shared::BundleFormat format = formats::ascend_text::ascend_bundle_format();
  trace::Trace trace;
  const formats::shared::ReadFile read_file = [&](const std::string& path,
                                                  trace::Trace& into) -> Status {
    LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<io::Input> input, io::Input::open(path));
    return formats::chrome_json::chrome_json_format().read(*input, path, options, into);
  };
  for (const formats::shared::Bundle& bundle : format.claim(root().parent_path().string(), files)) {
    const Status status = format.read(bundle, options, read_file, trace);
    if (status.ok()) continue;
    LOCKSTEP_FUZZ_CHECK(!status.error().text().empty());
    LOCKSTEP_FUZZ_CHECK(trace.ranks.empty() && trace.tracks.empty() && trace.events.size() == 0);
  }
  LOCKSTEP_FUZZ_CHECK(trace.ranks.size() <= 1);
  check_trace(trace);
  check_collectives(trace);
  return trace.events.size();
}

}  // namespace
}  // namespace lockstep

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  write_files({reinterpret_cast<const char*>(data), size});
  constexpr std::size_t kSmallChunk = 7;
  constexpr std::size_t kLargeChunk = 256 * 1024;
  LOCKSTEP_FUZZ_CHECK(events_read(false, kLargeChunk) == events_read(true, kSmallChunk));
  return 0;
}
