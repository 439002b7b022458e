// Finds the last complete entry by its brackets and closes those around it.
#include "formats/kernel_profile/other_tools/cut_json.h"

#include <cstddef>

namespace lockstep::formats::kernel_profile {
namespace {

// Entries of a list in the root lie two brackets deep.
constexpr std::size_t kEntryDepth = 2;

// Behind the closing quote; npos where there is none.
std::size_t end_of_string(std::string_view text, std::size_t quote) {
  for (std::size_t at = quote + 1; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      return at + 1;
    }
  }
  return std::string_view::npos;
}

}  // namespace

std::optional<std::string> json_before_cut(std::string_view text) {
  std::string closers;        // of the brackets that are open
  std::size_t complete = 0;   // where the last entry ends
  std::size_t open_then = 0;  // brackets; they are open still, else that end would be the last one
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      const std::size_t end = end_of_string(text, at);
      if (end == std::string_view::npos) break;
      at = end - 1;
    } else if (c == '{' || c == '[') {
      closers += c == '{' ? '}' : ']';
    } else if (c == '}' || c == ']') {
      if (closers.empty() || closers.back() != c) return std::nullopt;
      closers.pop_back();
      if (closers.size() > kEntryDepth) continue;
      complete = at + 1;
      open_then = closers.size();
    }
  }
  if (closers.empty() || complete == 0) return std::nullopt;
  std::string document(text.substr(0, complete));
  document.append(closers.rend() - static_cast<std::ptrdiff_t>(open_then), closers.rend());
  return document;
}

}  // namespace lockstep::formats::kernel_profile
