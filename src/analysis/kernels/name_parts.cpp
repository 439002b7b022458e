// Brackets are counted; nothing here knows what a name means.
#include "analysis/kernels/name_parts.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "analysis/kernels/function_name.h"
#include "base/letters.h"

namespace lockstep::analysis::kernels {
namespace {

constexpr std::string_view kOpening = "<([{";
constexpr std::string_view kClosing = ">)]}";
constexpr std::string_view kOperator = "operator";
constexpr std::string_view kOfExpression = "decltype";
constexpr std::string_view kBetweenWords = " *&~'";
// Words of the language, not of a name.
constexpr std::array<std::string_view, 10> kOfLanguage = {
    "const",   "lambda",   "anonymous", "namespace", "operator",
    "unnamed", "instance", "void",      "unsigned",  "clone"};
// As demanglers of libstdc++, LLVM and NVIDIA write them.
constexpr std::array<std::string_view, 2> kLambdas = {"lambda", "unnamed"};

bool is_word_sign(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '$'; }

bool is_arrow(std::string_view text, std::size_t at) { return at > 0 && text[at - 1] == '-'; }

// The end of the bracket that opens at `at`, behind it; the end of the text where none closes it.
std::size_t bracket_end(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  for (std::size_t i = at; i < text.size(); ++i) {
    if (text[i] == '>' && is_arrow(text, i)) continue;
    if (kOpening.contains(text[i])) ++depth;
    if (kClosing.contains(text[i]) && --depth == 0) return i + 1;
  }
  return text.size();
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// "int, a<b, c>" -> "int", "a<b, c>"
std::vector<std::string_view> split_arguments(std::string_view inside) {
  std::vector<std::string_view> out;
  std::size_t from = 0;
  for (std::size_t i = 0; i <= inside.size(); ++i) {
    if (i < inside.size() && kOpening.contains(inside[i])) {
      i = bracket_end(inside, i) - 1;
    } else if (i == inside.size() || inside[i] == ',') {
      if (const std::string_view one = trimmed(inside.substr(from, i - from)); !one.empty())
        out.push_back(one);
      from = i + 1;
    }
  }
  return out;
}

// Reads the parts of one name from left to right.
class PartReader {
 public:
  explicit PartReader(std::string_view name) : rest_(name) {}

  std::vector<NamePart> read() {
    while (!rest_.empty()) step();
    end_part();
    return std::move(parts_);
  }

 private:
  void step() {
    if (rest_.starts_with("::")) {
      end_part();
      rest_.remove_prefix(2);
    } else if (rest_.starts_with(kOperator) && word_.empty()) {
      take_operator();
    } else if (rest_.front() == '<') {
      take_arguments();
    } else if (kOpening.contains(rest_.front())) {
      if (blank_) forget_result();
      rest_.remove_prefix(bracket_end(rest_, 0));  // parameters, lambdas, unnamed namespaces, casts
    } else if (rest_.front() == '\'') {            // 'lambda0'(int)
      rest_.remove_prefix(std::min(rest_.find('\'', 1), rest_.size() - 1) + 1);
    } else if (is_word_sign(rest_.front())) {
      take_word();
    } else {
      // A blank stands behind a result or before "const": what begins anew is the name.
      if (rest_.front() == ' ') blank_ = true;
      rest_.remove_prefix(1);
    }
  }

  void take_operator() {
    rest_.remove_prefix(kOperator.size());
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" <>=-+*/!&|^~%"), rest_.size()));
    if (rest_.starts_with("()")) rest_.remove_prefix(2);
    is_operator_ = true;
  }

  void take_arguments() {
    if (blank_) forget_result();
    const std::size_t end = bracket_end(rest_, 0);
    if (!word_.empty() || is_operator_) {  // "<unnamed>" has nothing before it
      arguments_ = split_arguments(rest_.substr(1, end < 2 ? 0 : end - 2));
    }
    rest_.remove_prefix(end);
  }

  void take_word() {
    const auto* const end = std::ranges::find_if_not(rest_, is_word_sign);
    const std::string_view word = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    rest_.remove_prefix(word.size());
    if (word == "const" || word == "volatile" || word == "restrict") return;
    if (blank_) forget_result();
    blank_ = false;
    word_ = word;
    arguments_.clear();
  }

  // What stood before a blank: a result, or "unsigned".
  void forget_result() {
    if (!word_.empty()) parts_.clear();
    word_ = {};
    arguments_.clear();
  }

  void end_part() {
    const bool is_lambda =
        std::ranges::any_of(kLambdas, [&](std::string_view one) { return word_.starts_with(one); });
    if ((!word_.empty() && !is_lambda) || !arguments_.empty()) {
      parts_.push_back({word_, std::move(arguments_)});
    }
    word_ = {};
    arguments_.clear();
    blank_ = false;
    is_operator_ = false;
  }

  std::string_view rest_;
  std::string_view word_;
  std::vector<std::string_view> arguments_;
  std::vector<NamePart> parts_;
  bool blank_ = false;
  bool is_operator_ = false;
};

}  // namespace

bool is_cpp_name(std::string_view name) {
  bool has_parts = false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (kOpening.contains(c)) {
      const bool is_unnamed =
          name.substr(i).starts_with("(anonymous") || name.substr(i).starts_with("<unnamed>");
      if (!is_unnamed && (i == 0 || (name[i - 1] == ' ' && c != '['))) return false;
      has_parts = true;
      i = bracket_end(name, i) - 1;
    } else if (c == ':') {
      if (!name.substr(i).starts_with("::")) return false;
      has_parts = true;
      ++i;
    } else if (!is_word_sign(c) && !kBetweenWords.contains(c)) {
      return false;
    }
  }
  return has_parts;
}

std::vector<NamePart> parts_of(std::string_view name) { return PartReader(name).read(); }

std::vector<std::string_view> words_of(std::string_view name, bool with_scopes) {
  std::vector<std::string_view> words;
  bool is_behind_word = false;
  while (!name.empty()) {
    if (!is_word_sign(name.front())) {
      if (is_behind_word && !with_scopes && name.starts_with("::")) words.pop_back();
      is_behind_word = false;
      name.remove_prefix(1);
      continue;
    }
    const auto* const end = std::ranges::find_if_not(name, is_word_sign);
    std::string_view word = name.substr(0, static_cast<std::size_t>(end - name.begin()));
    // "decltype(nullptr)" is one type.
    if (word == kOfExpression && name.substr(word.size()).starts_with('(')) {
      word = name.substr(0, bracket_end(name, word.size()));
    }
    name.remove_prefix(word.size());
    is_behind_word = std::ranges::find(kOfLanguage, word) == kOfLanguage.end();
    if (is_behind_word) words.push_back(word);
  }
  return words;
}

}  // namespace lockstep::analysis::kernels
