// Tests of the C interface as programs see it: codes, sentences, and what misuse gives.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/session.h"

namespace {

using ::testing::HasSubstr;

lockstep_channel_config sizes(std::uint64_t blocks) {
  lockstep_channel_config config;
  lockstep_channel_config_init(&config);
  config.blocks = blocks;
  return config;
}

class SessionInC : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("LOCKSTEP_LIBCUDA", LOCKSTEP_FAKE_CUDA, 1);
    ASSERT_EQ(lockstep_session_create(LOCKSTEP_CURRENT_DEVICE, &session_), LOCKSTEP_OK);
  }
  void TearDown() override {
    lockstep_session_destroy(session_);
    unsetenv("LOCKSTEP_LIBCUDA");
    ::unlink(path_.c_str());
  }

  // The call was refused as misuse, in these words.
  static void expect_usage(int code, const char* words) {
    EXPECT_EQ(code, LOCKSTEP_USAGE);
    EXPECT_THAT(lockstep_last_error(), HasSubstr(words));
  }

  lockstep_channel* channel() {
    const lockstep_channel_config config = sizes(1);
    lockstep_channel* made = nullptr;
    EXPECT_EQ(lockstep_channel_create(session_, &config, "k", 0, 0, &made), LOCKSTEP_OK);
    return made;
  }

  lockstep_session* session_ = nullptr;
  std::string path_ =
      ::testing::TempDir() + "lockstep_session_c_" + std::to_string(::getpid()) + ".lkp";
};

