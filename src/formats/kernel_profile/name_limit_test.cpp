// Names that would fill many times the recording.
#include "formats/kernel_profile/name_limit.h"

#include <gtest/gtest.h>

#include "formats/kernel_profile/kernel_findings.h"

namespace lockstep::formats::kernel_profile {
namespace {

std::vector<std::string> limited(std::vector<std::string> names, std::uint64_t uses,
                                 std::uint64_t bytes, std::string* found = nullptr) {
  Diagnostics findings;
  limit_names(names, uses, bytes, findings);
  if (found != nullptr && !findings.entries().empty()) *found = findings.entries()[0].example;
  return names;
}

TEST(NameLimit, ANameOnEveryRecordIsInProportionToTheRecording) {
  for (const std::uint64_t records : {100'000, 400'000}) {
    const std::uint64_t bytes = 8 * records + 60'000;
    const std::string name = limited({std::string(60'000, 'n')}, records, bytes)[0];
    EXPECT_LE(records * name.size(), 16 * bytes + (1U << 20)) << records;
    EXPECT_GE(name.size(), 128U) << records;
  }
}

TEST(NameLimit, ShortNamesAndFewUsesAreLeftAlone) {
  const std::string name(128, 'n');
  EXPECT_EQ(limited({name}, 1'000'000'000, 1)[0], name);
  const std::string longer(60'000, 'n');
  EXPECT_EQ(limited({longer}, 10, 1'000)[0], longer);
  EXPECT_EQ(limited({longer}, 0, 0)[0], longer);
}

TEST(NameLimit, WhatIsCutIsTold) {
  std::string found;
  static_cast<void>(limited({std::string(60'000, 'n'), "short"}, 1'000'000, 8'000'000, &found));
  EXPECT_EQ(found, "129 of 60000 bytes kept");
}

TEST(NameLimit, CharactersStayWhole) {
  std::string name;
  for (int i = 0; i < 1'000; ++i) name += "\xE2\x82\xAC";
  EXPECT_EQ(limited({name}, 1'000'000'000, 1)[0].size(), 126U);
}

}  // namespace
}  // namespace lockstep::formats::kernel_profile
