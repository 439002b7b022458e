// Claims on where an output leads.
#include "io/output_place.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include <gtest/gtest.h>

#include "io/byte_sink.h"

namespace lockstep::io {
namespace {

namespace fs = std::filesystem;

class OutputPlaceTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "place_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  static OutputPlace place(const std::string& path) {
    const auto found = find_output_place(path);
    EXPECT_TRUE(found.ok()) << path;
    return found.ok() ? found.value() : OutputPlace{};
  }

  fs::path folder_;
};

TEST_F(OutputPlaceTest, OpenDescriptorsAreStreamsByWhateverName) {
  if (!fs::exists("/proc/self/fd")) GTEST_SKIP() << "no /proc here";
  fs::create_symlink("/dev/stdout", folder_ / "link");
  const std::string task = "/proc/" + std::to_string(getpid()) + "/fd/1";
  for (const std::string& path : {std::string("/dev/stdout"), std::string("/dev/fd/1"), task,
                                  std::string("/proc/self/fd/1"), (folder_ / "link").string()}) {
    EXPECT_TRUE(place(path).is_stream) << path;
    EXPECT_EQ(place(path).descriptor, 1) << path;
  }
  EXPECT_EQ(place("/dev/stderr").descriptor, 2);
}

TEST_F(OutputPlaceTest, DescriptorOfARegularFileIsWrittenWhereItStands) {
  if (!fs::exists("/proc/self/fd")) GTEST_SKIP() << "no /proc here";
  const std::string path = folder_ / "file";
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT, 0600);
  ASSERT_EQ(::write(descriptor, "head ", 5), 5);
  const auto sink = open_output("/dev/fd/" + std::to_string(descriptor));
  ASSERT_TRUE(sink.ok());
  EXPECT_TRUE(sink.value()->write("tail").ok());
  EXPECT_TRUE(sink.value()->close().ok());
  std::string content(20, ' ');
  content.resize(static_cast<std::size_t>(pread(descriptor, content.data(), 20, 0)));
  EXPECT_EQ(content, "head tail");
  ::close(descriptor);
}

TEST_F(OutputPlaceTest, DescriptorThatIsNotOpenCannotBeWritten) {
  if (!fs::exists("/proc/self/fd")) GTEST_SKIP() << "no /proc here";
  const auto sink = open_output("/dev/fd/987");
  ASSERT_FALSE(sink.ok());
  EXPECT_EQ(sink.error().text(), "/dev/fd/987: cannot be written: Bad file descriptor");
}

TEST_F(OutputPlaceTest, DevicesAreStreamsAndFilesAreNot) {
  EXPECT_TRUE(place("/dev/null").is_stream);
  EXPECT_FALSE(place("/dev/null").descriptor.has_value());
  EXPECT_FALSE(place(folder_ / "new").is_stream);
  EXPECT_FALSE(place(folder_ / "new").mode.has_value());
}

TEST_F(OutputPlaceTest, LinksInACircleAreTold) {
  fs::create_symlink("a", folder_ / "b");
  fs::create_symlink("b", folder_ / "a");
  const auto found = find_output_place(folder_ / "a");
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().hint, "Its links lead in a circle");
}

TEST_F(OutputPlaceTest, HintFitsTheReason) {
  EXPECT_EQ(cannot_be_written("x", EACCES).hint, "Check that you may write there");
  EXPECT_EQ(cannot_be_written("x", EIO).hint, "");
  EXPECT_EQ(writing_failed("x", EFBIG).hint,
            "The limit on the size of files is reached (see 'ulimit -f')");
}

}  // namespace
}  // namespace lockstep::io
