// Records and cells, however they are quoted, ended and cut.
#include "formats/ascend_text/csv_scanner.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockstep::formats::ascend_text {
namespace {

using Records = std::vector<std::vector<std::string>>;

struct Scanned {
  Records records;
  std::uint64_t damaged = 0;
  std::uint64_t damaged_texts = 0;
  std::uint64_t joined_cells = 0;
  std::uint64_t first_damaged_row = 0;
  bool ended_with_file = false;
};

Scanned scan(const std::string& text, std::size_t chunk_bytes) {
  io::MemorySource source(text);
  shared::ReadOptions options;
  options.chunk_bytes = chunk_bytes;
  CsvScanner scanner(source, options);
  Scanned out;
  std::vector<std::string_view> cells;
  while (true) {
    const Result<bool> any = scanner.next(cells);
    EXPECT_TRUE(any.ok());
    if (!any.ok() || !any.value()) break;
    out.records.emplace_back(cells.begin(), cells.end());
    out.ended_with_file = scanner.ended_with_file();
  }
  out.damaged = scanner.damaged_records().count;
  out.first_damaged_row = scanner.damaged_records().first_row;
  out.damaged_texts = scanner.damaged_texts().count;
  out.joined_cells = scanner.joined_cells().count;
  return out;
}

Records cleaned(Records records) {
  std::string scratch;
  for (auto& record : records) {
    for (std::string& cell : record) cell = std::string(clean(cell, scratch));
  }
  return records;
}

// The same however the text is cut.
Scanned scan_every_way(const std::string& text) {
  Scanned whole = scan(text, text.size() + 1);
  for (const std::size_t chunk : {1, 2, 3, 7, 16, 100}) {
    const Scanned cut = scan(text, chunk);
    EXPECT_EQ(cut.records, whole.records) << "in chunks of " << chunk;
    EXPECT_EQ(cut.damaged, whole.damaged) << "in chunks of " << chunk;
    EXPECT_EQ(cut.damaged_texts, whole.damaged_texts) << "in chunks of " << chunk;
  }
  return whole;
}

TEST(CsvScanner, CellsAndLineEndsOfAllSorts) {
  const Scanned read = scan_every_way("a,b\r\n1,\n\n  \r\n,x\n");
  EXPECT_EQ(cleaned(read.records), (Records{{"a", "b"}, {"1", ""}, {"", "x"}}));
  EXPECT_FALSE(read.ended_with_file);
}

TEST(CsvScanner, QuotesHoldCommasAndQuotes) {
  const Scanned read = scan_every_way(
      "\"\"\"32,3;64\"\"\",\"a\" \t,\"say \"\"hi\"\" now\",5\"x\n1736405443881410.320\t,\"2\"\r\n");
  EXPECT_EQ(cleaned(read.records),
            (Records{{"32,3;64", "a", "say \"hi\" now", "5\"x"}, {"1736405443881410.320", "2"}}));
  EXPECT_EQ(read.damaged, 0U);
  EXPECT_EQ(read.damaged_texts, 0U);
  EXPECT_EQ(read.joined_cells, 0U);
}

TEST(CsvScanner, AQuoteSwallowsNoLineBehindItsOwn) {
  const Scanned read = scan_every_way("a,b\n\"1,2\n3,4\n5,\"x\"\n7,8\n");
  EXPECT_EQ(read.records,
            (Records{{"a", "b"}, {"\"1", "2"}, {"3", "4"}, {"5", "\"x\""}, {"7", "8"}}));
  EXPECT_EQ(read.damaged, 1U);
  EXPECT_EQ(read.first_damaged_row, 2U);
}

TEST(CsvScanner, TextBehindAClosingQuoteIsDamage) {
  const Scanned read = scan_every_way("a,b\n\"1,2\"3,4\n5,\"6\"x\n7,\"8\"\n");
  EXPECT_EQ(read.records,
            (Records{{"a", "b"}, {"\"1,2\"3", "4"}, {"5", "\"6\"x"}, {"7", "\"8\""}}));
  EXPECT_EQ(read.damaged, 2U);
  EXPECT_EQ(read.first_damaged_row, 2U);
}

TEST(CsvScanner, BytesThatNoTableHoldsAreCountedByRecord) {
  const Scanned read = scan_every_way(std::string("a,b\n1\0\0,2\n\xFF,4\n5,6\n\0\n", 20));
  EXPECT_EQ(read.damaged_texts, 3U);
  EXPECT_EQ(read.damaged, 0U);
}

TEST(CsvScanner, AByteOrderMarkIsNoCell) {
  EXPECT_EQ(scan_every_way("\xEF\xBB\xBFName,x\n1,2\n").records[0][0], "Name");
  EXPECT_TRUE(scan_every_way("\xEF\xBB\xBF").records.empty());
}

TEST(CsvScanner, TheLastLineNeedsNoEnd) {
  const Scanned read = scan_every_way("a,b\n1,2");
  EXPECT_EQ(read.records.size(), 2U);
  EXPECT_TRUE(read.ended_with_file);
}

TEST(CsvScanner, AQuoteThatIsNeverClosedEndsWithItsLine) {
  const Scanned read = scan_every_way("a,b\n\"1,2\n3,4\n5,6\n");
  EXPECT_EQ(read.damaged, 1U);
  ASSERT_EQ(read.records.size(), 4U);
  EXPECT_EQ(read.records[2][0], "3");
}

TEST(CsvScanner, EveryOpenQuoteCostsItsOwnLineOnly) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += "\"x,\n";
  const Scanned read = scan(text, 256 * 1024);
  EXPECT_EQ(read.records.size(), 200'000U);
  EXPECT_EQ(read.damaged, 200'000U);
}

TEST(CsvScanner, ALineBeyondAllMeasureIsPassedOver) {
  const std::string text = "a,b\n" + std::string(3 * CsvScanner::kMaxRecordBytes, 'x') + "\n1,2\n";
  const Scanned read = scan(text, 64 * 1024);
  EXPECT_EQ(read.records, (Records{{"a", "b"}, {"1", "2"}}));
  EXPECT_EQ(read.damaged, 1U);
}

TEST(CsvScanner, LineEndsAndTabsInsideCellsAreDamage) {
  for (const std::string_view joined : {"a,1\t\r2,b\n", "a,1\r2\n", "a,\r1\n", "a,1\t2\n"}) {
    const std::string text = "h,i\r\n" + std::string(joined) + "c,3\t\r\n";
    for (std::size_t chunk = 1; chunk < 30; ++chunk) {
      EXPECT_EQ(scan(text, chunk).joined_cells, 1U) << joined << chunk;
      EXPECT_EQ(scan(text, chunk).damaged_texts, 0U) << joined << chunk;
    }
  }
  for (const std::string_view good :
       {"a,\t1\t,2\n", "a,1\t\r\n", "a\r\r\n", "a,\" b\t\",\t\"c\"\n", "a,1 \t 2\n"}) {
    for (std::size_t chunk = 1; chunk < 30; ++chunk) {
      EXPECT_EQ(scan(std::string(good), chunk).joined_cells, 0U) << good << chunk;
    }
  }
}

TEST(CsvScanner, BlankIsWhatSaysNothing) {
  EXPECT_TRUE(is_blank(""));
  EXPECT_TRUE(is_blank("N/A"));
  EXPECT_FALSE(is_blank("0"));
}

// A slow, obvious cutter of text in which every quote is closed.
Records obvious(const std::string& text) {
  Records records;
  std::vector<std::string> record(1);
  bool quoted = false;
  bool at_start = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      record.back() += c;
      if (c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
        record.back() += text[++i];
      } else if (c == '"') {
        quoted = false;
      }
      continue;
    }
    if (c == ',') {
      record.emplace_back();
    } else if (c == '\n') {
      records.push_back(record);
      record.assign(1, "");
    } else {
      quoted = c == '"' && at_start;
      record.back() += c;
    }
    at_start = c == ',' || c == '\n';
  }
  if (record.size() > 1 || !record[0].empty()) records.push_back(record);
  std::erase_if(records, [](const auto& r) { return r.size() == 1 && trimmed(r[0]).empty(); });
  return records;
}

RC_GTEST_PROP(CsvScanner, AgreesWithTheObviousCutter, ()) {
  const auto cell = rc::gen::oneOf(
      rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab1. \t"))),
      rc::gen::map(rc::gen::container<std::string>(rc::gen::elementOf(std::string("a, ;"))),
                   [](const std::string& inner) { return "\"" + inner + "\"\"x\""; }));
  const auto records = *rc::gen::container<std::vector<std::vector<std::string>>>(
      rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(cell)));
  std::string text;
  for (const auto& record : records) {
    for (std::size_t i = 0; i < record.size(); ++i) text += (i == 0 ? "" : ",") + record[i];
    text += '\n';
  }
  const auto chunk = *rc::gen::inRange<std::size_t>(1, 40);
  RC_ASSERT(scan(text, chunk).records == obvious(text));
}

}  // namespace
}  // namespace lockstep::formats::ascend_text
