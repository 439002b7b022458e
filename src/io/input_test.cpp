// Claims on opened inputs and on directories.
#include "io/input.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/byte_sink.h"
#include "io/compress/gzip_sink.h"
#include "io/compress/zstd_sink.h"

namespace lockstep::io {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

class InputTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "input_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& bytes = "x") {
    const fs::path path = folder_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  [[nodiscard]] std::string in_folder(const std::string& name) const { return folder_ / name; }

  fs::path folder_;
};

std::unique_ptr<Input> input_of(std::string bytes) {
  const std::uint64_t size = bytes.size();
  auto input = Input::wrap(std::make_unique<MemorySource>(std::move(bytes)), "memory", size);
  EXPECT_TRUE(input.ok());
  return std::move(input).value();
}

std::string read_all(ByteSource& source, std::size_t read_bytes) {
  std::string out;
  std::string buffer(read_bytes, '\0');
  for (;;) {
    const Result<std::size_t> got = source.read(buffer);
    if (!got.ok() || got.value() == 0) return out;
    out.append(buffer, 0, got.value());
  }
}

using MakeSink = std::unique_ptr<ByteSink> (*)(std::unique_ptr<ByteSink>);

std::string compressed(MakeSink make_sink, const std::string& content) {
  auto memory = std::make_unique<MemorySink>();
  const MemorySink& written = *memory;
  const auto sink = make_sink(std::move(memory));
  EXPECT_TRUE(sink->write(content).ok());
  EXPECT_TRUE(sink->close().ok());
  return written.bytes();
}

std::string digits(std::size_t bytes) {
  std::string out;
  for (std::size_t i = 0; out.size() < bytes; ++i) out += std::to_string(i) + ",";
  out.resize(bytes);
  return out;
}

TEST_F(InputTest, HeadIsDeliveredAgainByRead) {
  for (const std::size_t size : {std::size_t{1}, std::size_t{3}, std::size_t{4}, std::size_t{5},
                                 kSniffBytes - 1, kSniffBytes, kSniffBytes + 1, 3 * kSniffBytes}) {
    const std::string content = digits(size);
    for (const std::size_t read_bytes : {std::size_t{7}, kSniffBytes, std::size_t{1} << 20}) {
      const auto input = input_of(content);
      EXPECT_EQ(input->head(), content.substr(0, kSniffBytes));
      ASSERT_TRUE(read_all(*input, read_bytes) == content) << size << " by " << read_bytes;
      EXPECT_EQ(input->inflated_bytes(), size);
    }
  }
}

