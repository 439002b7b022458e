// Splitting function names: brackets are counted, operators and unnamed scopes stepped over.
#include "analysis/kernels/function_name.h"

#include <algorithm>

#include "base/letters.h"

namespace lockstep::analysis::kernels {
namespace {

constexpr std::string_view kOperator = "operator";
constexpr std::string_view kUnnamed = "(anonymous namespace)";
constexpr std::string_view kEnableIf = "std::enable_if<";
constexpr std::string_view kResultEnd = "::type ";
constexpr std::string_view kClone = " [clone .";
constexpr std::string_view kSuffix = " (.";

// The end of an operator's name whose symbols begin at `at`; `at` itself where there is none.
std::size_t operator_end(std::string_view name, std::size_t at) {
  if (!name.substr(0, at).ends_with(kOperator)) return at;
  if (name.substr(at).starts_with("()")) return at + 2;
  return std::min(name.find_first_not_of("<>=-", at), name.size());
}

bool begins_a_name(std::string_view name, std::size_t at) {
  constexpr std::string_view kBefore = " :(,";
  return at == 0 || kBefore.contains(name[at - 1]);
}

bool is_suffix_sign(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '.'; }

std::string_view without_result(std::string_view name) {
  if (!name.starts_with(kEnableIf)) return name;
  const std::size_t end = name.find(kResultEnd);
  return end == std::string_view::npos ? name : name.substr(end + kResultEnd.size());
}

}  // namespace

std::size_t template_start(std::string_view name) {
  std::size_t at = name.find('<');
  while (at != std::string_view::npos) {
    const std::size_t after = operator_end(name, at);
    if (after == at && !begins_a_name(name, at)) return at;
    at = name.find('<', std::max(after, at + 1));
  }
  return std::string_view::npos;
}

std::string_view without_clones(std::string_view name) {
  while (name.ends_with(']') || name.ends_with(')')) {
    const std::string_view opening = name.ends_with(']') ? kClone : kSuffix;
    const std::size_t at = name.rfind(opening);
    if (at == std::string_view::npos || at == 0) break;
    const std::string_view inside = name.substr(at + opening.size());
    if (!std::ranges::all_of(inside.substr(0, inside.size() - 1), is_suffix_sign)) break;
    name = name.substr(0, at);
  }
  return name;
}

std::string_view without_parameters(std::string_view name) {
  name = without_result(name);
  std::size_t depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c != '<' && c != '>' && c != '(') continue;
    const std::size_t after = operator_end(name, i);
    if (after != i) {
      i = after - 1;
    } else if (c == '<') {
      ++depth;
    } else if (c == '>') {
      if (depth > 0) --depth;
    } else if (name.substr(i).starts_with(kUnnamed)) {
      i += kUnnamed.size() - 1;
    } else if (depth == 0 && i > 0) {
      return name.substr(0, i);
    }
  }
  return name;
}

}  // namespace lockstep::analysis::kernels
