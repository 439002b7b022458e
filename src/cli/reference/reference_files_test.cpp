// The claim that nothing made from the records of options has drifted from them.
#include "cli/reference/reference_files.h"

#include <algorithm>
#include <filesystem>
#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/reference/command_record.h"

namespace lockstep::cli::reference {
namespace {

const std::string kSource = LOCKSTEP_SOURCE_DIR;

TEST(ReferenceFiles, AreInTheTreeAsTheRecordsOfOptionsMakeThem) {
  const auto files = reference_files(kSource);
  ASSERT_TRUE(files.ok()) << files.error().text();
  for (const ReferenceFile& file : files.value()) {
    EXPECT_TRUE(text_of_file(kSource + "/" + file.path) == file.content)
        << file.path << " is not what the options say; run 'make reference'";
  }
}

TEST(ReferenceFiles, HaveNoOthersBesideThem) {
  const auto files = reference_files(kSource);
  ASSERT_TRUE(files.ok());
  for (const char* const folder : {"docs/man", "completions"}) {
    for (const auto& entry : std::filesystem::directory_iterator(kSource + "/" + folder)) {
      const std::string path = folder + ("/" + entry.path().filename().string());
      EXPECT_EQ(std::ranges::count(files.value(), path, &ReferenceFile::path), 1)
          << path << " belongs to no command";
    }
  }
}

TEST(ReferenceFiles, AreNotMadeWithoutThePages) {
  const auto files = reference_files("/nowhere");
  ASSERT_FALSE(files.ok());
  EXPECT_EQ(files.error().text(), "docs/reference/info.md: has no '<!-- options: info -->'");
}

bool has_option(const CommandRecord& record, const std::string& name) {
  return std::ranges::any_of(record.table.options(), [&](const Option& option) {
    return std::ranges::count(names_of(option), name) > 0;
  });
}

// The lines below the title of a page are written by hand.
TEST(ReferencePages, NameOnlyOptionsThatThereAreInTheirSynopsis) {
  for (const CommandRecord& record : command_records()) {
    if (!record.members.empty()) continue;
    const std::string page =
        text_of_file(kSource + "/docs/reference/" + page_name(record.name()) + ".md");
    const std::size_t start = page.find("    lockstep " + record.name());
    ASSERT_NE(start, std::string::npos) << record.name();
    const std::string synopsis = page.substr(start, page.find("\n\n", start) - start);
    const std::regex name("(?:^|[ \\[])(--?[a-z][a-z-]*)");
    for (std::sregex_iterator found(synopsis.begin(), synopsis.end(), name), end; found != end;
         ++found) {
      EXPECT_TRUE(has_option(record, found->str(1))) << record.name() << " " << found->str(1);
    }
  }
}

// What help, man pages and completions are made of.
TEST(OptionRecords, AreWhole) {
  for (const CommandRecord& record : command_records()) {
    for (const Option& option : record.table.options()) {
      SCOPED_TRACE(record.name() + " " + option.names);
      EXPECT_FALSE(option.help.empty());
      EXPECT_FALSE(option.help.ends_with('.'));
      EXPECT_FALSE(option.details.ends_with('.'));
      if (is_positional(option)) continue;
      EXPECT_EQ(option.value.empty(), !takes_value(option));
      EXPECT_FALSE(option.help.contains('\n'));
    }
  }
}

TEST(OptionRecords, TellTheWordsThatTheyComplete) {
  for (const CommandRecord& record : command_records()) {
    for (const Option& option : record.table.options()) {
      for (const std::string& word : option.words) {
        if (word == "P1" || word == "P2") continue;  // "P0 to P3"
        EXPECT_TRUE((option.help + option.value).contains(word))
            << record.name() << " " << option.names << " " << word;
      }
    }
  }
}

}  // namespace
}  // namespace lockstep::cli::reference
