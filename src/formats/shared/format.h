// What a format is to the rest of the program: a name, a sniffer and a reader.
//
// input/builtin_formats.cpp lists all formats, the dialects of SQLite and the formats of
// directories. To add one: a folder, a function that returns its Format, one line in that list.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/byte_source.h"
#include "trace/evidence.h"
#include "trace/trace.h"

namespace lockstep::formats::sqlite {
class SqliteFile;
}

namespace lockstep::formats::shared {

struct ReadOptions {
  trace::KeepArguments keep_arguments =
      trace::KeepArguments::kNone;       // what Trace::arguments is filled with
  std::size_t chunk_bytes = 256 * 1024;  // how the stream is cut; tests make it tiny
  std::function<void(std::uint64_t raw_bytes)> on_progress;  // called now and then
};

struct Sniff {
  enum class Verdict { kNo, kMaybe, kYes };
  Verdict verdict = Verdict::kNo;
  std::optional<Error> refusal = {};  // "I know what this is, and it cannot be read"
  bool is_damaged = false;            // what is refused was a trace
};

struct Format {
  std::string_view name;
  // Judges the first inflated bytes (at most kSniffBytes); `path` only for words.
  Sniff (*sniff)(std::string_view head, std::string_view path);
  // Appends one rank to `trace` (or more, for formats that hold several).
  Status (*read)(io::ByteSource& bytes, const std::string& path, const ReadOptions& options,
                 trace::Trace& trace);
};

// A dialect of SQLite: one profiler's tables. sqlite_format.cpp opens the file and asks each.
struct SqliteDialect {
  std::string_view name;
  bool (*recognises)(const sqlite::SqliteFile& file);
  Status (*read)(sqlite::SqliteFile& file, const ReadOptions& options, trace::Trace& trace);
};

// Files that only together are a trace: what an Ascend profiler leaves in a directory.
struct Bundle {
  std::string root;                // what people call it
  std::vector<std::string> files;  // sorted
};

// Reads one file of a bundle in its own format, as one more rank of the trace.
using ReadFile = std::function<Status(const std::string& path, trace::Trace& trace)>;

struct BundleFormat {
  std::string_view name;
  // Takes the files that belong together out of `files` (sorted paths below `directory`, which is
  // what was given), one bundle a rank.
  std::vector<Bundle> (*claim)(std::string_view directory, std::vector<std::string>& files);
  // Appends one rank to `trace`.
  Status (*read)(const Bundle& bundle, const ReadOptions& options, const ReadFile& read_file,
                 trace::Trace& trace);
};

}  // namespace lockstep::formats::shared
