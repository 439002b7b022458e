// JSON tokens, read back with another JSON library.
#include "formats/chrome_json/write/chrome_json_writer_output.h"

#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "formats/chrome_json/parse/argument_values.h"

namespace lockstep::formats::chrome_json {
namespace {

using nlohmann::json;

TEST(JsonOutput, RealsReadBackAsTheSame) {
  io::MemorySink sink;
  JsonOutput out(sink);
  out.raw("[");
  const std::vector<double> values = {0.1, 1e300, -2.5e-7, 3.0, 1e16, 0.0};
  for (const double value : values) {
    out.real(value);
    out.raw(", ");
  }
  out.real(std::numeric_limits<double>::infinity());
  out.raw(", ");
  out.real(std::numeric_limits<double>::quiet_NaN());
  out.raw("]");
  ASSERT_TRUE(out.finish().ok());
  const json list = json::parse(sink.bytes());
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_TRUE(list[i].is_number_float());
    EXPECT_EQ(list[i], values[i]);
  }
  EXPECT_EQ(list[6], "Infinity");
  EXPECT_EQ(list[7], "NaN");
}

TEST(JsonOutput, TextLongerThanTheBufferPasses) {
  io::MemorySink sink;
  JsonOutput out(sink);
  const std::string text = std::string(3'000'000, 'x') + "\n" + std::string(2'000'000, 'y');
  out.string(text);
  ASSERT_TRUE(out.finish().ok());
  EXPECT_EQ(json::parse(sink.bytes()), text);
}

TEST(JsonOutput, NumbersAreToldFromText) {
  for (const std::string_view text : {"0", "-1", "12.5", "1e9", "1.5E-3"}) {
    EXPECT_TRUE(is_json_number(text)) << text;
  }
  for (const std::string_view text : {"", "-", "01", "1.", ".5", "1e", "0x1", "1 ", "NaN"}) {
    EXPECT_FALSE(is_json_number(text)) << text;
  }
}

TEST(JsonOutput, StrictJsonIsWhatOthersAccept) {
  for (const std::string_view text :
       {"0", " [1, {\"a\" : []}, {}] ", "null", "123456789012345678901", "[1e-400]",
        "\"\\ud83d\\ude00 \\n\"", "{\"a\": [[true], \"}\"], \"b\": -1.5e3}"}) {
    EXPECT_TRUE(is_strict_json(text)) << text;
    EXPECT_TRUE(json::accept(text)) << text;
  }
  for (const std::string_view text :
       {"",          "NaN",         "tru",     "[1, NaN]", "1e400",   "[-1e400]",    "[1,]",
        "{\"a\" 1}", "{\"a\": 1,}", "[1 2]",   "[",        "]",       "[}",          "{]",
        "1 2",       "{1: 2}",      "{\"a\"}", "\"a",      "\"\\x\"", "\"\\ud83d\"", "\"\\ude00\"",
        "\"\\u12\"", "\"\t\"",      "01",      "1.",       "+1",      "[,]",         "\"\\"}) {
    EXPECT_FALSE(is_strict_json(text)) << text;
    EXPECT_FALSE(json::accept(text)) << text;
  }
  EXPECT_TRUE(is_strict_json(std::string(200'000, '[') + std::string(200'000, ']')));
  EXPECT_FALSE(is_strict_json(std::string(200'000, '[')));
}

TEST(JsonOutput, WhatIsNoJsonBecomesAString) {
  io::MemorySink sink;
  JsonOutput out(sink);
  out.raw("[");
  for (const std::string_view text :
       {"{\"a\": [1e400]}", "{\"a\": \"x\ty\"}", "[\"\xFF\"]", "[1]"}) {
    out.json(text);
    out.raw(", ");
  }
  out.json("NaN");
  out.raw("]");
  ASSERT_TRUE(out.finish().ok());
  EXPECT_EQ(json::parse(sink.bytes()),
            json::parse(R"(["{\"a\": [1e400]}", {"a": "x y"}, ["\ufffd"], [1], "NaN"])"));
}

}  // namespace
}  // namespace lockstep::formats::chrome_json
