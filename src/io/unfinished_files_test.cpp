// Claims on what a signal removes, each in a process of its own.
#include "io/unfinished_files.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/sanitized_for_test.h"
#include "io/byte_sink.h"
#include "io/ending_signals.h"
#include "io/temporary_folder.h"

namespace lockstep::io {
namespace {

namespace fs = std::filesystem;

class UnfinishedFiles : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "unfinished_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string in_folder(const std::string& name) const { return folder_ / name; }

  fs::path folder_;
};

TEST_F(UnfinishedFiles, AllAreRemovedHoweverMany) {
  EXPECT_EXIT(
      {
        remove_unfinished_outputs_on_signal();
        std::vector<std::unique_ptr<ByteSink>> sinks;
        for (int i = 0; i < 100; ++i) {
          sinks.push_back(std::move(open_output(in_folder(std::to_string(i)))).value());
        }
        std::raise(SIGTERM);
      },
      testing::KilledBySignal(SIGTERM), "");
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(UnfinishedFiles, FolderGoesWithFilesThatALibraryMade) {
  EXPECT_EXIT(
      {
        setenv("TMPDIR", folder_.c_str(), 1);
        remove_unfinished_outputs_on_signal();
        const auto folder = std::move(TemporaryFolder::make()).value();
        for (int i = 0; i < 1000; ++i) {
          std::ofstream(folder->path() + "/a_name_that_nobody_noted_" + std::to_string(i)) << "x";
        }
        std::raise(SIGINT);
      },
      testing::KilledBySignal(SIGINT), "");
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(UnfinishedFiles, AFaultOfOursLeavesNothingEither) {
  EXPECT_EXIT(
      {
        remove_unfinished_outputs_on_signal();
        const auto sink = std::move(open_output(in_folder("out.json"))).value();
        std::abort();
      },
      testing::KilledBySignal(SIGABRT), "");
  EXPECT_TRUE(fs::is_empty(folder_));
}

#ifndef LOCKSTEP_SANITIZED
int descend(volatile char* above) {
  volatile char here[4096];
  here[0] = above[0];
  if (here[0] == 0) return 0;  // never
  return descend(here) + here[0];
}

// The handler needs a stack, and there is none left.
TEST_F(UnfinishedFiles, AStackWithoutRoomLeavesNothingEither) {
  EXPECT_EXIT(
      {
        remove_unfinished_outputs_on_signal();
        const auto sink = std::move(open_output(in_folder("out.json"))).value();
        volatile char first = 1;
        descend(&first);
      },
      testing::KilledBySignal(SIGSEGV), "");
  EXPECT_TRUE(fs::is_empty(folder_));
}
#endif

// A helper thread gets the signal while the main thread has made a file and not yet noted it.
void be_told_by_a_helper_thread_while_making(const std::string& path) {
  remove_unfinished_outputs_on_signal();
  std::atomic<bool> may_raise{false};
  std::atomic<bool> has_raised{false};
  std::thread helper([&] {
    may_raise.wait(false);
    std::raise(SIGTERM);
    has_raised = true;
    has_raised.notify_one();
    for (;;) pause();
  });
  UnfinishedFile unfinished(UnfinishedFile::Kind::kFile);
  {
    const SignalsHeld held;
    std::ofstream(path) << "half";
    may_raise = true;
    may_raise.notify_one();
    has_raised.wait(false);
    unfinished.note(path);
  }
  helper.join();
}

TEST_F(UnfinishedFiles, SignalOfAHelperThreadWaitsForTheMainThread) {
  EXPECT_EXIT(be_told_by_a_helper_thread_while_making(in_folder("out.json")),
              testing::KilledBySignal(SIGTERM), "");
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(UnfinishedFiles, HandlersOfOthersStay) {
  EXPECT_EXIT(
      {
        std::signal(SIGUSR1, [](int) { std::_Exit(7); });
        remove_unfinished_outputs_on_signal();
        std::raise(SIGUSR1);
      },
      testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace lockstep::io
