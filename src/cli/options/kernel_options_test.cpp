// Claims on the words that say how a profile is read.
#include "cli/options/kernel_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/options/option_parser.h"

namespace lockstep::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

KernelFlags parsed(std::vector<std::string> words) {
  KernelFlags flags;
  OptionTable table;
  flags.add_to(table);
  EXPECT_TRUE(parse_words(table, std::move(words)).ok());
  return flags;
}

TEST(KernelNames, AreSplitAtCommas) {
  EXPECT_THAT(split_names("load,compute"), ElementsAre("load", "compute"));
  EXPECT_THAT(split_names("load,,store"), ElementsAre("load", "", "store"));
  EXPECT_THAT(split_names("one"), ElementsAre("one"));
}

TEST(KernelFlags, NameAFormat) {
  const auto options = parsed({"--format", "flashinfer-old", "--groups", "3", "--blocks", "4",
                               "--names", "a,b", "--meta", "m.json"})
                           .resolve();
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options.value().format, formats::kernel_profile::KernelFormat::kFlashInferOld);
  EXPECT_EQ(options.value().groups, 3U);
  EXPECT_EQ(options.value().blocks, 4U);
  EXPECT_THAT(options.value().names, ElementsAre("a", "b"));
  EXPECT_EQ(options.value().meta_path, "m.json");
}

TEST(KernelFlags, AskBackWhereAFormatIsNotKnown) {
  const auto options = parsed({"--format", "tmv"}).resolve();
  ASSERT_FALSE(options.ok());
  EXPECT_EQ(options.error().code, ErrorCode::kUsage);
  EXPECT_THAT(options.error().text(), HasSubstr("no in-kernel format 'tmv'; did you mean 'tvm'?"));
}

trace::KernelProfile two_launches() {
  trace::KernelProfile profile;
  profile.launches.resize(2);
  profile.launches[0].id = 4;
  profile.launches[1].id = 9;
  profile.lanes.resize(3);
  profile.lanes[0].launch = 0;
  profile.lanes[1].launch = 1;
  profile.lanes[1].block = 5;
  profile.lanes[2].launch = 1;
  return profile;
}

TEST(KernelFlags, KeepOneLaunch) {
  trace::KernelProfile profile = two_launches();
  ASSERT_TRUE(parsed({"--launch", "9"}).apply(profile).ok());
  ASSERT_EQ(profile.launches.size(), 1U);
  EXPECT_EQ(profile.launches[0].id, 9U);
  ASSERT_EQ(profile.lanes.size(), 2U);
  EXPECT_EQ(profile.lanes[0].block, 5U);
  EXPECT_EQ(profile.lanes[0].launch, 0U);
}

TEST(KernelFlags, KeepAllLaunchesByDefault) {
  trace::KernelProfile profile = two_launches();
  ASSERT_TRUE(parsed({}).apply(profile).ok());
  EXPECT_EQ(profile.lanes.size(), 3U);
}

TEST(KernelFlags, RefuseALaunchThatIsNotThere) {
  trace::KernelProfile profile = two_launches();
  const Status status = parsed({"--launch", "1"}).apply(profile);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kUsage);
  EXPECT_THAT(status.error().text(), HasSubstr("no launch has the id 1"));
}

}  // namespace
}  // namespace lockstep::cli
