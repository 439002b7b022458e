// Files read in any order: plain, piped, compressed, missing, shrinking and growing.
#include "io/file_bytes.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "io/byte_sink.h"
#include "io/compress/decompress.h"
#include "io/compress/gzip_sink.h"

namespace lockstep::io {
namespace {

std::string text_of(const FileBytes& file) {
  std::vector<std::byte> kept;
  const std::span<const std::byte> bytes = file.read(0, file.size(), kept);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class FileBytesTest : public testing::Test {
 protected:
  void TearDown() override {
    for (const std::string& path : paths_) std::filesystem::remove(path);
  }

  std::string path_of(const std::string& name) {
    return paths_.emplace_back(testing::TempDir() + "/file_bytes_" + std::to_string(::getpid()) +
                               name);
  }
  std::string write(const std::string& name, const std::string& bytes) {
    std::string path = path_of(name);
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  Diagnostics findings_;
  std::vector<std::string> paths_;
};

TEST_F(FileBytesTest, APlainFileStaysOnDisk) {
  const auto file = FileBytes::open(write("plain", "abcdef"), findings_);
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(file.value()->in_memory().empty());
  EXPECT_EQ(text_of(*file.value()), "abcdef");
  std::array<std::byte, 2> two{};
  file.value()->read(3, two);
  EXPECT_EQ(two[0], std::byte{'d'});
  EXPECT_EQ(two[1], std::byte{'e'});
  EXPECT_TRUE(file.value()->status().ok());
}

TEST_F(FileBytesTest, BytesAtHandAreReadWhereTheyLie) {
  const std::string text = "abcdef";
  const auto file = FileBytes::over(std::as_bytes(std::span(text)));
  EXPECT_EQ(file->size(), 6U);
  std::vector<std::byte> kept;
  EXPECT_EQ(static_cast<const void*>(file->read(2, 3, kept).data()), text.data() + 2);
  EXPECT_TRUE(kept.empty());
}

TEST_F(FileBytesTest, AFileThatBecomesShorterIsAnErrorAndWhatIsMissingIsZeros) {
  const std::string path = write("shrinking", std::string(20'000, 'q'));
  const auto file = FileBytes::open(path, findings_);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(text_of(*file.value()), std::string(20'000, 'q'));
  ASSERT_EQ(truncate(path.c_str(), 5'000), 0);
  EXPECT_TRUE(file.value()->status().ok()) << "nothing was missed so far";
  EXPECT_EQ(text_of(*file.value()), std::string(5'000, 'q') + std::string(15'000, '\0'));
  EXPECT_EQ(file.value()->status().error().text(),
            path + ": became shorter while it was read. Read it again when nothing writes to it");
  ASSERT_EQ(truncate(path.c_str(), 0), 0);
  EXPECT_EQ(text_of(*file.value()), std::string(20'000, '\0'));
}

TEST_F(FileBytesTest, AFileThatGrowsIsReadUpToWhatItWas) {
  const std::string path = write("growing", "abcdef");
  const auto file = FileBytes::open(path, findings_);
  ASSERT_TRUE(file.ok());
  std::ofstream(path, std::ios::binary | std::ios::app) << "ghi";
  EXPECT_EQ(text_of(*file.value()), "abcdef");
  EXPECT_TRUE(file.value()->status().ok());
}

TEST_F(FileBytesTest, ADiskThatDoesNotAnswerIsAnError) {
  const std::string path = std::filesystem::canonical(write("plain", "abcdef"));
  const auto file = FileBytes::open(path, findings_);
  ASSERT_TRUE(file.ok());
  // Its descriptor now leads to a folder, which cannot be read.
  const int folder = ::open(testing::TempDir().c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_GE(folder, 0);
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    if (std::filesystem::read_symlink(entry.path(), gone) != path) continue;
    ASSERT_GE(dup2(folder, std::stoi(entry.path().filename())), 0);
  }
  ::close(folder);
  text_of(*file.value());
  EXPECT_EQ(file.value()->status().error().text(), path + ": reading failed: Is a directory");
}

TEST_F(FileBytesTest, AnEmptyFileHasNoBytes) {
  const auto file = FileBytes::open(write("empty", ""), findings_);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file.value()->size(), 0U);
}

TEST_F(FileBytesTest, ACompressedFileIsInflatedIntoMemory) {
  for (const std::string suffix : {"x.gz", "x.zst"}) {
    const std::string path = path_of(suffix);
    const std::string content(5'000'000, 'q');
    auto sink = open_output(path);
    ASSERT_TRUE(sink.ok());
    ASSERT_TRUE(sink.value()->write(content).ok());
    ASSERT_TRUE(sink.value()->close().ok());
    const auto file = FileBytes::open(path, findings_);
    ASSERT_TRUE(file.ok());
    EXPECT_EQ(file.value()->in_memory().size(), content.size());
    EXPECT_EQ(text_of(*file.value()), content);
  }
}

TEST_F(FileBytesTest, DamagedCompressionIsAFinding) {
  MemorySink* below = new MemorySink;
  auto sink = make_gzip_sink(std::unique_ptr<ByteSink>(below));
  ASSERT_TRUE(sink->write(std::string(100'000, 'q')).ok());
  ASSERT_TRUE(sink->close().ok());
  const std::string cut = below->bytes().substr(0, below->bytes().size() / 2);
  const auto file = FileBytes::open(write("cut.gz", cut), findings_);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(findings_.count_of(kTruncatedCompression), 1U);
}

TEST_F(FileBytesTest, AMissingFileIsAnErrorThatNamesIt) {
  const auto file = FileBytes::open("/nowhere/at/all", findings_);
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().text(), "/nowhere/at/all: no such file or directory");
}

}  // namespace
}  // namespace lockstep::io
