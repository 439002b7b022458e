// What of a name tells, and what else is needed beside others that look alike.
#include "analysis/kernels/short_name.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/kernels/function_name.h"
#include "analysis/kernels/name_parts.h"
#include "analysis/kernels/silent_words.h"
#include "base/letters.h"
#include "base/one_line.h"
#include "base/text.h"

namespace lockstep::analysis::kernels {
namespace {

constexpr std::size_t kLongestName = 64;
constexpr std::size_t kMostWords = 2;  // of what a kernel runs
constexpr std::size_t kMostNesting = 12;
constexpr std::size_t kMostDifferences = 3;  // where names differ in their structure
// Of more names than these no places are looked for that tell them apart: that takes their square.
constexpr std::size_t kMostByPlace = 64;
constexpr unsigned kSmallestTile = 16;

std::optional<unsigned> number_in(std::string_view argument) {
  // "C<64>" of cute is a number too.
  if (argument.ends_with('>')) {
    const std::size_t at = argument.find('<');
    const std::string_view word = argument.substr(0, at);
    if (word != "C" && !word.ends_with("::C")) return std::nullopt;
    argument = argument.substr(at + 1, argument.size() - at - 2);
  }
  unsigned value = 0;
  const auto [end, error] =
      std::from_chars(argument.data(), argument.data() + argument.size(), value);
  const bool is_whole = end == argument.data() + argument.size();
  return error == std::errc() && is_whole ? std::optional(value) : std::nullopt;
}

// The first three numbers that stand together among types: "64x128x32". Empty where there are none.
std::string tile_in(std::span<const std::string_view> arguments, std::size_t nesting) {
  if (nesting == 0) return {};
  for (const std::string_view argument : arguments) {
    const std::vector<NamePart> parts = parts_of(argument);
    if (parts.empty()) continue;
    const std::vector<std::string_view>& inside = parts.back().arguments;
    std::vector<unsigned> sides;
    for (const std::string_view one : inside) {
      if (const auto side = number_in(one)) sides.push_back(*side);
    }
    const bool is_tile = inside.size() == 3 && sides.size() == 3 &&
                         *std::ranges::max_element(sides) >= kSmallestTile;
    if (is_tile) return fmt::format("{}", fmt::join(sides, "x"));
    if (std::string tile = tile_in(inside, nesting - 1); !tile.empty()) return tile;
  }
  return {};
}

// What a kernel runs, by its template arguments: words in their order, each once.
class InnerWords {
 public:
  void take(std::span<const std::string_view> arguments, std::size_t nesting = kMostNesting) {
    if (nesting == 0) return;
    for (const std::string_view argument : arguments) {
      if (words_.size() < kMostWords) take_one(argument, nesting);
    }
  }
  [[nodiscard]] const std::vector<std::string>& words() const { return words_; }

 private:
  void take_one(std::string_view argument, std::size_t nesting) {
    const bool is_type = is_letter(argument.front()) || argument.front() == '_' ||
                         argument.front() == '&' || argument.starts_with("(anonymous");
    if (!is_type || argument.ends_with('*')) return;
    const std::vector<NamePart> parts = parts_of(argument);
    // "Kernel<...>::Params", "copy_kernel(...)::{lambda(int)#1}": the last part that says
    // something.
    for (std::size_t i = parts.size(); i > 0; --i) {
      const NamePart& part = parts[i - 1];
      if (is_wrapper(part.word) || part.word.empty()) {
        take(part.arguments, nesting - 1);
        if (is_wrapper(part.word)) return;
        continue;
      }
      if (i > 1 && i == parts.size() && is_silent_argument(part.word) && part.arguments.empty() &&
          !parts[i - 2].arguments.empty())
        continue;
      if (!is_silent_argument(part.word) && !is_silent_scope(part.word)) add(part);
      return;
    }
  }

