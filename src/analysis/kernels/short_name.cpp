// What of a name can be left out, one part after the other.
#include "analysis/kernels/short_name.h"

#include "analysis/kernels/function_name.h"
#include "base/text.h"
#include "base/utf8.h"

namespace lockstep::analysis::kernels {
namespace {

constexpr std::size_t kLongestName = 64;

// "at::native::(anonymous namespace)::kernel" -> "kernel"
std::string_view without_namespaces(std::string_view name) {
  const std::size_t at = name.rfind("::", name.find('<'));
  return at == std::string_view::npos ? name : name.substr(at + 2);
}

}  // namespace

std::string short_name(std::string_view name) {
  constexpr std::string_view kResult = "void ";
  const std::string text = demangled(name);
  // "Memcpy HtoD (Pageable -> Device)" has no parameters.
  const bool is_function = text.find("->") == std::string::npos;
  std::string_view rest = is_function ? without_parameters(text) : std::string_view(text);
  if (rest.starts_with(kResult)) rest.remove_prefix(kResult.size());
  while (rest.ends_with(' ')) rest.remove_suffix(1);
  std::string result(rest);
  if (result.size() > kLongestName) {
    const std::size_t from = template_start(rest);
    if (from != std::string_view::npos) result = std::string(rest.substr(0, from)) + "<...>";
  }
  if (result.size() > kLongestName) result = without_namespaces(result);
  result = valid_utf8(result);
  if (result.size() <= kLongestName) return result;
  return std::string(cut_between_characters(result, kLongestName - 3)) + "...";
}

}  // namespace lockstep::analysis::kernels
