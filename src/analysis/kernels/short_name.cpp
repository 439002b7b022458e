// What of a name can be left out, one part after the other.
#include "analysis/kernels/short_name.h"

#include <algorithm>
#include <array>

#include "analysis/kernels/function_name.h"
#include "base/text.h"

namespace lockstep::analysis::kernels {
namespace {

constexpr std::size_t kLongestName = 64;
constexpr std::string_view kVoidResult = "void ";
constexpr std::array<std::string_view, 2> kUnnamedScopes = {"(anonymous namespace)::",
                                                            "<unnamed>::"};

// Without parameters and result.
std::string_view function_in(std::string_view name) {
  // "Memcpy HtoD (Pageable -> Device)" has no parameters.
  const bool is_function = name.find("->") == std::string_view::npos;
  if (is_function) name = without_parameters(name);
  while (name.ends_with(' ')) name.remove_suffix(1);
  if (name.starts_with(kVoidResult)) name.remove_prefix(kVoidResult.size());
  return name;
}

// "at::native::(anonymous namespace)::kernel" -> "kernel"
std::string_view without_namespaces(std::string_view name) {
  const std::size_t at = name.rfind("::", name.find('<'));
  return at == std::string_view::npos ? name : name.substr(at + 2);
}

}  // namespace

std::string readable_name(std::string_view demangled_name) {
  std::string_view rest = function_in(demangled_name);
  std::string out;
  while (!rest.empty()) {
    const auto* const skipped = std::ranges::find_if(
        kUnnamedScopes, [&](std::string_view part) { return rest.starts_with(part); });
    if (skipped == kUnnamedScopes.end()) out += rest.front();
    rest.remove_prefix(skipped == kUnnamedScopes.end() ? 1 : skipped->size());
  }
  return out.empty() ? std::string(demangled_name) : out;
}

std::string short_name(std::string_view name) {
  const std::string text = demangled(name);
  const std::string_view rest = function_in(text);
  std::string result(rest);
  if (result.size() > kLongestName) {
    const std::size_t from = template_start(rest);
    if (from != std::string_view::npos) result = std::string(rest.substr(0, from)) + "<...>";
  }
  if (result.size() > kLongestName) result = without_namespaces(result);
  result = valid_utf8(result);
  return result.size() <= kLongestName ? result : beginning_of(result, kLongestName - 3);
}

}  // namespace lockstep::analysis::kernels
