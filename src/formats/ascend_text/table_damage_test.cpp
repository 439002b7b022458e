// Rows over lines, and random damage to tables: what swallows rows is said.
#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/time.h"
#include "formats/ascend_text/ascend_text_reader.h"
#include "formats/ascend_text/csv_scanner.h"
#include "formats/ascend_text/defects.h"

namespace lockstep::formats::ascend_text {
namespace {

constexpr std::string_view kHead =
    "Step Id,Name,Accelerator Core,Start Time(us),Duration(us),Input Shapes,Block Dim\n";
constexpr std::size_t kWidth = 7;
constexpr std::size_t kStartColumn = 3;

Result<trace::Trace> try_read(const std::string& text, std::size_t chunk_bytes = 1 << 16) {
  io::MemorySource source(text);
  trace::Trace trace;
  shared::ReadOptions options;
  options.chunk_bytes = chunk_bytes;
  const Status status = ascend_text_format().read(source, "x.csv", options, trace);
  if (!status.ok()) return status.error();
  return trace;
}

trace::Trace read(const std::string& text, std::size_t chunk_bytes = 1 << 16) {
  Result<trace::Trace> trace = try_read(text, chunk_bytes);
  EXPECT_TRUE(trace.ok()) << (trace.ok() ? "" : trace.error().text());
  return trace.ok() ? std::move(trace).value() : trace::Trace();
}

// `name` as it stands in the file.
std::string row(const std::string& name, int number = 0) {
  return "1," + name + ",AI_CORE," + std::to_string(1'700'000'000'000'000 + number * 10) +
         ".5,2,\"\"\"32,3;64\"\"\",8\n";
}

TEST(AscendTableDamage, ARowMayGoOverLinesWhereItsQuotesAreRight) {
  for (const std::string_view name :
       {"\"a\nb\"", "\"a\r\nb\"", "\"a, x\nb \"\"c\"\", y\nd\"", "\"\nb\"", "\"a\n\""}) {
    const std::string text =
        std::string(kHead) + row("x") + row(std::string(name), 1) + row("y", 2) + row("z", 3);
    for (const std::size_t chunk : {1, 7, 64, 1 << 16}) {
      const trace::Trace trace = read(text, chunk);
      ASSERT_EQ(trace.events.size(), 4U) << name << chunk;
      EXPECT_TRUE(trace.diagnostics.entries().empty()) << name << chunk;
    }
    std::string scratch;
    const trace::Trace trace = read(text);
    EXPECT_EQ(trace.text(trace.events.name[1]), clean(name, scratch));
  }
}

TEST(AscendTableDamage, OtherwiseARowIsOneLine) {
  const std::string a = row("a");
  const std::string cut = "1,\"a,AI_CORE\n";  // its quote would end in the next line
  const std::string ends = "b\",AI_CORE,1700000000000000,2,x,8\n";
  for (const std::string& odd :
       {"1,\"" + row("b").substr(2),                      // wide enough by itself
        cut + row("\"b\"", 1),                            // the next line is a row
        cut + ends.substr(0, ends.size() - 3) + "\n",     // too few cells
        cut + ends.substr(0, ends.size() - 1) + ",9\n",   // too many
        cut + "b\"c" + ends.substr(2),                    // text behind the closing quote
        cut + "b\",AI_CORE,1700000000000000,2,x\"y,8\n",  // a quote inside of a cell
        cut + "\n\n\n" + ends,                            // a page of line ends
        cut}) {
    const trace::Trace trace = read(std::string(kHead) + a + odd + row("y", 2) + row("z", 3));
    EXPECT_TRUE(trace.diagnostics.has_loss()) << odd;
    EXPECT_GE(trace.diagnostics.count_of(kDamagedRecord), 1U) << odd;
  }
  const trace::Trace good = read(std::string(kHead) + a + cut + ends + row("y", 2));
  EXPECT_EQ(good.events.size(), 3U);
  EXPECT_FALSE(good.diagnostics.has_loss());
}

// What is left where rows are gone from a plain cell of one into a quoted cell of another.
TEST(AscendTableDamage, AQuoteThatIsNotOpenedIsDataLoss) {
  for (const std::string_view name : {"a;64\"\"\"", "a\" ", "a\"\"\"\"b"}) {
    const trace::Trace trace = read(std::string(kHead) + row("x") + row(std::string(name), 1));
    EXPECT_EQ(trace.events.size(), 2U) << name;
    EXPECT_EQ(trace.diagnostics.count_of(kDamagedRecord), 1U) << name;
  }
  for (const std::string_view name : {"5\"x", " \"a\" ", " \"say \"\"hi\"\"\"\t"}) {
    const trace::Trace trace = read(std::string(kHead) + row(std::string(name)));
    EXPECT_FALSE(trace.diagnostics.has_loss()) << name;
  }
}

TEST(AscendTableDamage, ManyTabsInsideOfACellAreDataLossToo) {
  const trace::Trace trace =
      read(std::string(kHead) + row("a") + row("b" + std::string(99, '\t') + "c"));
  EXPECT_EQ(trace.diagnostics.count_of(kJoinedCells), 1U);
}

TEST(AscendTableDamage, ATabInsideOfACellIsSaidAsOne) {
  const trace::Trace trace = read(std::string(kHead) + row("a\tb") + row("c", 1));
  EXPECT_EQ(trace.events.size(), 2U);
  ASSERT_EQ(trace.diagnostics.entries().size(), 1U);
  EXPECT_EQ(trace.diagnostics.entries()[0].text(),
            "A cell of a table has a tab or a carriage return between other text, where no "
            "profiler writes one; the row was kept, but cells of two rows may have become one "
            "there.");
  EXPECT_TRUE(trace.diagnostics.has_loss());
}

TEST(AscendTableDamage, ATableWithoutALastLineEndIsToldHowToMendIt) {
  std::string text = std::string(kHead) + row("a") + row("b", 1);
  text.pop_back();
  const trace::Trace trace = read(text);
  ASSERT_EQ(trace.diagnostics.entries().size(), 1U);
  EXPECT_EQ(trace.diagnostics.entries()[0].text(),
            "The last row of a table has no line end, as when a profiler is killed; it was kept, "
            "but its last cell may have lost its end, and rows behind it may be missing. If it is "
            "whole, end it with a line end.");
}

using Record = std::vector<std::string>;

bool is_row(const Record& record) {
  return record.size() == kWidth &&
         parse_decimal(trimmed(record[kStartColumn]), kMicrosecondsToPicoseconds).has_value();
}

bool is_blank_between(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// The records of a text whose quotes and line ends are right to the letter, byte by byte.
std::optional<std::vector<Record>> strict_records(std::string_view text) {
  enum class At { kStart, kPlain, kQuoted, kBehind };
  std::vector<Record> records;
  Record record(1);
  At at = At::kStart;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (at == At::kQuoted) {
      const bool is_doubled = c == '"' && i + 1 < text.size() && text[i + 1] == '"';
      if (c == '"' && !is_doubled) at = At::kBehind;
      if (is_doubled) ++i;
      record.back() += c;
    } else if (c == ',' || c == '\n') {
      at = At::kStart;
      if (c == ',') record.emplace_back();
      if (c == '\n') records.push_back(std::exchange(record, Record(1)));
    } else if (c == '"') {
      if (at == At::kBehind) return std::nullopt;
      if (at == At::kStart) at = At::kQuoted;
      if (at == At::kPlain) {  // alone it is only text
        const bool is_last =
            text.find_first_not_of(" \t\r", i + 1) == text.find_first_of("\",\n", i + 1);
        if (is_last) return std::nullopt;
        record.back() += c;
      }
    } else {
      if (at == At::kBehind && !is_blank_between(c)) return std::nullopt;
      if (at == At::kStart) at = At::kPlain;
      record.back() += c;
    }
  }
  if (at != At::kStart || record.size() > 1) return std::nullopt;
  return records;
}

// How many rows the text has; nothing when anything is wrong with it.
std::optional<std::size_t> strict_rows(std::string_view text) {
  const auto records = strict_records(text);
  if (!records) return std::nullopt;
  std::size_t rows = 0;
  for (std::size_t i = 1; i < records->size(); ++i) {
    const Record& record = (*records)[i];
    if (record.size() == 1 && trimmed(record[0]).empty()) continue;
    if (!is_row(record)) return std::nullopt;
    ++rows;
  }
  return rows;
}

// Lines that are rows by themselves, whatever stands around them.
std::size_t rows_of_one_line(std::string_view text) {
  std::size_t rows = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const auto records = strict_records(text.substr(0, end));
    if (records && records->size() == 1 && is_row((*records)[0])) ++rows;
    text.remove_prefix(end);
  }
  return rows;
}

std::string damaged(std::string text, std::mt19937_64& random) {
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random() % limit); };
  constexpr std::string_view kBytes = ",\"\n\r\t x";
  const std::size_t at = kHead.size() + below(text.size() - kHead.size());
  const std::size_t size = std::min<std::size_t>(
      text.size() - at, std::vector<std::size_t>{1, 1, 2, 8, 60, 200}[below(6)]);
  switch (below(6)) {
    case 0:
      return text.erase(at, size);
    case 1:
      return text.replace(at, size, size, kBytes[below(kBytes.size())]);
    case 2:
      return text.insert(at, text.substr(kHead.size() + below(text.size() - kHead.size()), size));
    case 3:
      return text.replace(at, 1, 1, static_cast<char>(text[at] ^ (1 << below(7))));
    case 4:
      return text.insert(at, 1, kBytes[below(kBytes.size())]);
    default: {  // a quote, a comma or a line end that becomes something else, or goes
      const std::size_t border = text.find_first_of(",\"\n", at);
      if (border == std::string::npos) return text;
      return below(2) == 0 ? text.erase(border, 1)
                           : text.replace(border, 1, 1, kBytes[below(kBytes.size())]);
    }
  }
}

