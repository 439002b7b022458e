// Cuts in the middle first; what that makes alike is cut again.
#include "report/layout/shorten_apart.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "base/utf8.h"
#include "report/layout/text_width.h"

namespace lockstep::report::layout {
namespace {

using Texts = std::set<std::string_view>;

// Bytes that all of them begin with, whole characters.
std::size_t common_beginning(const Texts& texts) {
  const std::string_view first = *texts.begin();
  std::size_t common = first.size();
  for (const std::string_view text : texts) {
    const auto end = std::ranges::mismatch(first, text).in1;
    common = std::min(common, static_cast<std::size_t>(end - first.begin()));
  }
  return cut_between_characters(first, common).size();
}

// A third for the beginning, the rest from where the texts begin to differ.
std::string cut_at(std::string_view text, std::size_t differs, std::size_t width) {
  const std::size_t front = width / 3;
  const std::size_t back = width - front - 1;
  const std::string_view rest = text.substr(differs);
  const std::string beginning = shorten_end(text.substr(0, differs), front);
  if (display_width(rest) <= back) return beginning + std::string(kEllipsis) + std::string(rest);
  return beginning + std::string(kEllipsis) + shorten_end(rest, back - 1) + std::string(kEllipsis);
}

std::string numbered(std::string_view text, std::size_t number, std::size_t width) {
  const std::string end = fmt::format(" #{}", number);
  return shorten_middle(text, width - std::min(width, end.size())) + end;
}

}  // namespace

std::vector<std::string> shorten_apart(std::span<const std::string> texts, std::size_t width) {
  std::map<std::string, Texts> by_cut;
  for (const std::string& text : texts) by_cut[shorten_middle(text, width)].insert(text);
  std::map<std::string_view, std::string> shown;
  std::set<std::string> taken;
  for (const auto& [cut, alike] : by_cut) {
    if (alike.size() > 1) continue;
    shown[*alike.begin()] = cut;
    taken.insert(cut);
  }
  for (const auto& [cut, alike] : by_cut) {
    if (alike.size() == 1) continue;
    const std::size_t differs = common_beginning(alike);
    std::size_t number = 1;  // of the last that had to be numbered
    for (const std::string_view text : alike) {
      std::string one = width < 4 ? cut : cut_at(text, differs, width);
      while (!taken.insert(one).second) {
        one = numbered(text, ++number, width);
        if (number > 2 * texts.size() + 1) break;  // no room for numbers
      }
      shown[text] = std::move(one);
    }
  }
  std::vector<std::string> out;
  for (const std::string& text : texts) out.push_back(shown[text]);
  return out;
}

}  // namespace lockstep::report::layout
