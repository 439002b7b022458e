// Files as spans: mapped, piped, compressed, missing.
#include "io/file_bytes.h"

#include <unistd.h>

#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "io/byte_sink.h"
#include "io/decompress.h"

namespace lockstep {
namespace {

std::string text_of(const FileBytes& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

class FileBytesTest : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& bytes) {
    const std::string path =
        testing::TempDir() + "/file_bytes_" + std::to_string(::getpid()) + name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  Diagnostics findings_;
};

TEST_F(FileBytesTest, APlainFileIsMapped) {
  const auto file = FileBytes::open(write("plain", "abcdef"), findings_);
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(file.value()->is_mapped());
  EXPECT_EQ(text_of(*file.value()), "abcdef");
}

TEST_F(FileBytesTest, AnEmptyFileHasNoBytes) {
  const auto file = FileBytes::open(write("empty", ""), findings_);
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(file.value()->bytes().empty());
}

TEST_F(FileBytesTest, ACompressedFileIsInflatedIntoMemory) {
  for (const std::string suffix : {"x.gz", "x.zst"}) {
    const std::string path =
        testing::TempDir() + "/file_bytes_" + std::to_string(::getpid()) + suffix;
    const std::string content(5'000'000, 'q');
    auto sink = open_output(path);
    ASSERT_TRUE(sink.ok());
    ASSERT_TRUE(sink.value()->write(content).ok());
    ASSERT_TRUE(sink.value()->close().ok());
    const auto file = FileBytes::open(path, findings_);
    ASSERT_TRUE(file.ok());
    EXPECT_FALSE(file.value()->is_mapped());
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
}  // namespace lockstep