TEST_F(InputTest, CompressionIsToldByContentNotByName) {
  const std::string content = digits(200'000);
  struct Case {
    std::string bytes;
    Compression compression;
  };
  for (const Case& c : {Case{content, Compression::kNone},
                        Case{compressed(make_gzip_sink, content), Compression::kGzip},
                        Case{compressed(make_zstd_sink, content), Compression::kZstd}}) {
    for (const char* name : {"trace.json", "trace.json.gz", "trace.json.zst"}) {
      auto input = Input::open(write(name, c.bytes));
      ASSERT_TRUE(input.ok());
      EXPECT_EQ(input.value()->compression(), c.compression);
      EXPECT_EQ(input.value()->head(), content.substr(0, kSniffBytes));
      EXPECT_EQ(input.value()->size(), c.bytes.size());
      EXPECT_EQ(input.value()->path(), in_folder(name));
      EXPECT_TRUE(read_all(*input.value(), 10'000) == content);
      EXPECT_EQ(input.value()->inflated_bytes(), content.size());
      EXPECT_EQ(input.value()->raw_bytes_read(), c.bytes.size());
      EXPECT_FALSE(input.value()->diagnostics().has_loss());
    }
  }
}

TEST_F(InputTest, EmptyInputHasAnEmptyHead) {
  auto input = Input::open(write("empty", ""));
  ASSERT_TRUE(input.ok());
  EXPECT_EQ(input.value()->head(), "");
  EXPECT_EQ(input.value()->size(), 0U);
  EXPECT_EQ(read_all(*input.value(), 10), "");
  EXPECT_THAT(input.value()->diagnostics().entries(), IsEmpty());
}

TEST_F(InputTest, DamageOfTheCompressionIsReported) {
  std::string cut = compressed(make_gzip_sink, digits(1'000));
  cut.resize(cut.size() / 2);
  const auto input = input_of(cut);
  EXPECT_TRUE(digits(1'000).starts_with(read_all(*input, 100)));
  EXPECT_EQ(input->diagnostics().count_of(kTruncatedCompression), 1U);
}

TEST_F(InputTest, GzipMagicAloneIsATruncatedFile) {
  const auto input = input_of("\x1F\x8B");
  EXPECT_EQ(input->compression(), Compression::kGzip);
  EXPECT_EQ(input->head(), "");
  EXPECT_EQ(input->diagnostics().count_of(kTruncatedCompression), 1U);
}

TEST_F(InputTest, MissingFileIsSaidToBeMissing) {
  const auto input = Input::open(in_folder("nothing.json"));
  ASSERT_FALSE(input.ok());
  EXPECT_EQ(input.error().code, ErrorCode::kInput);
  EXPECT_EQ(input.error().text(), in_folder("nothing.json") + ": no such file or directory");
}

TEST_F(InputTest, DirectoryIsSaidToBeOne) {
  const auto input = Input::open(folder_);
  ASSERT_FALSE(input.ok());
  EXPECT_EQ(input.error().text(), folder_.string() + ": is a directory");
  EXPECT_TRUE(is_directory(folder_));
  EXPECT_FALSE(is_directory(write("file")));
  EXPECT_FALSE(is_directory(in_folder("nothing")));
}

TEST_F(InputTest, ListedFilesAreSortedAndHiddenOnesLeftOut) {
  for (const char* name : {"b.json", "a.json", "below/deeper/c.json", "below/a.json", ".hidden",
                           ".git/config", "below/.cache/x", "z"}) {
    write(name);
  }
  fs::create_directory(folder_ / "empty");
  fs::create_symlink("a.json", folder_ / "link.json");
  fs::create_symlink("nowhere", folder_ / "dangling.json");
  fs::create_symlink("itself.json", folder_ / "itself.json");
  const auto files = list_files(folder_);
  ASSERT_TRUE(files.ok());
  EXPECT_TRUE(files.value().unreadable.empty());
  EXPECT_THAT(
      files.value().files,
      ElementsAre(in_folder("a.json"), in_folder("b.json"), in_folder("below/a.json"),
                  in_folder("below/deeper/c.json"), in_folder("link.json"), in_folder("z")));
}

TEST_F(InputTest, HiddenDirectoryCanBeListedByItsName) {
  write(".hidden/a.json");
  EXPECT_THAT(list_files(in_folder(".hidden")).value().files,
              ElementsAre(in_folder(".hidden/a.json")));
}

TEST_F(InputTest, DirectoryWithALinkToItselfIsListedOnce) {
  write("a.json");
  fs::create_directory_symlink(".", folder_ / "loop");
  EXPECT_THAT(list_files(folder_).value().files, ElementsAre(in_folder("a.json")));
}

TEST_F(InputTest, LinkToWhatTheKernelMakesUpIsNoFileOfADirectory) {
  write("a.json");
  fs::create_symlink("/proc/self/status", folder_ / "status.json");
  EXPECT_THAT(list_files(folder_).value().files, ElementsAre(in_folder("a.json")));
}

TEST_F(InputTest, DevicesAreToldFromFiles) {
  EXPECT_TRUE(is_character_device("/dev/null"));
  EXPECT_FALSE(is_character_device(write("a.json")));
  EXPECT_FALSE(is_character_device(in_folder("nothing")));
}

TEST_F(InputTest, MissingDirectoryCannotBeListed) {
  const auto files = list_files(in_folder("nothing"));
  ASSERT_FALSE(files.ok());
  EXPECT_EQ(files.error().text(),
            in_folder("nothing") + ": cannot be listed: No such file or directory");
}

TEST_F(InputTest, SameFileIsKnownThroughLinksAndOtherSpellings) {
  const std::string file = write("below/file");
  fs::create_symlink(file, folder_ / "symbolic");
  fs::create_hard_link(file, folder_ / "hard");
  EXPECT_TRUE(is_same_file(file, file));
  EXPECT_TRUE(is_same_file(file, in_folder("symbolic")));
  EXPECT_TRUE(is_same_file(in_folder("hard"), file));
  EXPECT_TRUE(is_same_file(file, in_folder("below/../below/file")));
}

TEST_F(InputTest, OtherAndMissingFilesAreNotTheSame) {
  EXPECT_FALSE(is_same_file(write("one"), write("two")));
  EXPECT_FALSE(is_same_file(write("one"), in_folder("nothing")));
  EXPECT_FALSE(is_same_file(in_folder("nothing"), in_folder("nothing")));
  EXPECT_FALSE(is_same_file("/dev/null", "/dev/null"));
}

}  // namespace
}  // namespace lockstep::io
