// Claims on outputs: whole or not at all, compressed by name, failures said in a sentence.
#include "io/byte_sink.h"

#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/ending_signals.h"
#include "io/input.h"

namespace lockstep::io {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

class OutputTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "output_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string in_folder(const std::string& name) const { return folder_ / name; }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      names.push_back(entry.path().filename());
    }
    std::ranges::sort(names);
    return names;
  }

  fs::path folder_;
};

std::unique_ptr<ByteSink> open(const std::string& path) {
  auto sink = open_output(path);
  EXPECT_TRUE(sink.ok()) << sink.error().text();
  return std::move(sink).value();
}

void write_file(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(OutputTest, ClosedOutputIsThereAlone) {
  const auto sink = open(in_folder("out.json"));
  EXPECT_TRUE(sink->write("one ").ok());
  EXPECT_TRUE(sink->write("").ok());
  EXPECT_TRUE(sink->write("two").ok());
  EXPECT_TRUE(sink->close().ok());
  EXPECT_EQ(content_of(in_folder("out.json")), "one two");
  EXPECT_THAT(names(), ElementsAre("out.json"));
}

TEST_F(OutputTest, NothingIsSeenUnderTheNameBeforeClose) {
  write_file(in_folder("out.json"), "old");
  const auto sink = open(in_folder("out.json"));
  EXPECT_TRUE(sink->write(std::string(1'000'000, 'x')).ok());
  EXPECT_EQ(content_of(in_folder("out.json")), "old");
  EXPECT_TRUE(sink->close().ok());
  EXPECT_EQ(content_of(in_folder("out.json")).size(), 1'000'000U);
}

TEST_F(OutputTest, OldContentSurvivesASinkThatIsNotClosed) {
  for (const char* name : {"out.json", "out.json.gz", "out.json.zst"}) {
    write_file(in_folder(name), "old");
    {
      const auto sink = open(in_folder(name));
      EXPECT_TRUE(sink->write("new").ok());
    }
    EXPECT_EQ(content_of(in_folder(name)), "old") << name;
  }
  EXPECT_THAT(names(), ElementsAre("out.json", "out.json.gz", "out.json.zst"));
}

TEST_F(OutputTest, SinkThatIsNotClosedLeavesNothing) {
  EXPECT_TRUE(open(in_folder("out.json"))->write("new").ok());
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(OutputTest, ModeOfANewFileFollowsTheUmask) {
  for (const mode_t mask : {0022, 0077, 0002}) {
    const mode_t before = umask(mask);
    const auto sink = open(in_folder("out.json"));
    EXPECT_TRUE(sink->close().ok());
    EXPECT_EQ(umask(before), mask) << "the mask itself is left alone";
    struct stat facts{};
    ASSERT_EQ(stat(in_folder("out.json").c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 0777, 0666 & ~mask);
    fs::remove(in_folder("out.json"));  // or its mode would be kept
  }
}

TEST_F(OutputTest, ModeOfTheOldFileIsKept) {
  for (const mode_t mode : {0600, 0640, 0755, 0444}) {
    write_file(in_folder("old.json"), "old");
    ASSERT_EQ(chmod(in_folder("old.json").c_str(), mode), 0);
    EXPECT_TRUE(open(in_folder("old.json"))->close().ok());
    struct stat facts{};
    ASSERT_EQ(stat(in_folder("old.json").c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 0777, mode);
    fs::remove(in_folder("old.json"));
  }
}

TEST_F(OutputTest, FileBehindALinkIsReplacedAndTheLinkStays) {
  fs::create_directory(folder_ / "far");
  write_file(in_folder("far/target"), "old");
  fs::create_symlink("far/target", in_folder("near"));
  fs::create_symlink("near", in_folder("link.json"));
  const auto sink = open(in_folder("link.json"));
  EXPECT_TRUE(sink->write("new").ok());
  EXPECT_THAT(names(), ElementsAre("far", "link.json", "near")) << "written beside the target";
  EXPECT_EQ(content_of(in_folder("far/target")), "old");
  EXPECT_TRUE(sink->close().ok());
  EXPECT_EQ(content_of(in_folder("far/target")), "new");
  EXPECT_EQ(fs::read_symlink(in_folder("link.json")), "near");
  EXPECT_EQ(fs::read_symlink(in_folder("near")), "far/target");
}

TEST_F(OutputTest, LinkToNothingMakesItsTarget) {
  fs::create_symlink(in_folder("new.json"), in_folder("link.json"));
  EXPECT_TRUE(open(in_folder("link.json"))->close().ok());
  EXPECT_THAT(names(), ElementsAre("link.json", "new.json"));
  EXPECT_TRUE(fs::is_symlink(in_folder("link.json")));
}

TEST_F(OutputTest, LongestNameIsWrittenAndALongerOneRefusedAtOnce) {
  const std::string longest(255, 'n');
  EXPECT_TRUE(open(in_folder(longest))->close().ok());
  EXPECT_THAT(names(), ElementsAre(longest));
  const auto sink = open_output(in_folder(longest + "n"));
  ASSERT_FALSE(sink.ok());
  EXPECT_EQ(sink.error().message, "cannot be written: File name too long");
  EXPECT_EQ(sink.error().hint, "Choose a shorter name");
}

TEST_F(OutputTest, NameDecidesTheCompression) {
  struct Case {
    const char* name;
    Compression compression;
  };
  for (const Case c :
       {Case{"out.json", Compression::kNone}, Case{"out.json.gz", Compression::kGzip},
        Case{"out.zst", Compression::kZstd}, Case{"gz", Compression::kNone}}) {
    const std::string path = in_folder(c.name);
    const auto sink = open(path);
    EXPECT_TRUE(sink->write("some content").ok());
    EXPECT_TRUE(sink->close().ok());
    const auto input = Input::open(path);
    ASSERT_TRUE(input.ok());
    EXPECT_EQ(input.value()->compression(), c.compression) << c.name;
    EXPECT_EQ(input.value()->head(), "some content") << c.name;
  }
}

TEST_F(OutputTest, MissingFolderNamesTheRemedy) {
  const std::string path = in_folder("nothing/out.json");
  const auto sink = open_output(path);
  ASSERT_FALSE(sink.ok());
  EXPECT_EQ(sink.error().code, ErrorCode::kOutput);
  EXPECT_EQ(sink.error().text(), path +
                                     ": cannot be written: No such file or directory. Check that "
                                     "the folder exists");
}

TEST_F(OutputTest, FolderWithoutPermissionNamesTheRemedy) {
  if (geteuid() == 0) GTEST_SKIP() << "nothing is forbidden to root";
  fs::permissions(folder_, fs::perms::owner_read | fs::perms::owner_exec);
  const auto sink = open_output(in_folder("out.json"));
  fs::permissions(folder_, fs::perms::owner_all);
  ASSERT_FALSE(sink.ok());
  EXPECT_THAT(sink.error().message, StartsWith("cannot be written: Permission denied"));
}

TEST_F(OutputTest, DirectoryIsNoOutput) {
  const auto sink = open_output(folder_);
  ASSERT_FALSE(sink.ok());
  EXPECT_EQ(sink.error().text(), folder_.string() + ": is a directory. Name a file");
}

// The first failure of writing `text` and closing.
Status write_and_close(ByteSink& sink, const std::string& text) {
  LOCKSTEP_RETURN_IF_ERROR(sink.write(text));
  return sink.close();
}

TEST_F(OutputTest, FullDeviceIsSaidToBeFull) {
  for (const char* name : {"full", "full.gz", "full.zst"}) {
    const std::string path = in_folder(name);
    fs::create_symlink("/dev/full", path);
    for (const std::size_t size : {1, 5'000'000}) {
      const auto sink = open(path);
      const Status failed = write_and_close(*sink, std::string(size, 'x'));
      ASSERT_FALSE(failed.ok()) << name;
      EXPECT_EQ(failed.error().code, ErrorCode::kOutput);
      EXPECT_EQ(failed.error().text(), path +
                                           ": writing failed: No space left on device. Free some "
                                           "space or choose another place");
    }
  }
}

TEST_F(OutputTest, DevicesAreWrittenInPlace) {
  const auto sink = open("/dev/null");
  EXPECT_TRUE(write_and_close(*sink, "gone").ok());
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(OutputTest, FileWhoseNameBecameADirectoryIsNotReplaced) {
  const auto sink = open(in_folder("out"));
  EXPECT_TRUE(sink->write("new").ok());
  fs::create_directory(folder_ / "out");
  const Status failed = sink->close();
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().text(), in_folder("out") + ": cannot be replaced: Is a directory");
}

TEST_F(OutputTest, DashIsStandardOutputAndNeverCompressed) {
  testing::internal::CaptureStdout();
  const auto sink = open("-");
  EXPECT_TRUE(write_and_close(*sink, "plain").ok());
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "plain");
}

TEST_F(OutputTest, SignalRemovesUnfinishedFilesAndStillKills) {
  for (const int signal_number :
       {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGPIPE, SIGUSR1, SIGALRM, SIGRTMIN}) {
    EXPECT_EXIT(
        {
          remove_unfinished_outputs_on_signal();
          const auto first = open(in_folder("first.json"));
          const auto second = open(in_folder("second.json.gz"));
          EXPECT_TRUE(first->write("half").ok());
          std::raise(signal_number);
        },
        testing::KilledBySignal(signal_number), "");
    EXPECT_THAT(names(), IsEmpty());
  }
}

TEST_F(OutputTest, SignalLeavesFinishedFilesAlone) {
  EXPECT_EXIT(
      {
        remove_unfinished_outputs_on_signal();
        const auto sink = open(in_folder("out.json"));
        EXPECT_TRUE(write_and_close(*sink, "whole").ok());
        std::raise(SIGTERM);
      },
      testing::KilledBySignal(SIGTERM), "");
  EXPECT_EQ(content_of(in_folder("out.json")), "whole");
}

TEST_F(OutputTest, SignalIgnoredByTheCallerStaysIgnored) {
  EXPECT_EXIT(
      {
        std::signal(SIGHUP, SIG_IGN);  // what nohup does
        remove_unfinished_outputs_on_signal();
        std::raise(SIGHUP);
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace lockstep::io
