// What is named like a trace: whole files of other programs, and what is left of traces.
#include "formats/input/other_files.h"

#include <string>

#include <gtest/gtest.h>

#include "io/input.h"

namespace lockstep::formats::input {
namespace {

using namespace std::string_literals;

const std::string kHead = R"({"schemaVersion": 1, "deviceProperties": [{"id": 0}], "x": "[")";

TEST(OtherFiles, WholeJsonIsOfAnotherProgram) {
  for (const std::string& text :
       {"\xEF\xBB\xBF\r\n{\"layers\": 4}"s, "[1, 2]"s, "// of an editor\n{"s, "# first\n"s,
        "{\"a\":1} // end"s, "{\"a\":1};"s, "{\"a\":1}\n{\"b\":\"}\\\"\"}\n"s, "null"s, "-42"s,
        "1\n2\n3\n"s, "null\r\ntrue\n"s, "{\"a\":/* [1, */2}"s, "\"a\"\n\"b\"\n"s, "\"text\""s,
        "{\"a\":1}\x1A"s, kHead + "}", "{\n  // don't use 5\" here\n  \"a\": 1\n}"s,
        "{ /* \"old\": { */ \"a\":1}"s, "{\"a\":\"" + std::string(5000, ' ') + "\"}"}) {
    EXPECT_TRUE(is_of_other_program(text, "run/config.json")) << text;
    EXPECT_TRUE(is_of_other_program(text, "run/config.json.gz")) << text;
  }
  // What comes behind the first bytes is not known.
  EXPECT_TRUE(is_of_other_program(kHead + std::string(io::kSniffBytes, 'a'), "run/config.json"));
}

TEST(OtherFiles, WhatIsLeftOfJsonIsNot) {
  for (const std::string& text :
       {std::string(5000, '\xFF'), std::string(5000, '\n'), R"({"schemaVer)"s,
        "[" + std::string(100, '\0') + "]", kHead, kHead.substr(0, kHead.find(", \"x\"")),
        "s" + kHead.substr(1), "/" + std::string(3000, '\x01'), "<html>404</html>"s,
        "version of a pointer to the file"s, R"("schemaVersion": 1, "x")"s, R"("\)"s,
        "\"traceEvents\"\n 1 \"x\""s, "-\xE2\x82\xAC"s, R"({"a":1])"s, R"({"a":"//)"s,
        R"({"schemaVersion: 1, "path": "file://x", "devices": [{"id": 0, "name": ")"s,
        kHead + std::string(io::kSniffBytes, '\xFF'),
        kHead + std::string(io::kSniffBytes, ' ') + "a"}) {
    EXPECT_FALSE(is_of_other_program(text, "run/rank1.json")) << text.substr(0, 80);
  }
}

TEST(OtherFiles, WideTextIsOneWhereItSpeaksOfNoEvents) {
  const auto wide = [](const std::string& text) {
    std::string out = "\xFF\xFE";
    for (const char c : text) out += {c, '\0'};
    return out;
  };
  EXPECT_TRUE(is_of_other_program(wide(R"({"layers": 4})"), "config.json"));
  EXPECT_FALSE(is_of_other_program(wide(R"({"traceEvents": [)"), "rank1.json"));
  EXPECT_FALSE(is_of_other_program(wide(R"([{"ph": "X")"), "rank1.json"));
}

TEST(OtherFiles, TextMayBeNamedLikeADatabase) {
  EXPECT_TRUE(is_of_other_program("<!-- names --> x", "run/xtrans.html.db"));
  EXPECT_FALSE(is_of_other_program("SQLite for", "run/rank1.db"));
  EXPECT_FALSE(is_of_other_program("<html>404</html>", "run/rank1.sqlite"));
  EXPECT_FALSE(is_of_other_program("<html>404</html>", "run/rank1.pftrace"));
  EXPECT_FALSE(is_of_other_program(std::string(5000, ' '), "run/rank1.db"));
  EXPECT_FALSE(is_of_other_program(std::string(512, '\0') + "x", "run/rank1.pftrace"));
}

// A folder may be named like anything.
TEST(OtherFiles, OnlyTheEndOfANameSaysWhatAFileIs) {
  EXPECT_FALSE(is_of_other_program(R"(s"schemaVersion": 1, "dev)", "runs.db/rank1.json"));
  EXPECT_FALSE(is_of_other_program("<html>404</html>", "runs.db/rank1.sqlite"));
  EXPECT_FALSE(is_of_other_program("{}", "runs.json/rank1.pftrace"));
  EXPECT_FALSE(is_of_other_program("{", "RANK1.JSON"));
  EXPECT_TRUE(is_of_other_program("{}", "CONFIG.JSON.GZ"));
}

TEST(OtherFiles, APointerToALargeFileIsNotThatFile) {
  const std::string pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n";
  for (const std::string_view name : {"rank1.db", "rank1.json", "rank1.sqlite"}) {
    EXPECT_FALSE(is_of_other_program(pointer, name));
  }
}

TEST(OtherFiles, OtherDatabasesAreKnownByTheirFirstBytes) {
  const std::string rest(4096, '\x01');
  for (const std::string& start :
       {"\xD0\xCF\x11\xE0"s, "\xCE\x9A\x57\x13"s, "\x13\x57\x9A\xCF"s, "\0\x06\x15\x61"s,
        std::string(12, '\0') + "\x62\x31\x05\0"s, std::string(8, '\x07') + "DUCK", "H:2,block:7"s,
        "TDB file\n"s}) {
    EXPECT_TRUE(is_other_database(start + rest));
    EXPECT_TRUE(is_of_other_program(start + rest, "Thumbs.db"));
  }
  EXPECT_FALSE(is_other_database(rest));
  EXPECT_FALSE(is_other_database(""));
}

}  // namespace
}  // namespace lockstep::formats::input