  void add(const NamePart& part) {
    std::string word(without_silent_ends(part.word));
    if (const std::string tile = tile_in(part.arguments, kMostNesting); !tile.empty()) {
      word += ' ' + tile;
    }
    if (std::ranges::find(words_, word) == words_.end()) words_.push_back(std::move(word));
  }

  std::vector<std::string> words_;
};

// "cub::DeviceScanKernel" of "at_cuda_detail::cub::DeviceScanKernel"
std::string scoped(std::span<const NamePart> parts, std::string_view last) {
  std::string out;
  for (const NamePart& part : parts.first(parts.size() - 1)) {
    if (!is_silent_scope(part.word)) out += fmt::format("{}::", part.word);
  }
  return out.append(last);
}

std::string form_of(std::string_view text) {
  text = without_clones(text);
  if (!is_cpp_name(text)) return std::string(text);
  const std::vector<NamePart> parts = parts_of(text);
  if (parts.empty() || parts.back().word.empty()) return std::string(text);
  const std::string_view kernel = parts.back().word;
  InnerWords inner;
  inner.take(parts.back().arguments);
  if (inner.words().empty()) return scoped(parts, kernel);
  const std::string runs = fmt::format("{}", fmt::join(inner.words(), " "));
  if (is_wrapper(kernel)) return runs;
  return fmt::format("{} {}", scoped(parts, without_silent_ends(kernel)), runs);
}

using Lists = std::vector<std::vector<std::string_view>>;

// The words at one place of lists of one length, by number.
struct Place {
  std::size_t at = 0;
  std::vector<std::uint32_t> words;  // of each list
};

// Those where the lists are not all alike.
std::vector<Place> telling_places(const Lists& lists) {
  std::vector<Place> places;
  for (std::size_t at = 0; at < lists.front().size(); ++at) {
    std::map<std::string_view, std::uint32_t> numbers;
    Place place{at, {}};
    for (const auto& list : lists) {
      const auto next = static_cast<std::uint32_t>(numbers.size());
      place.words.push_back(numbers.try_emplace(list[at], next).first->second);
    }
    if (numbers.size() > 1) places.push_back(std::move(place));
  }
  return places;
}

// Lists that are alike so far have one number. These are the numbers when the words of a place are
// looked at as well, and how many there are.
struct Classes {
  std::vector<std::uint32_t> of_list;
  std::size_t count = 1;

  [[nodiscard]] Classes with(const Place& place) const {
    std::vector<std::uint64_t> keys;
    for (std::size_t i = 0; i < of_list.size(); ++i) {
      keys.push_back(std::uint64_t{of_list[i]} << 32 | place.words[i]);
    }
    std::vector<std::uint64_t> sorted = keys;
    std::ranges::sort(sorted);
    sorted.erase(std::ranges::unique(sorted).begin(), sorted.end());
    Classes out{{}, sorted.size()};
    for (const std::uint64_t key : keys) {
      const auto found = std::ranges::lower_bound(sorted, key);
      out.of_list.push_back(static_cast<std::uint32_t>(found - sorted.begin()));
    }
    return out;
  }
};

// What stands where lists of one length are not all alike: the places that tell most apart, until
// all are. A place that tells no more apart now never will.
Lists differences_by_place(const Lists& lists) {
  Lists chosen(lists.size());
  std::vector<Place> places = telling_places(lists);
  Classes classes{std::vector<std::uint32_t>(lists.size()), 1};
  while (classes.count < lists.size()) {
    std::vector<Place> left;
    Classes best = classes;
    std::size_t at = 0;
    for (Place& place : places) {
      Classes with = classes.with(place);
      if (with.count == classes.count) continue;
      if (with.count > best.count) {
        at = place.at;
        best = std::move(with);
      }
      left.push_back(std::move(place));
    }
    if (left.empty()) break;
    places = std::move(left);
    classes = std::move(best);
    for (std::size_t i = 0; i < lists.size(); ++i) chosen[i].push_back(lists[i][at]);
  }
  return chosen;
}

// Of each list the first words that not all of them have.
Lists differences_by_word(const Lists& lists) {
  std::map<std::string_view, std::size_t> lists_with;
  for (const auto& list : lists) {
    for (const std::string_view word : std::set(list.begin(), list.end())) ++lists_with[word];
  }
  Lists chosen(lists.size());
  for (std::size_t i = 0; i < lists.size(); ++i) {
    for (const std::string_view word : lists[i]) {
      const bool is_new = std::ranges::find(chosen[i], word) == chosen[i].end();
      if (lists_with[word] < lists.size() && is_new && chosen[i].size() < kMostDifferences)
        chosen[i].push_back(word);
    }
  }
  return chosen;
}

bool are_different(const Lists& lists) {
  return std::set(lists.begin(), lists.end()).size() == lists.size();
}

// What to add to names whose short forms are alike. Parameters repeat what templates say, so they
// come in only where nothing else differs; scopes come before them.
std::vector<std::string> differences(std::span<const std::string> names) {
  Lists lists(names.size());
  const auto take = [&](bool with_scopes, bool with_parameters) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      lists[i] = words_of(with_parameters ? names[i] : without_parameters(names[i]), with_scopes);
    }
    return are_different(lists);
  };
  if (!take(false, false) && !take(true, false)) take(true, true);
  const bool are_few = lists.size() <= kMostByPlace;
  const bool are_as_long = are_few && std::ranges::all_of(lists, [&](const auto& list) {
                             return list.size() == lists.front().size();
                           });
  std::vector<std::string> out;
  for (const auto& one : are_as_long ? differences_by_place(lists) : differences_by_word(lists)) {
    out.push_back(fmt::format("{}", fmt::join(one, ", ")));
  }
  return out;
}

