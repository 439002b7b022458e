// Claims on reading from memory, files and pipes.
#include "io/byte_source.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>

#include "io/byte_sink.h"
#include "io/compress/decompress.h"
#include "io/compress/gzip_source.h"
#include "io/compress/zstd_source.h"

namespace lockstep::io {
namespace {

namespace fs = std::filesystem;

class FileSourceTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "byte_source_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& bytes) {
    const std::string path = folder_ / name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }

  fs::path folder_;
};

std::string read_all(ByteSource& source, std::size_t read_bytes) {
  std::string out;
  std::string buffer(read_bytes, '\0');
  for (;;) {
    const Result<std::size_t> got = source.read(buffer);
    if (!got.ok() || got.value() == 0) return out;
    out.append(buffer, 0, got.value());
  }
}

TEST(MemorySourceTest, ShortReadsComeOnlyAtTheEnd) {
  MemorySource source("abcde");
  std::array<char, 2> buffer{};
  EXPECT_EQ(source.read(buffer).value(), 2U);
  EXPECT_EQ(source.raw_bytes_read(), 2U);
  EXPECT_EQ(source.read(buffer).value(), 2U);
  EXPECT_EQ(source.read(buffer).value(), 1U);
  EXPECT_EQ(buffer[0], 'e');
  EXPECT_EQ(source.read(buffer).value(), 0U);
  EXPECT_EQ(source.read(buffer).value(), 0U);
}

TEST_F(FileSourceTest, FileIsReadWhole) {
  const std::string bytes("a\0b\xFF\n", 5);
  for (const std::size_t read_bytes : {1, 3, 5, 6, 4096}) {
    auto source = FileSource::open(write("file", bytes));
    ASSERT_TRUE(source.ok());
    EXPECT_EQ(source.value()->size(), 5U);
    EXPECT_EQ(read_all(*source.value(), read_bytes), bytes);
    EXPECT_EQ(source.value()->raw_bytes_read(), 5U);
    EXPECT_TRUE(source.value()->diagnostics().entries().empty());
  }
}

TEST_F(FileSourceTest, PipeHasNoSizeAndShortWritesAreJoined) {
  const std::string path = folder_ / "pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] {
    std::ofstream pipe(path);
    for (int i = 0; i < 5; ++i) {
      pipe << "part" << i << std::flush;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  });
  auto source = FileSource::open(path);
  ASSERT_TRUE(source.ok());
  EXPECT_EQ(source.value()->size(), std::nullopt);
  std::string buffer(20, '\0');
  EXPECT_EQ(source.value()->read(buffer).value(), 20U);
  EXPECT_EQ(buffer, "part0part1part2part3");
  EXPECT_EQ(read_all(*source.value(), 20), "part4");
  writer.join();
}

TEST_F(FileSourceTest, AFileThatBecomesShorterIsAFinding) {
  const std::string path = write("shrinking", std::string(10'000, 'q'));
  const auto source = FileSource::open(path);
  ASSERT_TRUE(source.ok());
  std::string buffer(1'000, '\0');
  EXPECT_EQ(source.value()->read(buffer).value(), 1'000U);
  EXPECT_TRUE(source.value()->diagnostics().entries().empty());
  fs::resize_file(path, 4'000);
  EXPECT_EQ(read_all(*source.value(), 1'000).size(), 3'000U);
  const auto& found = source.value()->diagnostics().entries();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind->name, "file_shrank");
  EXPECT_EQ(found[0].kind->severity, Severity::kDataLoss);
  EXPECT_EQ(found[0].count, 1U);
  EXPECT_EQ(found[0].first.at, 4'000U);
  EXPECT_EQ(found[0].example, "4000 of 10000 bytes");
}

TEST_F(FileSourceTest, AFileThatWasCutAndWrittenAgainIsAFinding) {
  const std::string path = write("rewritten", std::string(10'000, 'q'));
  const auto source = FileSource::open(path);
  ASSERT_TRUE(source.ok());
  std::string buffer(5'000, '\0');
  EXPECT_EQ(source.value()->read(buffer).value(), 5'000U);
  write("rewritten", "short");
  EXPECT_EQ(read_all(*source.value(), 1'000), "");
  EXPECT_EQ(source.value()->diagnostics().count_of(kFileShrank), 1U);
}

TEST_F(FileSourceTest, AFileThatGrowsIsReadUpToWhatItWas) {
  const std::string path = write("growing", "abcdef");
  const auto source = FileSource::open(path);
  ASSERT_TRUE(source.ok());
  std::ofstream(path, std::ios::binary | std::ios::app) << "ghi";
  EXPECT_EQ(read_all(*source.value(), 4), "abcdef");
  EXPECT_TRUE(source.value()->diagnostics().entries().empty());
}

TEST_F(FileSourceTest, FilesThatTheKernelMakesUpAreReadToTheirEnd) {
  const auto source = FileSource::open("/proc/self/status");
  ASSERT_TRUE(source.ok());
  EXPECT_NE(read_all(*source.value(), 64).find("Pid:"), std::string::npos);
  EXPECT_TRUE(source.value()->diagnostics().entries().empty());
}

TEST_F(FileSourceTest, AShorterFileInsideCompressionIsAFindingToo) {
  for (const std::string suffix : {".gz", ".zst"}) {
    // Two members: the cut falls between them, where nothing of the compression is missing.
    const std::string path = folder_ / ("two" + suffix);
    auto sink = open_output(path);
    ASSERT_TRUE(sink.value()->write(std::string(100, 'q')).ok());
    ASSERT_TRUE(sink.value()->close().ok());
    std::ifstream written(path, std::ios::binary);
    const std::string member{std::istreambuf_iterator<char>(written), {}};
    std::ofstream(path, std::ios::binary) << member << member;
    auto file = FileSource::open(path);
    ASSERT_TRUE(file.ok());
    fs::resize_file(path, member.size());
    const auto source = suffix == ".gz" ? make_gzip_source(std::move(file).value())
                                        : make_zstd_source(std::move(file).value());
    EXPECT_EQ(read_all(*source, 1'000), std::string(100, 'q'));
    EXPECT_EQ(source->diagnostics().count_of(kFileShrank), 1U) << suffix;
  }
}

TEST_F(FileSourceTest, MissingFileIsSaidToBeMissing) {
  const std::string path = folder_ / "nothing";
  const auto source = FileSource::open(path);
  ASSERT_FALSE(source.ok());
  EXPECT_EQ(source.error().code, ErrorCode::kInput);
  EXPECT_EQ(source.error().text(), path + ": no such file or directory");
}

TEST_F(FileSourceTest, PathThroughAFileCannotBeOpened) {
  const std::string path = write("file", "") + "/below";
  EXPECT_EQ(FileSource::open(path).error().text(), path + ": cannot be opened: Not a directory");
}

TEST_F(FileSourceTest, ForbiddenFileNamesTheRemedy) {
  if (geteuid() == 0) GTEST_SKIP() << "nothing is forbidden to root";
  const std::string path = write("secret", "x");
  fs::permissions(path, fs::perms::none);
  EXPECT_EQ(FileSource::open(path).error().text(),
            path + ": no permission to read this file. Check its mode and owner");
}

TEST_F(FileSourceTest, FailureWhileReadingIsReported) {
  auto source = FileSource::open(folder_);  // a directory can be opened, not read
  ASSERT_TRUE(source.ok());
  std::array<char, 8> buffer{};
  const auto got = source.value()->read(buffer);
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.error().text(), folder_.string() + ": reading failed: Is a directory");
}

}  // namespace
}  // namespace lockstep::io
