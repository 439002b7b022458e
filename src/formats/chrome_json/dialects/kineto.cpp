// How Kineto is told. Its categories say all of its lanes; the years differ in their header and in
// the spelling of categories, which shared/event_categories.h knows.
#include "formats/chrome_json/dialects/kineto.h"

#include "formats/chrome_json/map/event_mapper.h"

namespace lockstep::formats::chrome_json {
namespace {

class KinetoDialect : public Dialect {
 public:
  [[nodiscard]] bool recognises(const MappedFile& file) const override {
    return file.header.has_kineto_key || file.mapper.evidence().has_kineto_category;
  }
  [[nodiscard]] std::string_view format() const override { return "kineto"; }
};

}  // namespace

const Dialect& kineto_dialect() {
  static const KinetoDialect dialect;
  return dialect;
}

}  // namespace lockstep::formats::chrome_json
