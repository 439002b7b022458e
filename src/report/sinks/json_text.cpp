// Commas, line breaks and indentation.
#include "report/sinks/json_text.h"

#include <utility>

#include "base/json_quote.h"

namespace lockstep::report::sinks {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kIndent = 2;
constexpr std::size_t kPourBytes = std::size_t{1} << 20;

std::string dumped(const Json& value) {
  return value.dump(kIndent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

// Behind a failure the rest is made for nobody.
void JsonText::pour() {
  if (poured_.ok()) poured_ = sink_->write(text_);
  text_.clear();
}

void JsonText::begin_entry() {
  if (sink_ != nullptr && text_.size() >= kPourBytes) pour();
  if (!is_empty_) text_ += ',';
  is_empty_ = false;
  text_ += '\n';
  text_.append(depth_ * kIndent, ' ');
}

void JsonText::write_key(std::string_view key) {
  begin_entry();
  append_quoted_json(key, text_);
  text_ += ": ";
}

// Line breaks in the text of a value are layout: those of strings are escaped.
void JsonText::write_value(const Json& value) {
  for (const char c : dumped(value)) {
    text_ += c;
    if (c == '\n') text_.append(depth_ * kIndent, ' ');
  }
}

void JsonText::member(std::string_view key, const Json& value) {
  write_key(key);
  write_value(value);
}

void JsonText::element(const Json& value) {
  begin_entry();
  write_value(value);
}

void JsonText::raw_member(std::string_view key, std::string_view json) {
  write_key(key);
  text_ += json;
}

void JsonText::raw_element(std::string_view json) {
  begin_entry();
  text_ += json;
}

void JsonText::begin_array(std::string_view key) {
  write_key(key);
  open('[');
}

void JsonText::begin_object(std::string_view key) {
  write_key(key);
  open('{');
}

void JsonText::begin_object() {
  begin_entry();
  open('{');
}

void JsonText::open(char bracket) {
  text_ += bracket;
  ++depth_;
  is_empty_ = true;
}

void JsonText::close(char bracket) {
  --depth_;
  if (!is_empty_) {
    text_ += '\n';
    text_.append(depth_ * kIndent, ' ');
  }
  text_ += bracket;
  is_empty_ = false;
}

std::string JsonText::finish() {
  close('}');
  text_ += '\n';
  return std::move(text_);
}

Status JsonText::finish_in_sink() {
  close('}');
  text_ += '\n';
  pour();
  return poured_;
}

}  // namespace lockstep::report::sinks
