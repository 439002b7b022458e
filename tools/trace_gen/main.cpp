// lockstep-tracegen: writes a Kineto trace of any size, and what is known to be in it.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "byte_sink.h"
#include "kineto_emitter.h"
#include "options.h"
#include "truth.h"
#include "workload.h"

namespace lockstep::tracegen {
namespace {

constexpr int kExitUsage = 2;
constexpr int kExitIo = 3;

int fail(int code, std::string_view sentence) {
  fmt::print(stderr, "lockstep-tracegen: {}\n", sentence);
  return code;
}

int fail_writing(const std::string& path, int error) {
  const std::string name = path == "-" ? "standard output" : path;
  return fail(kExitIo, fmt::format("cannot write {}: {}.", name, std::strerror(error)));
}

// An output descriptor that is closed at the end, unless it is standard output.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path)
      : descriptor_(path == "-" ? STDOUT_FILENO
                                : ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666)),
        error_(descriptor_ < 0 ? errno : 0) {}
  ~OutputFile() {
    if (descriptor_ > STDERR_FILENO) ::close(descriptor_);
  }
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  int descriptor() const { return descriptor_; }
  int error() const { return error_; }

 private:
  int descriptor_;
  int error_;
};

bool wants_more(const Options& options, const ByteSink& sink, const Workload& workload) {
  if (sink.error() != 0) return false;
  if (options.size_bytes) return sink.bytes() < *options.size_bytes;
  return workload.passes_generated() < options.passes;
}

int write_truth(const std::string& path, const std::string& document) {
  const OutputFile file(path);
  if (file.error() != 0) return fail_writing(path, file.error());
  ByteSink sink(file.descriptor());
  sink.append(document);
  sink.flush();
  return sink.error() == 0 ? 0 : fail_writing(path, sink.error());
}

int generate(const Options& options) {
  const OutputFile file(options.output);
  if (file.error() != 0) return fail_writing(options.output, file.error());
  ByteSink sink(file.descriptor());
  Workload workload(options);
  Truth truth(options, workload.plan());
  KinetoEmitter emitter(options, sink, truth);
  Pass pass;
  emitter.header();
  do {
    workload.generate_next(pass);
    emitter.pass(pass);
  } while (wants_more(options, sink, workload));
  emitter.footer();
  sink.flush();
  if (sink.error() == EPIPE) return 0;  // whoever read had enough
  if (sink.error() != 0) return fail_writing(options.output, sink.error());
  if (options.truth_path.empty()) return 0;
  return write_truth(options.truth_path, truth.to_json(emitter.first_ts_ns()));
}

// What was typed and needs a look of its own before it is an option.
struct RawText {
  std::string size;
  std::vector<std::string> quirks;
};

// CLI11 reads "-1" into an unsigned number without complaint, so the sign is refused here.
template <typename Number>
CLI::Option* add_number(CLI::App& app, const std::string& name, Number& value,
                        const std::string& help) {
  return app.add_option(name, value, help)->check([](const std::string& text) {
    return text.starts_with('-') ? fmt::format("{} is negative; it must not be.", text)
                                 : std::string();
  });
}

void declare_options(CLI::App& app, Options& options, RawText& raw) {
  app.add_option("-o,--output", options.output, "file to write; - is standard output");
  auto* size = app.add_option("--size", raw.size,
                              "stop after the pass that reaches this size: bytes, or 10M, 1G "
                              "(powers of 1024)");
  add_number(app, "--passes", options.passes, "passes (steps) to write")->excludes(size);
  add_number(app, "--layers", options.layers, "layers of a pass");
  add_number(app, "--streams", options.streams, "streams of a device: compute, comm, then more");
  add_number(app, "--devices", options.devices, "devices, each with its own host thread");
  add_number(app, "--world", options.world, "ranks; above 1 every layer has a collective");
  add_number(app, "--rank", options.rank, "which of the ranks this trace is of");
  add_number(app, "--stall-every", options.stall_every,
             "the host sleeps before the work of passes N, 2N, ... (0: never)");
  add_number(app, "--stall-us", options.stall_us, "how long it sleeps");
  add_number(app, "--python-share", options.python_share,
             "per cent of the events that are Python frames, 0 to 80");
  add_number(app, "--seed", options.seed, "same seed, same bytes");
  app.add_option("--truth", options.truth_path, "file for what is known to be in the trace, JSON");
  app.add_option("--quirk", raw.quirks,
                 fmt::format("oddity to add, may be repeated: {}", fmt::join(quirk_names(), ", ")));
}

// Fills what the raw text stands for; the sentence says what is wrong, if anything.
std::string resolve(const RawText& raw, Options& options) {
  if (!raw.size.empty()) {
    options.size_bytes = parse_size(raw.size);
    if (!options.size_bytes) {
      return fmt::format("--size '{}' is not a size; write bytes, or 10M, 1G, 5G.", raw.size);
    }
  }
  for (const std::string& name : raw.quirks) {
    if (set_quirk(options.quirks, name)) continue;
    return fmt::format("there is no quirk '{}'; there are {}.", name,
                       fmt::join(quirk_names(), ", "));
  }
  return complaint(options);
}

int run(int argc, char** argv) {
  Options options;
  RawText raw;
  CLI::App app{"Writes a Kineto trace of any size with known truth, the same bytes for a seed."};
  app.get_formatter()->column_width(28);
  app.option_defaults()->always_capture_default();
  declare_options(app, options, raw);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    return fail(kExitUsage, error.what());
  }
  const std::string sentence = resolve(raw, options);
  if (!sentence.empty()) return fail(kExitUsage, sentence);
  return generate(options);
}

}  // namespace
}  // namespace lockstep::tracegen

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of write(2), handled in generate
  return lockstep::tracegen::run(argc, argv);
}
