// Outputs that are compressed with zstd or not at all.
#include "host/output.h"

#include <utility>

#include "io/compress/zstd_sink.h"

namespace lockstep::device {

Result<std::unique_ptr<io::ByteSink>> open_host_output(const std::string& path) {
  if (path.ends_with(".gz")) {
    Error error = usage_error("is not written: this library cannot compress with gzip",
                              "Choose a name without .gz, or one that ends in .zst");
    error.where = path;
    return error;
  }
  LOCKSTEP_ASSIGN_OR_RETURN(std::unique_ptr<io::ByteSink> file, io::open_uncompressed_output(path));
  if (path.ends_with(".zst")) return io::make_zstd_sink(std::move(file));
  return file;
}

}  // namespace lockstep::device
