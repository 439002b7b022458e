// The text of a JSON document, written from front to back: lists that are as long as the trace need
// no tree in memory, and into a sink not even the text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "io/byte_sink.h"

namespace lockstep::report::sinks {

// Laid out as nlohmann's dump(2) does it. Calls that do not nest make no valid document.
class JsonText {
 public:
  JsonText() : text_("{") {}
  // Pours the text into `sink` as it grows.
  explicit JsonText(io::ByteSink& sink) : text_("{"), sink_(&sink) {}

  void member(std::string_view key, const nlohmann::ordered_json& value);
  void element(const nlohmann::ordered_json& value);
  // On one line, JSON already: numbers with the digits that they shall have.
  void raw_member(std::string_view key, std::string_view json);
  void raw_element(std::string_view json);

  void begin_array(std::string_view key);  // in an object
  void end_array() { close(']'); }
  void begin_object(std::string_view key);  // in an object
  void begin_object();                      // in an array
  void end_object() { close('}'); }

  // Closes the document; nothing can be written after it.
  [[nodiscard]] std::string finish();
  // The same for one with a sink: whether all of it could be written. The sink stays open.
  [[nodiscard]] Status finish_in_sink();

 private:
  void pour();
  void begin_entry();
  void write_key(std::string_view key);
  void write_value(const nlohmann::ordered_json& value);
  void open(char bracket);
  void close(char bracket);

  std::string text_;
  io::ByteSink* sink_ = nullptr;
  Status poured_;
  std::size_t depth_ = 1;
  bool is_empty_ = true;  // what is open now
};

}  // namespace lockstep::report::sinks
