// The session library in somebody else's program: what it leaves as it found it.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <clocale>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/session.h"

namespace {

namespace fs = std::filesystem;

constexpr int kSignals = 64;

// What a process has once and for all its parts.
struct Process {
  std::vector<struct sigaction> handlers;
  sigset_t held;
  mode_t mask;
  std::string locale;
  fs::path folder;
  std::vector<std::string> environment;
};

Process process() {
  Process now;
  for (int number = 1; number <= kSignals; ++number) {
    struct sigaction action{};
    sigaction(number, nullptr, &action);
    now.handlers.push_back(action);
  }
  pthread_sigmask(SIG_SETMASK, nullptr, &now.held);
  now.mask = umask(0);
  umask(now.mask);
  now.locale = std::setlocale(LC_ALL, nullptr);
  now.folder = fs::current_path();
  for (char** entry = environ; *entry != nullptr; ++entry) now.environment.emplace_back(*entry);
  return now;
}

void expect_same(const Process& before, const Process& after) {
  for (int number = 1; number <= kSignals; ++number) {
    const auto& was = before.handlers[static_cast<std::size_t>(number) - 1];
    const auto& is = after.handlers[static_cast<std::size_t>(number) - 1];
    EXPECT_EQ(was.sa_handler, is.sa_handler) << "signal " << number;
    EXPECT_EQ(was.sa_flags, is.sa_flags) << "signal " << number;
    EXPECT_EQ(sigismember(&before.held, number), sigismember(&after.held, number));
  }
  EXPECT_EQ(before.mask, after.mask);
  EXPECT_EQ(before.locale, after.locale);
  EXPECT_EQ(before.folder, after.folder);
  EXPECT_EQ(before.environment, after.environment);
}

class Guest : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("LOCKSTEP_LIBCUDA", LOCKSTEP_FAKE_CUDA, 1);
    std::string pattern = ::testing::TempDir() + "lockstep_guest_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override {
    fs::remove_all(folder_);
    unsetenv("LOCKSTEP_LIBCUDA");
  }

  // A session from its begin to its end, with calls that fail among others.
  void whole_session(const std::string& name) const {
    const std::string path = folder_ / name;
    lockstep_session* session = nullptr;
    EXPECT_EQ(lockstep_session_create(77, &session), LOCKSTEP_USAGE);
    ASSERT_EQ(lockstep_session_create(LOCKSTEP_CURRENT_DEVICE, &session), LOCKSTEP_OK);
    lockstep_channel_config config;
    lockstep_channel_config_init(&config);
    config.blocks = 2;
    lockstep_channel* channel = nullptr;
    ASSERT_EQ(lockstep_channel_create(session, &config, "k", 0, 0, &channel), LOCKSTEP_OK);
    EXPECT_EQ(lockstep_channel_advance(channel, nullptr, LOCKSTEP_ADVANCE_PLAIN), LOCKSTEP_OK);
    EXPECT_EQ(lockstep_session_collect(session, path.c_str(), nullptr), LOCKSTEP_OK);
    EXPECT_EQ(lockstep_session_collect(session, "/nowhere/at/all.lkp", nullptr), LOCKSTEP_UNUSABLE);
    EXPECT_EQ(lockstep_channel_destroy(channel), LOCKSTEP_OK);
    EXPECT_EQ(lockstep_session_destroy(session), LOCKSTEP_OK);
  }

  fs::path folder_;
};

TEST_F(Guest, LeavesTheProcessAsItFoundIt) {
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, [](int) {});
  const mode_t mask = umask(0027);
  const Process before = process();
  whole_session("out.lkp");
  const std::array<std::uint64_t, 4> words = {1ULL << 32 | 1, 0, 0, 0};
  const std::string trace = folder_ / "out.pftrace";
  EXPECT_EQ(lockstep_export_perfetto(words.data(), words.size(), trace.c_str(), nullptr, 0),
            LOCKSTEP_OK)
      << lockstep_last_error();
  expect_same(before, process());
  umask(mask);
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

TEST_F(Guest, FilesHaveTheModeThatTheUmaskLeaves) {
  const mode_t mask = umask(0027);
  whole_session("out.lkp");
  umask(mask);
  struct stat facts{};
  ASSERT_EQ(stat((folder_ / "out.lkp").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0640U);
}

// The umask belongs to all threads: one that is 0 for an instant makes another's file public.
TEST_F(Guest, NeverMakesTheFilesOfAnotherThreadPublic) {
  const mode_t mask = umask(0077);
  std::atomic<bool> is_done = false;
  std::atomic<int> made_public = 0;
  std::thread other([&] {
    const std::string path = folder_ / "private";
    while (!is_done) {
      const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0666);
      struct stat facts{};
      if (fstat(file, &facts) != 0 || (facts.st_mode & 0777) != 0600) ++made_public;
      ::close(file);
      ::unlink(path.c_str());
    }
  });
  for (int i = 0; i < 50; ++i) whole_session("out.lkp");
  is_done = true;
  other.join();
  umask(mask);
  EXPECT_EQ(made_public, 0);
}

TEST_F(Guest, SaysNothingThatATerminalWouldObey) {
  lockstep_session* session = nullptr;
  ASSERT_EQ(lockstep_session_create(LOCKSTEP_CURRENT_DEVICE, &session), LOCKSTEP_OK);
  EXPECT_EQ(lockstep_session_collect(session, "/nowhere/\x1b]0;t\x07\n.lkp", nullptr),
            LOCKSTEP_UNUSABLE);
  EXPECT_STREQ(lockstep_last_error(),
               "/nowhere/\uFFFD]0;t\uFFFD\uFFFD.lkp: cannot be written: No such file or directory. "
               "Check that the folder exists");
  EXPECT_EQ(lockstep_session_destroy(session), LOCKSTEP_OK);
}

TEST_F(Guest, TellsWhatTheDriverDoesNotTakeBack) {
  lockstep_session* session = nullptr;
  ASSERT_EQ(lockstep_session_create(LOCKSTEP_CURRENT_DEVICE, &session), LOCKSTEP_OK);
  lockstep_channel_config config;
  lockstep_channel_config_init(&config);
  config.blocks = 1;
  lockstep_channel* channel = nullptr;
  ASSERT_EQ(lockstep_channel_create(session, &config, "k", 0, 0, &channel), LOCKSTEP_OK);
  setenv("FAKE_CUDA_FAIL", "cuMemFree_v2:0:700", 1);
  EXPECT_EQ(lockstep_channel_destroy(channel), LOCKSTEP_UNUSABLE);
  EXPECT_STREQ(lockstep_last_error(),
               "freeing memory of the device failed: cuMemFree returned CUDA_ERROR_ILLEGAL_ADDRESS "
               "(700): an illegal memory access was encountered");
  setenv("FAKE_CUDA_FAIL", "cuModuleUnload:0:700", 1);
  EXPECT_EQ(lockstep_session_destroy(session), LOCKSTEP_UNUSABLE);
  EXPECT_STREQ(
      lockstep_last_error(),
      "unloading kernels failed: cuModuleUnload returned CUDA_ERROR_ILLEGAL_ADDRESS (700): "
      "an illegal memory access was encountered");
  unsetenv("FAKE_CUDA_FAIL");
}

}  // namespace
