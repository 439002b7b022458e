// Claims on --overhead.
#include "cli/commands/kernel_overhead_file.h"

#include <unistd.h>

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/kernel/kernel_overhead.h"

namespace lockstep::cli {
namespace {

using ::testing::HasSubstr;

trace::KernelProfile with_threads(std::uint32_t threads) {
  trace::KernelProfile profile;
  profile.launches.resize(1);
  profile.launches[0].threads = {threads, 1, 1};
  return profile;
}

class MarkerCycles : public ::testing::Test {
 protected:
  void TearDown() override { ::unlink(path_.c_str()); }

  std::string written(const std::string& content) const {
    std::ofstream(path_) << content;
    return path_;
  }

  std::string path_ = ::testing::TempDir() + "overhead_" + std::to_string(::getpid()) + ".json";
};

TEST_F(MarkerCycles, AreTheNumberGiven) {
  const auto cycles = marker_cycles("15.5", {});
  ASSERT_TRUE(cycles.ok());
  EXPECT_EQ(cycles.value(), 15.5);
}

TEST_F(MarkerCycles, AreNoNegativeOrEndlessNumber) {
  for (const char* const words : {"-1", "inf", "nan", "1e9"}) {
    const auto cycles = marker_cycles(words, {});
    ASSERT_FALSE(cycles.ok());
    EXPECT_EQ(cycles.error().code, ErrorCode::kUsage);
    EXPECT_THAT(cycles.error().text(), HasSubstr("--overhead cannot be"));
  }
}

TEST_F(MarkerCycles, AreThoseOfTheDefaultMarkerAtTheNearestWarps) {
  report::kernel::MarkerCosts costs;
  costs.markers = {{"global", 8, 20}, {"shared", 1, 15}, {"shared", 8, 18}, {"shared", 32, 53}};
  const std::string path = written(report::kernel::kernel_overhead_json(costs));
  EXPECT_EQ(marker_cycles(path, with_threads(256)).value(), 18);
  EXPECT_EQ(marker_cycles(path, with_threads(1024)).value(), 53);
  EXPECT_EQ(marker_cycles(path, with_threads(0)).value(), 15);
  EXPECT_EQ(marker_cycles(path, {}).value(), 15);
}

TEST_F(MarkerCycles, AreNotThoseOfImpossibleWarps) {
  const std::string path = written(R"({"schema": "lockstep.kernel-overhead/1", "markers": [
    {"variant": "shared", "warps": -9223372036854775808, "cycles": 1},
    {"variant": "shared", "warps": 9223372036854775807, "cycles": 2},
    {"variant": "shared", "warps": 8, "cycles": 3}]})");
  trace::KernelProfile profile = with_threads(UINT32_MAX);
  profile.launches[0].threads.y = UINT32_MAX;
  EXPECT_EQ(marker_cycles(path, profile).value(), 3);
}

TEST_F(MarkerCycles, AreNotReadFromOtherFiles) {
  for (const char* const content :
       {"", "[1]", "{\"schema\": \"lockstep.info/1\"}", "{\"schema\": 3}",
        "{\"schema\": \"lockstep.kernel-overhead/1\"}",
        "{\"schema\": \"lockstep.kernel-overhead/1\", \"markers\": [{\"variant\": \"shared\"}]}",
        "{\"schema\": \"lockstep.kernel-overhead/1\", \"markers\": [7, {\"variant\": 1}]}"}) {
    const auto cycles = marker_cycles(written(content), {});
    ASSERT_FALSE(cycles.ok()) << content;
    EXPECT_EQ(cycles.error().code, ErrorCode::kInput);
    EXPECT_THAT(cycles.error().text(), HasSubstr("tells no cost of a marker"));
  }
}

TEST_F(MarkerCycles, TellOfAFileThatIsNotThere) {
  const auto cycles = marker_cycles("/nowhere/overhead.json", {});
  ASSERT_FALSE(cycles.ok());
  EXPECT_EQ(cycles.error().code, ErrorCode::kInput);
}

}  // namespace
}  // namespace lockstep::cli
