// Temporary folders: filled from a source, gone afterwards, refused with a sentence.
#include "io/temporary_folder.h"

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <span>

#include <gtest/gtest.h>

namespace lockstep::io {
namespace {

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(TemporaryFolder, HoldsWhatItWasGivenAndGoesAway) {
  std::string path;
  {
    auto folder = TemporaryFolder::make();
    ASSERT_TRUE(folder.ok());
    const std::string bytes(3'000'000, 'x');
    MemorySource source(bytes);
    auto spooled = folder.value()->spool(source, "a.db");
    ASSERT_TRUE(spooled.ok());
    path = spooled.value();
    EXPECT_EQ(content_of(path), bytes);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(path).parent_path()));
}

// For want of memory in a layer that unpacks, say.
class ThrowingSource : public MemorySource {
 public:
  ThrowingSource() : MemorySource("") {}
  [[nodiscard]] Result<std::size_t> read(std::span<char>) override { throw std::bad_alloc(); }
};

std::ptrdiff_t open_descriptors() {
  const std::filesystem::directory_iterator listed("/proc/self/fd");
  return std::distance(begin(listed), end(listed));
}

TEST(TemporaryFolder, LeavesNoFileOpenWhenItsSourceThrows) {
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder.ok());
  const std::ptrdiff_t before = open_descriptors();
  ThrowingSource source;
  EXPECT_THROW((void)folder.value()->spool(source, "a.db"), std::bad_alloc);
  EXPECT_EQ(open_descriptors(), before);
}

TEST(TemporaryFolder, NamesTheVariableWhenItIsFull) {
  EXPECT_EQ(temporary_writing_failed("/t/a", ENOSPC).text(),
            "/t/a: writing failed: No space left on device. Free some space there or name another "
            "folder with TMPDIR");
}

TEST(TemporaryFolder, NamesTheVariableWhenItCannotBeMade) {
  ::setenv("TMPDIR", "/nonexistent/place", 1);
  const auto folder = TemporaryFolder::make();
  ::unsetenv("TMPDIR");
  ASSERT_FALSE(folder.ok());
  EXPECT_EQ(folder.error().text(),
            "/nonexistent/place: cannot be written: No such file or directory. A folder for "
            "temporary files is needed; name one with TMPDIR");
}

}  // namespace
}  // namespace lockstep::io
