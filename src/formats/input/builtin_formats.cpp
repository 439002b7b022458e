// The list of all formats that can be read.
#include "formats/input/builtin_formats.h"

#include <array>

#include "formats/ascend_sqlite/ascend_sqlite.h"
#include "formats/ascend_text/ascend_bundle.h"
#include "formats/ascend_text/ascend_text_reader.h"
#include "formats/chrome_json/chrome_json_reader.h"
#include "formats/input/sqlite_format.h"
#include "formats/nsys_sqlite/nsys_sqlite.h"
#include "formats/perfetto/perfetto_reader.h"
#include "formats/rocpd/rocpd_dialect.h"
#include "formats/rocprofv3_json/rocprofv3_json_reader.h"
#include "formats/rpd/rpd_dialect.h"
#include "formats/shared/format.h"
#include "formats/xspace/xspace_reader.h"

namespace lockstep::formats::input {

std::span<const shared::Format> builtin_formats() {
  // The first that is sure wins, else the first that may be: rocprofv3's JSON and Ascend's before
  // Chrome JSON, which may be any JSON; XSpace before Perfetto, which begins with the same byte.
  static const std::array kFormats = {
      sqlite_format(),
      xspace::xspace_format(),
      rocprofv3_json::rocprofv3_json_format(),
      ascend_text::ascend_text_format(),
      chrome_json::chrome_json_format(),
      perfetto::perfetto_format(),
  };
  return kFormats;
}

std::span<const shared::SqliteDialect> builtin_sqlite_dialects() {
  static const std::array kDialects = {
      ascend_sqlite::ascend_sqlite_dialect(),
      nsys_sqlite::nsys_sqlite_dialect(),
      rocpd::rocpd_dialect(),
      rpd::rpd_dialect(),
  };
  return kDialects;
}

std::span<const shared::BundleFormat> builtin_bundle_formats() {
  static const std::array kFormats = {ascend_text::ascend_bundle_format()};
  return kFormats;
}

}  // namespace lockstep::formats::input
