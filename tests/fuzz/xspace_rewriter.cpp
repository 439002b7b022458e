// Any bytes through the XSpace rewriter: an edit that keeps everything gives the same bytes or an
// error and nothing; what an edit that drops and shifts leaves is whole again.
#include "formats/xspace/write/xspace_rewriter.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "fuzz_check.h"

namespace lockstep {
namespace {

std::optional<std::string> rewritten(const std::string& bytes,
                                     const formats::xspace::XSpaceEdit& edit) {
  const formats::xspace::OpenXSpace open = [&]() -> Result<std::unique_ptr<io::ByteSource>> {
    return std::unique_ptr<io::ByteSource>(std::make_unique<io::MemorySource>(bytes));
  };
  io::MemorySink sink;
  if (!formats::xspace::rewrite_xspace(open, "fuzz", edit, sink).ok()) {
    LOCKSTEP_FUZZ_CHECK(sink.bytes().empty());
    return std::nullopt;
  }
  return sink.bytes();
}

}  // namespace
}  // namespace lockstep

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  formats::xspace::XSpaceEdit keep;
  keep.keep_event = [](const formats::xspace::XSpaceEvent&) { return true; };
  keep.shift_ns = [](std::string_view, std::string_view) { return 0; };
  const std::optional<std::string> same = rewritten(bytes, keep);
  LOCKSTEP_FUZZ_CHECK(!same || *same == bytes);

  formats::xspace::XSpaceCut cut;
  cut.start = 2'000'000;
  cut.end = 9'000'000;
  cut.devices = {{"0"}};
  formats::xspace::XSpaceEdit edit = formats::xspace::edit_for(cut);
  edit.shift_ns = [](std::string_view, std::string_view line) {
    return line.size() % 2 == 0 ? 1'000'000 : -7;
  };
  const std::optional<std::string> part = rewritten(bytes, edit);
  LOCKSTEP_FUZZ_CHECK(!same || part);  // a plane that goes may be damaged inside
  if (part) LOCKSTEP_FUZZ_CHECK(rewritten(*part, keep) == part);
  return 0;
}
