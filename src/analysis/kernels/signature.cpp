// Kernel signatures: the specification's rules, on the function's name alone.
#include "analysis/kernels/signature.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "analysis/kernels/function_name.h"
#include "base/letters.h"
#include "base/text.h"

namespace lockstep::analysis::kernels {
namespace {

// What begins the configuration of a kernel that was built for one problem.
constexpr std::array<std::string_view, 12> kConfigurations = {
    "_GROUP_K_",    "_GROUP_N_",    "_GROUP_SIZE_",    "_SPLITK_BLOCK_SIZE_",
    "_BLOCK_SIZE_", "_NUM_KSPLIT_", "_ACTUAL_KSPLIT_", "_MAX_KSPLIT_",
    "_GRID_MN_",    "_GRID_",       "_EVEN_K_",        "_cache_modifier_"};

// Variants of AMD's hand-written kernels. They count as the last words of a name only.
constexpr std::array<std::string_view, 5> kVariants = {"_1tg_ps", "_1tg", "_ps", "_novs", "_vs"};

// Shorter rests would throw unlike kernels together.
constexpr std::size_t kShortestSignature = 3;

std::size_t digits_at(std::string_view text, std::size_t at) {
  std::size_t n = 0;
  while (at + n < text.size() && is_digit(text[at + n])) ++n;
  return n;
}

void cut_configuration(std::string_view& text) {
  for (const std::string_view marker : kConfigurations) text = text.substr(0, text.find(marker));
}

// "gemm_bf16_128x64_tn" -> "gemm_bf16": at the last tile size.
void cut_tile(std::string_view& text) {
  for (std::size_t at = text.rfind('_'); at != std::string_view::npos && at > 0;
       at = text.rfind('_', at - 1)) {
    const std::size_t rows = digits_at(text, at + 1);
    const std::size_t x = at + 1 + rows;
    if (rows > 0 && x < text.size() && text[x] == 'x' && digits_at(text, x + 1) > 0) {
      text = text.substr(0, at);
      return;
    }
  }
}

bool cut_variant(std::string_view& text) {
  const auto ends = [&](std::string_view variant) { return text.ends_with(variant); };
  const auto* const found = std::ranges::find_if(kVariants, ends);
  if (found == kVariants.end()) return false;
  text.remove_suffix(found->size());
  return true;
}

// "_12" at the end: the number of a generated kernel.
bool cut_number(std::string_view& text) {
  std::size_t n = 0;
  while (n < text.size() && is_digit(text[text.size() - 1 - n])) ++n;
  if (n == 0 || n == text.size() || text[text.size() - 1 - n] != '_') return false;
  text.remove_suffix(n + 1);
  return true;
}

void trim_underscores(std::string_view& text) {
  while (text.starts_with('_')) text.remove_prefix(1);
  while (text.ends_with('_')) text.remove_suffix(1);
}

// The qualified name in a mangled one, for those that the demangler does not know (types newer than
// it): "_ZN5aiter4moveIDF16bEEvv" -> "aiter::move". Empty when it cannot be read.
std::string mangled_function(std::string_view name) {
  if (!name.starts_with("_Z")) return {};
  name.remove_prefix(name.starts_with("_ZN") ? 3 : 2);
  std::string out;
  for (std::size_t digits = digits_at(name, 0); digits > 0; digits = digits_at(name, 0)) {
    std::size_t length = 0;
    std::from_chars(name.data(), name.data() + digits, length);
    name.remove_prefix(digits);
    if (length == 0 || length > name.size()) return {};
    if (!out.empty()) out += "::";
    out += name.substr(0, length);
    name.remove_prefix(length);
  }
  return out;
}

std::string readable_name(std::string_view name) {
  std::string text = demangled(name);
  std::string function = mangled_function(text);
  return function.empty() ? text : function;
}

}  // namespace

std::string kernel_signature(std::string_view name) {
  const std::string readable = readable_name(name);
  std::string_view text = without_parameters(readable);
  text = text.substr(0, template_start(text));
  cut_configuration(text);
  cut_tile(text);
  while (cut_variant(text) || cut_number(text)) {
  }
  trim_underscores(text);
  if (text.size() >= kShortestSignature) return std::string(text);
  return readable.empty() ? std::string(name) : readable;
}

std::string name_without_numbers(std::string_view name) {
  std::string result;
  bool in_number = false;
  for (const char c : name) {
    if (!is_digit(c)) result += c;
    if (is_digit(c) && !in_number) result += '#';
    in_number = is_digit(c);
  }
  return result;
}

}  // namespace lockstep::analysis::kernels
