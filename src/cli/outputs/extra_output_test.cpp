// Claims on outputs beside the report.
#include "cli/outputs/extra_output.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/options/option_parser.h"

namespace lockstep::cli {
namespace {

// A command with two of them, in a folder of its own.
class TwoOutputs : public ::testing::Test {
 protected:
  TwoOutputs() : folder_(::testing::TempDir() + "extra_" + std::to_string(::getpid()) + "/") {
    std::filesystem::create_directories(folder_);
  }
  ~TwoOutputs() override { std::filesystem::remove_all(folder_); }

  void parse(std::vector<std::string> words) {
    OptionTable table;
    table_.add_to(table);
    book_.add_to(table);
    ASSERT_TRUE(parse_words(table, std::move(words)).ok());
  }
  std::string refused(const std::vector<std::string>& inputs = {}) {
    const Status status = outputs_.open(inputs);
    return status.ok() ? "" : status.error().text();
  }

  std::string existing(const std::string& name) const {
    std::ofstream(folder_ + name) << "here";
    return folder_ + name;
  }

  std::string folder_;
  ExtraOutput table_{OutputKind::kTable, "also a table"};
  ExtraOutput book_{OutputKind::kWorkbook, "also a workbook"};
  ExtraOutputs outputs_{&table_, &book_};
};

TEST_F(TwoOutputs, AreNothingUnlessAskedFor) {
  parse({});
  ASSERT_EQ(refused(), "");
  EXPECT_FALSE(outputs_.is_any_asked());
  ASSERT_TRUE(outputs_.close().ok());
  EXPECT_EQ(outputs_.with_lines("report\n"), "report\n");
}

TEST_F(TwoOutputs, AppearTogetherWhenClosedAndSaySo) {
  const std::string csv = folder_ + "a.csv";
  const std::string xlsx = folder_ + "a.xlsx";
  parse({"--csv", csv, "--xlsx", xlsx});
  ASSERT_EQ(refused(), "");
  ASSERT_TRUE(table_.write("rows\n").ok());
  ASSERT_TRUE(book_.write(std::vector<report::sinks::XlsxSheet>(1)).ok());
  EXPECT_FALSE(std::filesystem::exists(csv));
  EXPECT_FALSE(std::filesystem::exists(xlsx));
  EXPECT_EQ(outputs_.with_lines("report\n"),
            "report\n\nwrote " + csv + "\nwrote " + xlsx + ": 1 sheet\n");
  ASSERT_TRUE(outputs_.close().ok());
  EXPECT_EQ(std::filesystem::file_size(csv), 5U);
  EXPECT_TRUE(std::filesystem::exists(xlsx));
}

TEST_F(TwoOutputs, AreNotOneFile) {
  const std::string path = folder_ + "a.xlsx";
  parse({"--csv", path, "--xlsx", path});
  EXPECT_EQ(refused(),
            "--csv and --xlsx name the same file, '" + path + "'. Each needs one of its own");
}

TEST_F(TwoOutputs, AreNoInput) {
  const std::string path = existing("a.csv");
  parse({"--csv", path});
  EXPECT_EQ(refused({path}),
            "the output '" + path + "' is an input. Choose another name with --csv");
}

TEST_F(TwoOutputs, HaveNames) {
  parse({"--xlsx", ""});
  EXPECT_EQ(refused(), "the name after --xlsx is empty");
}

TEST_F(TwoOutputs, AreNotTheReport) {
  parse({"--xlsx", "-"});
  EXPECT_EQ(refused(), "--xlsx cannot go to standard output, where the report goes. Name a file");
}

TEST_F(TwoOutputs, HaveNamesThatFitTheirKind) {
  parse({"--xlsx", folder_ + "a.txt"});
  EXPECT_EQ(refused(), "--xlsx '" + folder_ +
                           "a.txt' does not end in .xlsx. Spreadsheets do not open it then");
}

TEST_F(TwoOutputs, ATableMayReplaceTheReport) {
  parse({"--csv", "-"});
  EXPECT_EQ(refused(), "");
  EXPECT_TRUE(table_.replaces_report());
  EXPECT_FALSE(outputs_.is_any_asked());
}

// What a directory among the inputs turned out to hold.
TEST_F(TwoOutputs, AreNoFileThatWasRead) {
  const std::string path = existing("a.csv");
  parse({"--csv", path});
  ASSERT_EQ(refused(), "");
  formats::input::InputFacts facts;
  facts.files = {path};
  const Status status = outputs_.check(std::vector{facts});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "the output '" + path + "' is an input");
}

}  // namespace
}  // namespace lockstep::cli
