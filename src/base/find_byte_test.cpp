// Searches for one of two bytes, against a search byte by byte.
#include "base/find_byte.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

namespace lockstep {
namespace {

std::string padded(std::string text) {
  // What lies behind the text must not be found.
  return std::move(text) + std::string(kFindBytePadding, ',');
}

std::size_t slow_find(std::string_view text, std::size_t at) {
  return std::min(text.find_first_of(",\n", at), text.size());
}

std::string random_text(std::mt19937& random, std::size_t size, unsigned one_in) {
  std::string text(size, 'x');
  for (char& c : text) {
    if (random() % one_in == 0) c = random() % 2 == 0 ? ',' : '\n';
  }
  return text;
}

TEST(FindByte, IsWhereASearchByteByByteIs) {
  std::mt19937 random(1);
  for (unsigned round = 0; round < 2000; ++round) {
    const std::string text =
        random_text(random, random() % 300, 1 + static_cast<unsigned>(random() % 100));
    const std::string buffer = padded(text);
    const char* const end = buffer.data() + text.size();
    for (std::size_t at = 0; at <= text.size(); at += 1 + random() % 40) {
      EXPECT_EQ(find_either(buffer.data() + at, end, ',', '\n'),
                buffer.data() + slow_find(text, at));
    }
  }
}

TEST(FindByte, OneAfterTheOtherIsTheSame) {
  std::mt19937 random(2);
  for (unsigned round = 0; round < 2000; ++round) {
    const std::string text =
        random_text(random, random() % 300, 1 + static_cast<unsigned>(random() % 100));
    const std::string buffer = padded(text);
    EitherFinder finder(buffer.data(), buffer.data() + text.size(), ',', '\n');
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t expected = slow_find(text, at);
      ASSERT_EQ(finder.next(buffer.data() + at), buffer.data() + expected);
      // Most go on behind what was found, some further on, as behind a quoted cell.
      at = expected + 1 + (random() % 4 == 0 ? random() % 150 : 0);
    }
  }
}

}  // namespace
}  // namespace lockstep