TEST_F(SessionInC, AConfigStartsWithItsDefaults) {
  lockstep_channel_config config;
  lockstep_channel_config_init(&config);
  EXPECT_EQ(config.struct_bytes, sizeof(config));
  EXPECT_EQ(config.blocks, 0);
  EXPECT_EQ(config.groups, 1);
  EXPECT_EQ(config.records, 1022);
  EXPECT_EQ(config.launch_slots, 1);
  EXPECT_EQ(config.anchor_capacity, 64);
  EXPECT_EQ(config.anchor_interval_ns, 20'000);
  EXPECT_EQ(config.selection, LOCKSTEP_ALL_BLOCKS);
  EXPECT_EQ(config.selection_step, 1);
  lockstep_channel_config_init(nullptr);
}

TEST_F(SessionInC, WhatIsMissingIsSaid) {
  const lockstep_channel_config config = sizes(1);
  lockstep_channel* made = nullptr;
  std::uint64_t bytes = 0;
  lockstep_device device;
  expect_usage(lockstep_session_create(0, nullptr), "the place of the session is missing");
  expect_usage(lockstep_session_set_event_names(nullptr, nullptr, 0), "the session is missing");
  expect_usage(lockstep_session_device(session_, nullptr), "the device is missing");
  expect_usage(lockstep_session_device(nullptr, &device), "the session or the device");
  expect_usage(lockstep_required_bytes(session_, &config, nullptr), "the place of the number");
  expect_usage(lockstep_required_bytes(session_, nullptr, &bytes), "the config of the channel");
  expect_usage(lockstep_channel_create(nullptr, &config, "k", 0, 0, &made), "the session or");
  expect_usage(lockstep_channel_create(session_, &config, "k", 0, 0, nullptr), "the channel");
  expect_usage(lockstep_channel_advance(nullptr, nullptr, 0), "the channel is missing");
  expect_usage(lockstep_channel_set_enabled(nullptr, 0), "the channel is missing");
  expect_usage(lockstep_session_collect(nullptr, path_.c_str(), nullptr), "the session is missing");
  expect_usage(lockstep_session_collect(session_, nullptr, nullptr), "the path of the file");
  expect_usage(lockstep_channel_collect(nullptr, path_.c_str(), nullptr), "the channel is missing");
  expect_usage(lockstep_first_bytes_size(&config, nullptr), "the place of the number");
  expect_usage(lockstep_first_bytes(&config, 0, nullptr), "the place of the bytes");
  EXPECT_EQ(lockstep_channel_pointer(nullptr), 0);
  lockstep_session_destroy(nullptr);
  lockstep_channel_destroy(nullptr);
}

TEST_F(SessionInC, CopiesAndBuffersThatAreMissingAreSaid) {
  const lockstep_copy nothing = {nullptr, 0, nullptr};
  expect_usage(lockstep_collect_from_memory(nullptr, 1, nullptr, path_.c_str(), nullptr), "copy");
  expect_usage(lockstep_collect_from_memory(&nothing, 1, nullptr, path_.c_str(), nullptr), "copy");
  expect_usage(lockstep_collect_from_memory(&nothing, 0, nullptr, path_.c_str(), nullptr), "copy");
  expect_usage(lockstep_collect_from_memory(&nothing, 1, nullptr, nullptr, nullptr), "the path");
  const std::uint64_t word = 0;
  expect_usage(lockstep_export_perfetto(nullptr, 1, path_.c_str(), nullptr, 0), "the buffer");
  expect_usage(lockstep_export_perfetto(&word, 1, nullptr, nullptr, 0), "the path of the file");
}

TEST_F(SessionInC, AConfigOfAnotherVersionIsRefused) {
  lockstep_channel_config config = sizes(1);
  config.struct_bytes -= 8;
  std::uint64_t bytes = 0;
  expect_usage(lockstep_required_bytes(session_, &config, &bytes),
               "not made by lockstep_channel_config_init");
}

TEST_F(SessionInC, AWayToAdvanceThatThereIsNotIsRefused) {
  expect_usage(lockstep_channel_advance(channel(), nullptr, 2), "no such way to advance");
}

TEST_F(SessionInC, ChannelsGoBeforeOrWithTheirSession) {
  lockstep_channel* first = channel();
  lockstep_channel* second = channel();
  EXPECT_NE(lockstep_channel_pointer(first), lockstep_channel_pointer(second));
  lockstep_channel_destroy(first);
  EXPECT_EQ(lockstep_channel_collect(second, path_.c_str(), nullptr), LOCKSTEP_OK);
}

TEST_F(SessionInC, NamesAreCopied) {
  std::string name = "load";
  const char* names[] = {name.c_str(), nullptr};
  ASSERT_EQ(lockstep_session_set_event_names(session_, names, 2), LOCKSTEP_OK);
  name = "gone";
  ASSERT_EQ(lockstep_session_collect(session_, path_.c_str(), nullptr), LOCKSTEP_OK);
  std::ifstream file(path_, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(text, HasSubstr("load"));
}

TEST_F(SessionInC, SizesAreToldWithoutASession) {
  const lockstep_channel_config config = sizes(3);
  std::uint64_t with = 0;
  std::uint64_t without = 0;
  ASSERT_EQ(lockstep_required_bytes(session_, &config, &with), LOCKSTEP_OK);
  ASSERT_EQ(lockstep_required_bytes(nullptr, &config, &without), LOCKSTEP_OK);
  EXPECT_EQ(with, without);
  std::uint64_t first = 0;
  ASSERT_EQ(lockstep_first_bytes_size(&config, &first), LOCKSTEP_OK);
  EXPECT_LT(first, without);
}

// 123 is the byte of '{'.
TEST_F(SessionInC, ABufferOf123BlocksIsNotTakenForJson) {
  std::vector<std::uint64_t> words(300);
  words[0] = std::uint64_t{1} << 32 | 123;
  EXPECT_EQ(lockstep_export_perfetto(words.data(), words.size(), path_.c_str(), nullptr, 0),
            LOCKSTEP_OK)
      << lockstep_last_error();
}

TEST_F(SessionInC, GzipIsRefusedAndZstdWritten) {
  const std::string gzip = path_ + ".gz";
  const std::string refusal =
      gzip +
      ": is not written: this library cannot compress with gzip. Choose a name without .gz, or one "
      "that ends in .zst";
  const std::vector<std::uint64_t> words = {std::uint64_t{1} << 32 | 1, 0, 0, 0};
  EXPECT_EQ(lockstep_export_perfetto(words.data(), words.size(), gzip.c_str(), nullptr, 0),
            LOCKSTEP_USAGE);
  EXPECT_EQ(lockstep_last_error(), refusal);
  EXPECT_EQ(lockstep_session_collect(session_, gzip.c_str(), nullptr), LOCKSTEP_USAGE);
  EXPECT_EQ(lockstep_last_error(), refusal);
  EXPECT_FALSE(std::ifstream(gzip).is_open());

  const std::string zstd = path_ + ".zst";
  ASSERT_EQ(lockstep_session_collect(session_, zstd.c_str(), nullptr), LOCKSTEP_OK);
  std::ifstream file(zstd, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(bytes.substr(0, 4), "\x28\xB5\x2F\xFD");
  std::filesystem::remove(zstd);
}

TEST_F(SessionInC, EveryThreadHasItsOwnError) {
  expect_usage(lockstep_channel_advance(nullptr, nullptr, 0), "the channel is missing");
  std::string other = "something";
  std::thread([&] { other = lockstep_last_error(); }).join();
  EXPECT_EQ(other, "");
  EXPECT_THAT(lockstep_last_error(), HasSubstr("the channel is missing"));
}

TEST_F(SessionInC, ADriverThatIsNotThereIsUnusable) {
  setenv("LOCKSTEP_LIBCUDA", "/nowhere/libcuda.so.1", 1);
  lockstep_session* session = nullptr;
  EXPECT_EQ(lockstep_session_create(LOCKSTEP_CURRENT_DEVICE, &session), LOCKSTEP_UNUSABLE);
  EXPECT_THAT(lockstep_last_error(), HasSubstr("there is no CUDA driver here"));
  EXPECT_EQ(session, nullptr);
}

}  // namespace
