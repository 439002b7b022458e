// The list of dialects.
#include "formats/chrome_json/dialects/dialect.h"

#include <array>

#include "formats/chrome_json/dialects/ascend_lanes.h"
#include "formats/chrome_json/dialects/jax.h"
#include "formats/chrome_json/dialects/kineto.h"
#include "formats/chrome_json/dialects/proton.h"
#include "formats/chrome_json/dialects/rocprof_v1.h"

namespace lockstep::formats::chrome_json {
namespace {

// Chrome's own, and that of every tool that adds nothing to it.
class PlainDialect : public Dialect {
 public:
  [[nodiscard]] bool recognises(const MappedFile& /*file*/) const override { return true; }
  [[nodiscard]] std::string_view format() const override { return "chrome"; }
};

}  // namespace

// Who can be told for certain comes first.
std::span<const Dialect* const> all_dialects() {
  static const PlainDialect plain;
  static const std::array<const Dialect*, 6> list = {
      &rocprof_v1_dialect(), &ascend_dialect(), &jax_dialect(),
      &proton_dialect(),     &kineto_dialect(), &plain,
  };
  return list;
}

}  // namespace lockstep::formats::chrome_json
