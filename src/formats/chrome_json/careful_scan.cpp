// A small pushdown automaton for one JSON value.
#include "formats/chrome_json/careful_scan.h"

#include <array>

namespace lockstep::chrome_json {
namespace {

using Verdict = CarefulResult::Verdict;

bool is_word_byte(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
         c == '+' || c == '.';
}

class ValueChecker {
 public:
  ValueChecker(std::string_view text, std::size_t begin) : text_(text), at_(begin) {}

  CarefulResult run() {
    Verdict verdict = value();
    while (verdict == Verdict::kWhole && depth_ > 0) verdict = next_member();
    return {verdict, at_, has_phase_};
  }

 private:
  enum class Container : char { kObject, kList };

  // A value begins here; an opening bracket only opens, next_member() goes on inside.
  Verdict value() {
    at_ = skip_space(text_, at_);
    if (at_ >= text_.size()) return Verdict::kIncomplete;
    const char c = text_[at_];
    if (c == '"') return string();
    if (c == '{' || c == '[') return open(c == '{' ? Container::kObject : Container::kList);
    return word();
  }

  Verdict open(Container container) {
    if (depth_ == kMaxNesting) return Verdict::kBroken;
    stack_[static_cast<std::size_t>(depth_++)] = container;
    fresh_ = true;
    ++at_;
    return Verdict::kWhole;
  }

  // Inside a container, behind its opening bracket or behind a member.
  Verdict next_member() {
    at_ = skip_space(text_, at_);
    if (at_ >= text_.size()) return Verdict::kIncomplete;
    const bool in_object = stack_[static_cast<std::size_t>(depth_ - 1)] == Container::kObject;
    if (text_[at_] == (in_object ? '}' : ']')) {
      --depth_;
      fresh_ = false;
      ++at_;
      return Verdict::kWhole;
    }
    if (!fresh_) {
      if (text_[at_] != ',') return Verdict::kBroken;
      at_ = skip_space(text_, at_ + 1);
      if (at_ >= text_.size()) return Verdict::kIncomplete;
    }
    fresh_ = false;
    return in_object ? key_and_value() : value();
  }

  Verdict key_and_value() {
    if (text_[at_] != '"') return Verdict::kBroken;
    if (depth_ == 1 && text_.substr(at_).starts_with("\"ph\"")) has_phase_ = true;
    if (const Verdict key = string(); key != Verdict::kWhole) return key;
    at_ = skip_space(text_, at_);
    if (at_ >= text_.size()) return Verdict::kIncomplete;
    if (text_[at_] != ':') return Verdict::kBroken;
    ++at_;
    return value();
  }

  Verdict string() {
    for (std::size_t i = at_ + 1; i < text_.size(); ++i) {
      if (text_[i] == '\\') {
        ++i;
      } else if (text_[i] == '"') {
        at_ = i + 1;
        return Verdict::kWhole;
      }
    }
    at_ = text_.size();
    return Verdict::kIncomplete;
  }

  Verdict word() {
    const std::size_t first = at_;
    while (at_ < text_.size() && is_word_byte(text_[at_])) ++at_;
    if (at_ == first) return Verdict::kBroken;
    return at_ == text_.size() ? Verdict::kIncomplete : Verdict::kWhole;
  }

  std::string_view text_;
  std::size_t at_;
  std::array<Container, kMaxNesting> stack_{};
  int depth_ = 0;
  bool fresh_ = false;  // the innermost container has no member yet
  bool has_phase_ = false;
};

// The last byte before `at` that is no whitespace, and its position; '\0' when there is none.
char byte_before(std::string_view text, std::size_t& at) {
  while (at > 0) {
    if (!is_json_space(text[--at])) return text[at];
  }
  return '\0';
}

// An opening brace behind a key or a string is a value, or the rest of an event with a damaged
// comma. A quote or colon that stands alone between events is itself the damage.
bool is_inside_event(std::string_view text, std::size_t brace) {
  const char before = byte_before(text, brace);
  if (before != ':' && before != '"') return false;
  const char further = byte_before(text, brace);
  return further != '\0' && further != ',' && further != '}' && further != '[';
}

// How much of the end of `text` is_inside_event() wants to see before a brace that follows.
std::size_t context_of_end(std::string_view text) {
  std::size_t last = text.size();
  if (byte_before(text, last) == '\0') return text.size();
  std::size_t further = last;
  return byte_before(text, further) == '\0' ? last : further;
}

}  // namespace

std::size_t skip_space(std::string_view text, std::size_t at) {
  while (at < text.size() && is_json_space(text[at])) ++at;
  return at;
}

CarefulResult check_value(std::string_view text, std::size_t begin) {
  return ValueChecker(text, begin).run();
}

FoundEvent find_event(std::string_view text, std::size_t from, bool is_all, std::size_t max_bytes) {
  using Found = FoundEvent::Verdict;
  FoundEvent found;
  for (found.at = from;; ++found.at) {
    found.at = text.find('{', found.at);
    if (found.at == std::string_view::npos) break;
    if (is_inside_event(text, found.at)) continue;
    const CarefulResult object = check_value(text, found.at);
    const bool is_whole = object.verdict == Verdict::kWhole;
    const bool may_become_whole = !is_all && text.size() - found.at <= max_bytes;
    if (object.verdict == Verdict::kIncomplete && may_become_whole) {
      found.verdict = Found::kIncomplete;
      return found;
    }
    if (!object.has_phase) continue;
    if (is_whole) {
      found.verdict = Found::kFound;
      return found;
    }
    if (found.damaged++ == 0) found.first_damaged = found.at;
  }
  found.at = context_of_end(text);
  return found;
}

}  // namespace lockstep::chrome_json
