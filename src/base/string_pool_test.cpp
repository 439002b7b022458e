// Claims on interned strings; ids are compared with those of std::unordered_map.
#include "base/string_pool.h"

#include <string>
#include <unordered_map>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockstep {
namespace {

constexpr std::size_t kBlockBytes = 64 * 1024;  // the size that store() allocates by

TEST(StringPool, IdZeroIsTheEmptyString) {
  StringPool pool;
  EXPECT_EQ(pool.size(), 1U);
  EXPECT_EQ(pool.view(kEmptyString), "");
  EXPECT_EQ(pool.intern(""), kEmptyString);
  EXPECT_EQ(pool.intern({}), kEmptyString);
  EXPECT_TRUE(pool.find("").has_value());
}

TEST(StringPool, IdsAreDenseInOrderOfFirstUse) {
  StringPool pool;
  EXPECT_EQ(pool.intern("a"), StringId{1});
  EXPECT_EQ(pool.intern("b"), StringId{2});
  EXPECT_EQ(pool.intern("a"), StringId{1});
  EXPECT_EQ(pool.size(), 3U);
}

TEST(StringPool, AskingDoesNotIntern) {
  StringPool pool;
  EXPECT_FALSE(pool.find("a").has_value());
  EXPECT_EQ(pool.size(), 1U);
  pool.intern("a");
  EXPECT_TRUE(pool.find("a").has_value());
}

TEST(StringPool, StringsThatDifferBehindANulAreDifferent) {
  using namespace std::string_view_literals;
  StringPool pool;
  const StringId bare = pool.intern("a"sv);
  const StringId nul = pool.intern("a\0"sv);
  const StringId tail = pool.intern("a\0b"sv);
  EXPECT_NE(bare, nul);
  EXPECT_NE(nul, tail);
  EXPECT_EQ(pool.view(tail), "a\0b"sv);
  EXPECT_NE(pool.intern("\0"sv), kEmptyString);
}

TEST(StringPool, StringsAroundTheSizeOfABlockAreKept) {
  StringPool pool;
  for (const std::size_t size :
       {kBlockBytes - 1, kBlockBytes, kBlockBytes + 1, 5 * kBlockBytes, std::size_t{1}}) {
    const std::string text(size, 'x');
    const StringId id = pool.intern("before " + text);
    EXPECT_EQ(pool.view(pool.intern(text)), text);
    EXPECT_EQ(pool.view(id), "before " + text);
  }
}

TEST(StringPool, ViewsStayWhereTheyAreWhileThePoolGrows) {
  StringPool pool;
  std::vector<std::string_view> views;
  for (int i = 0; i < 50'000; ++i) {
    views.push_back(pool.view(pool.intern("name " + std::to_string(i))));
  }
  for (int i = 0; i < 50'000; ++i) {
    const std::string text = "name " + std::to_string(i);
    ASSERT_EQ(views[static_cast<std::size_t>(i)], text);
    const std::string_view again = pool.view(pool.intern(text));
    ASSERT_EQ(again.data(), views[static_cast<std::size_t>(i)].data());
  }
  EXPECT_EQ(pool.size(), 50'001U);
}

TEST(StringPool, CallersBufferMayBeReused) {
  StringPool pool;
  std::string buffer = "first";
  const StringId first = pool.intern(buffer);
  buffer = "other";
  EXPECT_NE(pool.intern(buffer), first);
  EXPECT_EQ(pool.view(first), "first");
}

RC_GTEST_PROP(StringPoolProperties, GivesTheIdsThatAMapWouldGive,
              (const std::vector<std::string>& words)) {
  StringPool pool;
  std::unordered_map<std::string, std::uint32_t> expected = {{"", 0}};
  // Twice, so that every word is met again after growth.
  for (int round = 0; round < 2; ++round) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      for (std::size_t copies = 0; copies < 40; ++copies) {
        const std::string word = words[i] + std::to_string(copies * i);
        const auto id = static_cast<std::uint32_t>(expected.size());
        const auto known = expected.try_emplace(word, id).first;
        RC_ASSERT(static_cast<std::uint32_t>(pool.intern(word)) == known->second);
      }
    }
  }
  RC_ASSERT(pool.size() == expected.size());
  for (const auto& [word, id] : expected) RC_ASSERT(pool.view(StringId{id}) == word);
}

}  // namespace
}  // namespace lockstep
