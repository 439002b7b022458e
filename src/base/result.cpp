// Sentences and constructors of Error.
#include "base/result.h"

#include "base/one_line.h"

namespace lockstep {

std::string Error::text() const {
  std::string out;
  if (!where.empty()) out += where + ": ";
  out += message;
  if (!hint.empty()) out += (message.ends_with('?') ? " " : ". ") + hint;
  return one_line(out);
}

Error input_error(std::string where, std::string message, std::string hint) {
  return {ErrorCode::kInput, std::move(message), std::move(where), std::move(hint)};
}

Error output_error(std::string where, std::string message, std::string hint) {
  return {ErrorCode::kOutput, std::move(message), std::move(where), std::move(hint)};
}

Error usage_error(std::string message, std::string hint) {
  return {ErrorCode::kUsage, std::move(message), {}, std::move(hint)};
}

}  // namespace lockstep