// The rows that can be told from the bytes are there, or it is said that some are not.
TEST(AscendTableDamage, RowsThatDamageSwallowsAreSaid) {
  constexpr std::size_t kRows = 12;
  std::mt19937_64 random(12);
  std::string plain(kHead);
  std::string over_lines(kHead);
  for (int i = 0; i < static_cast<int>(kRows); ++i) {
    plain += row(i % 3 == 0 ? "\"a,b\"" : "a", i);
    over_lines += row(i % 3 == 0 ? "\"a,\nb\"" : "a", i);
  }
  std::size_t swallowed = 0;
  for (int i = 0; i < 6'000; ++i) {
    std::string text = damaged(i % 2 == 0 ? plain : over_lines, random);
    if (i % 5 == 0) text = damaged(text, random);
    const Result<trace::Trace> trace = try_read(text);
    if (!trace.ok()) continue;
    const std::size_t rows = trace.value().events.size();
    if (rows >= kRows || trace.value().diagnostics.has_loss()) continue;
    ++swallowed;
    const auto told = strict_rows(text);
    EXPECT_TRUE(told.has_value() && *told <= rows) << i << "\n" << text;
    EXPECT_LE(rows_of_one_line(text), rows) << i << "\n" << text;
  }
  EXPECT_LT(swallowed, 150U) << "nobody can tell, but that is rare";
}

}  // namespace
}  // namespace lockstep::formats::ascend_text
