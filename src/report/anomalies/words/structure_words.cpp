// Words for each kind of structure.
#include "report/anomalies/words/structure_words.h"

#include <string_view>
#include <variant>

#include <fmt/format.h>

namespace lockstep::report::anomalies {
namespace {

using analysis::anomalies::AnnotationStem;
using analysis::anomalies::LoopBody;
using analysis::anomalies::PartBetweenGaps;
using analysis::anomalies::RestOfStep;
using analysis::anomalies::WholeStep;
using analysis::cycles::LoopRole;
using analysis::cycles::PhaseName;

// "layer", "forward layer", "iteration"
std::string body_words(const LoopBody& body) {
  const std::string_view role =
      body.role == LoopRole::kUnknown ? std::string_view("iteration") : name_of(body.role);
  return body.phase == PhaseName::kUnknown ? std::string(role)
                                           : fmt::format("{} {}", name_of(body.phase), role);
}

struct TypeWords {
  std::string operator()(const WholeStep&) const { return "step"; }
  std::string operator()(RestOfStep rest) const {
    switch (rest) {
      case RestOfStep::kHead:
        return "head";
      case RestOfStep::kBetween:
        return "between";
      case RestOfStep::kTail:
        break;
    }
    return "tail";
  }
  std::string operator()(const LoopBody& body) const {
    const std::string alike = body.alike > 1 ? fmt::format(" ({})", body.alike) : "";
    return fmt::format("{}, {} {}{}", body_words(body), body.kernels,
                       body.kernels == 1 ? "kernel" : "kernels", alike);
  }
  std::string operator()(const AnnotationStem& stem) const { return stem.name; }
  std::string operator()(const PartBetweenGaps&) const { return "part"; }
};

}  // namespace

std::string structure_type_words(const analysis::anomalies::StructureKind& kind) {
  return std::visit(TypeWords{}, kind);
}

std::string structure_words(const analysis::anomalies::StructureName& name) {
  if (const auto* body = std::get_if<LoopBody>(&name.kind))
    return fmt::format("{} {}", body_words(*body), name.number);
  const std::string type = structure_type_words(name.kind);
  if (std::holds_alternative<PartBetweenGaps>(name.kind))
    return fmt::format("{} {}", type, name.number);
  if (!std::holds_alternative<AnnotationStem>(name.kind)) return type;
  return name.annotation == type ? fmt::format("{} {}", type, name.number) : name.annotation;
}

}  // namespace lockstep::report::anomalies