// As a table shows it: what only differs in characters that cannot be shown, or in blanks around
// it, looks alike.
std::string shown_form(std::string_view name) {
  const std::string line = one_line(short_form(name));
  const std::size_t begin = line.find_first_not_of(' ');
  if (begin == std::string::npos) return line.empty() ? line : "(blank)";
  return line.substr(begin, line.find_last_not_of(' ') + 1 - begin);
}

}  // namespace

std::string short_form(std::string_view name) { return form_of(demangled(name)); }

std::string short_name(std::string_view name) {
  const std::string form = valid_utf8(short_form(name));
  return form.size() <= kLongestName ? form : beginning_of(form, kLongestName - 3);
}

std::vector<std::string> telling_names(std::span<const std::string_view> names) {
  std::map<std::string, std::vector<std::string_view>> by_form;  // names, each once
  const std::set<std::string_view> all(names.begin(), names.end());
  for (const std::string_view name : all) by_form[shown_form(name)].push_back(name);
  std::map<std::string_view, std::string> told;
  std::set<std::string> taken;
  std::map<std::string, std::size_t> numbers;
  for (const auto& [form, alike] : by_form) {
    if (alike.size() > 1) continue;
    told[alike.front()] = form;
    taken.insert(form);
  }
  for (const auto& [form, alike] : by_form) {
    if (alike.size() == 1) continue;
    std::vector<std::string> whole;
    for (const std::string_view name : alike) whole.push_back(demangled(name));
    const std::vector<std::string> added = differences(whole);
    for (std::size_t i = 0; i < alike.size(); ++i) {
      const std::string text =
          added[i].empty() ? form : fmt::format("{} <{}>", form, one_line(added[i]));
      std::string shown = text;
      // Numbers go on where those of this text ended.
      for (std::size_t& number = numbers[text]; !taken.insert(shown).second;) {
        shown = fmt::format("{} #{}", text, ++number + 1);
      }
      told[alike[i]] = std::move(shown);
    }
  }
  std::vector<std::string> out;
  for (const std::string_view name : names) out.push_back(told[name]);
  return out;
}

std::vector<std::string> telling_names(std::span<const std::string> names) {
  const std::vector<std::string_view> views(names.begin(), names.end());
  return telling_names(std::span(views));
}

}  // namespace lockstep::analysis::kernels
