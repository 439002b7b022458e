// Cuts in the middle first; what that makes alike is cut again.
#include "report/layout/shorten_apart.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "base/utf8.h"
#include "report/layout/text_width.h"

namespace lockstep::report::layout {
namespace {

constexpr std::size_t kMinCut = 4;  // columns; with less, texts are cut in one way only

struct Fitted {
  std::string_view text;
  std::size_t width = 0;

  auto operator<=>(const Fitted&) const = default;
};
using Texts = std::set<Fitted>;

bool is_one_text(const Texts& texts) { return texts.begin()->text == texts.rbegin()->text; }

// Bytes that all of them begin with, whole characters.
std::size_t common_beginning(const Texts& texts) {
  const std::string_view first = texts.begin()->text;
  std::size_t common = first.size();
  for (const Fitted& one : texts) {
    const auto end = std::ranges::mismatch(first, one.text).in1;
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

// Some of the beginning, of where the texts begin to differ, and of the end.
std::string cut_twice(std::string_view text, std::size_t differs, std::size_t width) {
  const std::size_t front = (width - 2) / 4;
  const std::string_view rest = text.substr(differs);
  const std::string beginning = shorten_end(text.substr(0, differs), front);
  return beginning + std::string(kEllipsis) + shorten_middle(rest, width - front - 1);
}

std::string numbered(std::string_view text, std::size_t number, std::size_t width) {
  const std::string end = fmt::format(" #{}", number);
  return shorten_middle(text, width - std::min(width, end.size())) + end;
}

// What each text looks like, and which text has which look.
class Looks {
 public:
  explicit Looks(std::size_t texts) : most_(2 * texts + 1) {}

  // Whether the look is free, or that of the text already.
  bool take(const Fitted& of, const std::string& look) {
    if (taken_.try_emplace(look, of.text).first->second != of.text) return false;
    shown_[of] = look;
    return true;
  }

  // The same of several texts; none of them takes its look where one cannot, or two look alike.
  bool take_all(const Texts& texts, const std::function<std::string(const Fitted&)>& look) {
    std::map<std::string, std::string_view> looks;
    for (const Fitted& one : texts) {
      const auto here = looks.try_emplace(look(one), one.text).first;
      const auto before = taken_.find(here->first);
      if (here->second != one.text || (before != taken_.end() && before->second != one.text))
        return false;
    }
    for (const Fitted& one : texts) take(one, look(one));
    return true;
  }

  // Texts that are cut unlike may be numbered alike: the next number goes by what is left of a text
  // beside one.
  void take_number(const Fitted& of) {
    std::size_t& number = numbers_.try_emplace(numbered(of.text, 1, of.width), 1).first->second;
    while (!take(of, numbered(of.text, ++number, of.width))) {
      if (number <= most_) continue;
      shown_[of] = numbered(of.text, number, of.width);  // there is no room for numbers
      return;
    }
  }

  [[nodiscard]] const std::string& of(const Fitted& text) const { return shown_.at(text); }

 private:
  std::size_t most_;
  std::map<std::string, std::string_view> taken_;
  std::map<Fitted, std::string> shown_;
  std::map<std::string, std::size_t> numbers_;
};

}  // namespace

std::vector<std::string> shorten_apart(std::span<const std::string> texts, std::size_t width) {
  return shorten_apart(texts, std::vector<std::size_t>(texts.size(), width));
}

std::vector<std::string> shorten_apart(std::span<const std::string> texts,
                                       std::span<const std::size_t> widths) {
  std::map<std::string, Texts> by_cut;
  for (std::size_t i = 0; i < texts.size(); ++i)
    by_cut[shorten_middle(texts[i], widths[i])].insert({texts[i], widths[i]});
  Looks looks(texts.size());
  for (const auto& [cut, alike] : by_cut) {
    if (!is_one_text(alike)) continue;
    for (const Fitted& one : alike) looks.take(one, cut);
  }
  for (const auto& [cut, alike] : by_cut) {
    if (is_one_text(alike)) continue;
    const std::size_t differs = common_beginning(alike);
    const auto by = [&](auto way) {
      return [&, way](const Fitted& one) {
        return one.width < kMinCut ? cut : way(one.text, differs, one.width);
      };
    };
    if (looks.take_all(alike, by(cut_at)) || looks.take_all(alike, by(cut_twice))) continue;
    for (const Fitted& one : alike) {
      if (!looks.take(one, by(cut_at)(one))) looks.take_number(one);
    }
  }
  std::vector<std::string> out;
  for (std::size_t i = 0; i < texts.size(); ++i) out.push_back(looks.of({texts[i], widths[i]}));
  return out;
}

}  // namespace lockstep::report::layout
