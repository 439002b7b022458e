// A session over the fake driver.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "host/cuda_driver.h"
#include "host/session.h"
#include "session/fake_cuda.h"

namespace lockstep {

class SessionTest : public ::testing::Test {
 protected:
  void SetUp() override { setenv(device::kCudaLibraryVariable, LOCKSTEP_FAKE_CUDA, 1); }
  void TearDown() override {
    for (const char* variable : {device::kCudaLibraryVariable, "FAKE_CUDA_DEVICES",
                                 "FAKE_CUDA_MEMORY", "FAKE_CUDA_CAPABILITY", "FAKE_CUDA_FAIL"}) {
      unsetenv(variable);
    }
    std::filesystem::remove(path());
  }

  static std::unique_ptr<device::Session> open() {
    Result<std::unique_ptr<device::Session>> session = device::Session::open({});
    EXPECT_TRUE(session.ok()) << session.error().text();
    return std::move(session).value();
  }
  static std::string refusal_to_open() {
    const Result<std::unique_ptr<device::Session>> session = device::Session::open({});
    return session.ok() ? "" : session.error().text();
  }
  static std::string refusal(device::Session& session, const device::ChannelConfig& config,
                             std::optional<device::UserBuffer> buffer = std::nullopt) {
    const Result<device::Channel*> channel = session.create_channel(config, "", buffer);
    return channel.ok() ? "" : channel.error().text();
  }
  static std::string text_of(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  [[nodiscard]] std::string path() const {
    return ::testing::TempDir() + "lockstep_session_" + std::to_string(::getpid()) +
           ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".lkp";
  }
};

}  // namespace lockstep
