// Claims on the counting of diagnostics.
#include "base/diagnostics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep {
namespace {

using testing::ElementsAre;

constexpr DiagnosticKind kNote{"note", Severity::kInfo, "Something is worth knowing."};
constexpr DiagnosticKind kLoss{"loss", Severity::kDataLoss, "A record is missing."};
constexpr DiagnosticKind kWrong{"wrong", Severity::kError, "The input contradicts itself."};

// "source/kind: count" of every entry.
std::vector<std::string> lines_of(const Diagnostics& diagnostics) {
  std::vector<std::string> lines;
  for (const Diagnostic& entry : diagnostics.entries()) {
    lines.push_back(entry.source + "/" + std::string(entry.kind->name) + ": " +
                    std::to_string(entry.count));
  }
  return lines;
}

TEST(Diagnostics, KindsComeOutInTheOrderInWhichTheyWereMet) {
  Diagnostics diagnostics;
  diagnostics.add(kLoss);
  diagnostics.add(kNote);
  diagnostics.add(kLoss, Place::none(), {}, 4);
  EXPECT_THAT(lines_of(diagnostics), ElementsAre("/loss: 5", "/note: 1"));
  EXPECT_EQ(diagnostics.count_of(kLoss), 5U);
  EXPECT_EQ(diagnostics.count_of(kWrong), 0U);
}

TEST(Diagnostics, FirstPlaceAndExampleAreKept) {
  Diagnostics diagnostics;
  diagnostics.add(kLoss, Place::byte(70), "ts is \"x\"");
  diagnostics.add(kLoss, Place::row(3), "another");
  const Diagnostic& entry = diagnostics.entries().front();
  EXPECT_EQ(entry.first.unit, Place::Unit::kByte);
  EXPECT_EQ(entry.first.at, 70U);
  EXPECT_EQ(entry.text(), "A record is missing. (first: ts is \"x\")");
}

TEST(Diagnostics, TextIsOneLineWhateverTheExample) {
  Diagnostics diagnostics;
  diagnostics.add(kLoss, Place::row(3), "a\x1b[2J\n\xFF");
  EXPECT_EQ(diagnostics.entries().front().text(),
            "A record is missing. (first: a\uFFFD[2J\uFFFD\uFFFD)");
}

TEST(Diagnostics, TheTimeOfAnExampleStandsBehindIt) {
  Diagnostics diagnostics;
  diagnostics.add(kLoss, Place::time(Time{9'000'000}), "stream 7");
  EXPECT_EQ(diagnostics.entries().front().example_words(), "stream 7 at 9.000 us");
  EXPECT_EQ(diagnostics.entries().front().text(),
            "A record is missing. (first: stream 7 at 9.000 us)");
}

TEST(Diagnostics, TimesBeforeTheOriginArePlacesToo) {
  Diagnostics diagnostics;
  diagnostics.add(kLoss, Place::time(Time{-100'000}), "gemm");
  EXPECT_EQ(diagnostics.entries().front().example_words(), "gemm at -100 ns");
}

TEST(Diagnostics, TextWithoutAnExampleIsTheHelpSentence) {
  Diagnostics diagnostics;
  diagnostics.add(kLoss, Place::row(3));
  EXPECT_EQ(diagnostics.entries().front().text(), "A record is missing.");
  EXPECT_EQ(diagnostics.entries().front().first.unit, Place::Unit::kRow);
}

TEST(Diagnostics, NothingIsAddedForACountOfZero) {
  Diagnostics diagnostics;
  diagnostics.add(kWrong, Place::byte(1), "x", 0);
  EXPECT_TRUE(diagnostics.entries().empty());
  EXPECT_FALSE(diagnostics.has_loss());
}

TEST(Diagnostics, OnlyLossAndErrorsAreLoss) {
  Diagnostics notes;
  notes.add(kNote);
  EXPECT_FALSE(notes.has_loss());

  Diagnostics loss = notes;
  loss.add(kLoss);
  EXPECT_TRUE(loss.has_loss());

  Diagnostics wrong = notes;
  wrong.add(kWrong);
  EXPECT_TRUE(wrong.has_loss());
}

TEST(Diagnostics, AbsorbingKeepsSourcesApart) {
  Diagnostics found;
  found.add(kLoss, Place::byte(5), "cut", 2);
  Diagnostics all;
  all.absorb(found, "a.json");
  all.absorb(found, "b.json");
  all.absorb(found, "a.json");
  EXPECT_THAT(lines_of(all), ElementsAre("a.json/loss: 4", "b.json/loss: 2"));
  EXPECT_EQ(all.count_of(kLoss), 6U);
  EXPECT_EQ(all.entries()[1].example, "cut");
  EXPECT_EQ(all.entries()[1].first.at, 5U);
}

TEST(Diagnostics, AbsorbedSourceIsNotRenamedByASecondAbsorbing) {
  Diagnostics found;
  found.add(kLoss);
  Diagnostics rank;
  rank.absorb(found, "a.json");
  Diagnostics all;
  all.absorb(found, "directory");
  all.absorb(rank, "directory");
  all.absorb(rank, "directory");
  EXPECT_THAT(lines_of(all), ElementsAre("directory/loss: 1", "a.json/loss: 2"));
}

TEST(Diagnostics, AddingAfterAbsorbingIsNotCountedForThatSource) {
  Diagnostics found;
  found.add(kLoss);
  Diagnostics all;
  all.absorb(found, "a.json");
  all.add(kLoss);
  EXPECT_THAT(lines_of(all), ElementsAre("a.json/loss: 1", "/loss: 1"));
}

TEST(Diagnostics, SeverityNamesAreStable) {
  EXPECT_EQ(name_of(Severity::kInfo), "info");
  EXPECT_EQ(name_of(Severity::kDataLoss), "data_loss");
  EXPECT_EQ(name_of(Severity::kError), "error");
}

}  // namespace
}  // namespace lockstep
