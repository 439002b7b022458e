// Telling of tar archives by their first bytes.
#include "formats/shared/tar_archive.h"

#include <array>
#include <cstdio>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::formats::shared {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The header of a member of that size; old writers leave no magic.
std::string header(std::string_view name, std::size_t size, std::string_view magic) {
  std::string block(512, '\0');
  block.replace(0, name.size(), name);
  block.replace(100, 8, std::string_view("0000644\0", 8));
  std::array<char, 13> digits{};
  std::snprintf(digits.data(), digits.size(), "%011zo", size);
  block.replace(124, 11, digits.data(), 11);
  block.replace(148, 8, "        ");
  block.replace(257, magic.size(), magic);
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  std::array<char, 9> checksum{};
  std::snprintf(checksum.data(), checksum.size(), "%06o", sum);
  block.replace(148, 6, checksum.data(), 6);
  block[154] = '\0';
  return block;
}

std::string member(std::string_view name, std::string_view bytes, std::string_view magic) {
  std::string all = header(name, bytes.size(), magic);
  all += bytes;
  all.resize((all.size() + 511) / 512 * 512, '\0');
  return all;
}

constexpr std::string_view kUstar = "ustar";

TEST(TarArchive, IsToldWithAndWithoutItsMagic) {
  EXPECT_TRUE(is_tar(member("trace.json", "{}", kUstar)));
  EXPECT_TRUE(is_tar(member("trace.json", "{}", {})));
}

TEST(TarArchive, ABrokenChecksumWithoutMagicIsNoTar) {
  std::string bytes = member("trace.json", "{}", {});
  bytes[20] = 'x';
  EXPECT_FALSE(is_tar(bytes));
}

TEST(TarArchive, ACutHeaderIsToldByItsMagic) {
  EXPECT_TRUE(is_tar(member("trace.json", "{}", kUstar).substr(0, 300)));
  EXPECT_FALSE(is_tar(member("trace.json", "{}", {}).substr(0, 300)));
}

TEST(TarArchive, TextAndZerosAreNone) {
  EXPECT_FALSE(is_tar(""));
  EXPECT_FALSE(is_tar(std::string(2048, '\0')));
  std::string json = R"({"traceEvents": [)" + std::string(1000, ' ');
  json.replace(257, 5, "ustar");
  EXPECT_FALSE(is_tar(json));
}

TEST(TarArchive, NamesMembersAsFarAsTheyAreSeen) {
  const std::string bytes = member("run/", "", kUstar) + member("run/a.json", "{}", kUstar) +
                            member("run/b.json", std::string(600, 'x'), kUstar);
  EXPECT_THAT(tar_members(bytes), ElementsAre("run/", "run/a.json", "run/b.json"));
  EXPECT_THAT(tar_members(bytes.substr(0, 1536)), ElementsAre("run/", "run/a.json"));
  EXPECT_THAT(tar_members("{}"), IsEmpty());
}

TEST(TarArchive, ASizeBeyondEverythingEndsTheWalk) {
  std::string bytes = member("a.json", "", kUstar);
  bytes.replace(124, 11, "77777777777");
  EXPECT_THAT(tar_members(bytes + bytes), ElementsAre("a.json"));
}

}  // namespace
}  // namespace lockstep::formats::shared
