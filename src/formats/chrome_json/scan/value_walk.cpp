// A small pushdown automaton for one JSON value.
#include "formats/chrome_json/scan/value_walk.h"

#include <algorithm>

#include "formats/chrome_json/scan/json_text.h"

namespace lockstep::formats::chrome_json {
namespace {

bool is_word_byte(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
         c == '+' || c == '.';
}

bool is_hex_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

}  // namespace

bool is_bare_word(std::string_view text) { return std::ranges::all_of(text, is_word_byte); }

WalkVerdict ValueWalk::take(std::string_view piece) {
  at_ = 0;
  while (expects_ != Expects::kNothing) {
    if (expects_ < Expects::kRestOfKey) at_ = skip_space(piece, at_);
    if (at_ >= piece.size()) return WalkVerdict::kIncomplete;
    if (!step(piece)) return WalkVerdict::kBroken;
    if (holds_event_ && stop_ == Stop::kAtEvent) return WalkVerdict::kIncomplete;
  }
  return WalkVerdict::kWhole;
}

bool ValueWalk::step(std::string_view text) {
  const char c = text[at_];
  switch (expects_) {
    case Expects::kValue:
      return begin_value(c);
    case Expects::kFirstMember:
    case Expects::kSeparator:
      return take_separator(c);
    case Expects::kElement:
    case Expects::kKey:
      return take_behind_comma(c);
    case Expects::kColon:
      return take_colon(c);
    case Expects::kRestOfKey:
    case Expects::kRestOfString:
      finish_string(text);
      return true;
    case Expects::kRestOfWord:
      finish_word(text);
      return true;
    case Expects::kNothing:
      break;
  }
  return false;
}

bool ValueWalk::begin_value(char c) {
  if (c == '{' || c == '[') return open(c == '{');
  if (c != '"' && !is_word_byte(c)) return false;
  expects_ = c == '"' ? Expects::kRestOfString : Expects::kRestOfWord;
  ++at_;
  return true;
}

bool ValueWalk::open(bool is_object) {
  if (depth_ == max_nesting_) return false;
  if (depth_ < kInlineLevels) {
    const std::uint64_t bit = std::uint64_t{1} << depth_;
    outer_levels_ = is_object ? outer_levels_ | bit : outer_levels_ & ~bit;
  } else {
    deeper_levels_.resize(depth_ - kInlineLevels);
    deeper_levels_.push_back(is_object);
  }
  ++depth_;
  ++at_;
  expects_ = Expects::kFirstMember;
  return true;
}

bool ValueWalk::is_object(std::size_t level) const {
  return level < kInlineLevels ? ((outer_levels_ >> level) & 1) != 0
                               : deeper_levels_[level - kInlineLevels];
}

// Behind an opening bracket, or behind a member: the closing bracket, or one more member.
bool ValueWalk::take_separator(char c) {
  const bool in_object = is_object(depth_ - 1);
  if (c == (in_object ? '}' : ']')) {
    close();
    return true;
  }
  if (expects_ == Expects::kFirstMember) return in_object ? begin_key(c) : begin_value(c);
  if (c != ',') return false;
  ++at_;
  expects_ = in_object ? Expects::kKey : Expects::kElement;
  return true;
}

void ValueWalk::close() {
  --depth_;
  ++at_;
  end_value();
}

bool ValueWalk::take_behind_comma(char c) {
  const bool in_object = expects_ == Expects::kKey;
  if (c != (in_object ? '}' : ']')) return in_object ? begin_key(c) : begin_value(c);
  has_stray_comma_ = true;
  close();
  return true;
}

bool ValueWalk::begin_key(char c) {
  if (c != '"') return false;
  key_bytes_ = 0;
  expects_ = Expects::kRestOfKey;
  ++at_;
  return true;
}

bool ValueWalk::take_colon(char c) {
  if (c != ':') return false;
  expects_ = Expects::kValue;
  ++at_;
  return true;
}

void ValueWalk::finish_string(std::string_view text) {
  const bool is_key = expects_ == Expects::kRestOfKey;
  while (at_ < text.size()) {
    if (!is_key && !escaped_ && digits_ == 0) skip_plain(text);
    if (at_ == text.size()) return;
    const char c = text[at_++];
    if (is_key && key_bytes_ < key_.size()) key_[key_bytes_++] = c;
    if (digits_ > 0) {
      --digits_;
      has_bad_escape_ |= !is_hex_digit(c);
    }
    if (escaped_) {
      take_escape(c);
    } else if (c == '\\') {
      escaped_ = true;
    } else if (c == '"') {
      digits_ = 0;
      return is_key ? end_key() : end_value();
    }
  }
}

// Up to a quote or a backslash: strings may be long.
void ValueWalk::skip_plain(std::string_view text) {
  std::size_t at = at_;
  while (at < text.size() && text[at] != '"' && text[at] != '\\') ++at;
  at_ = at;
}

// The byte behind a backslash.
void ValueWalk::take_escape(char c) {
  escaped_ = false;
  if (c == 'u') digits_ = 4;
  has_bad_escape_ |= std::string_view("\"\\/bfnrtu").find(c) == std::string_view::npos;
}

void ValueWalk::end_key() {
  expects_ = Expects::kColon;
  if (std::string_view(key_.data(), key_bytes_) != "ph\"") return;
  if (depth_ == 1) has_phase_ = true;
  if (depth_ > 1 && !is_object(depth_ - 2)) holds_event_ = true;
}

void ValueWalk::finish_word(std::string_view text) {
  while (at_ < text.size() && is_word_byte(text[at_])) ++at_;
  if (at_ < text.size()) end_value();
}

}  // namespace lockstep::formats::chrome_json
