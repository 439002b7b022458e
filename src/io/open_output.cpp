// The sink that the name of an output asks for.
#include "io/byte_sink.h"
#include "io/compress/gzip_sink.h"
#include "io/compress/zstd_sink.h"

namespace lockstep::io {

Result<std::unique_ptr<ByteSink>> open_output(const std::string& path) {
  LOCKSTEP_ASSIGN_OR_RETURN(std::unique_ptr<ByteSink> file, open_uncompressed_output(path));
  if (path.ends_with(".gz")) return make_gzip_sink(std::move(file));
  if (path.ends_with(".zst")) return make_zstd_sink(std::move(file));
  return file;
}

}  // namespace lockstep::io
