// Claims on what is told of the cost of markers.
#include "report/kernel/kernel_overhead.h"

#include <gtest/gtest.h>

namespace lockstep::report::kernel {
namespace {

MarkerCosts costs_for_test() {
  MarkerCosts costs;
  costs.device = "NVIDIA H200";
  costs.arch = "sm_90";
  costs.driver = "13.0";
  costs.markers = {{"shared", 8, 18.12}, {"shared", 1, 15.4}, {"global", 1, 17}};
  costs.frames = {{"shared", 1, 980}};
  return costs;
}

TEST(KernelOverheadText, HasARowAVariantAndAColumnANumberOfWarps) {
  EXPECT_EQ(kernel_overhead_text(costs_for_test(), {}),
            "NVIDIA H200 (sm_90), driver 13.0\n"
            "\nCycles a marker, by warps of a block that all mark\n"
            "          1 warp  8 warps\n"
            "  shared    15.4     18.1\n"
            "  global    17.0        -\n"
            "\nCycles of init and finalize together, 64 records staged\n"
            "          1 warp\n"
            "  shared   980.0\n");
}

TEST(KernelOverheadText, HasNoEmptyTable) {
  MarkerCosts costs = costs_for_test();
  costs.frames.clear();
  EXPECT_EQ(kernel_overhead_text(costs, {}).find("finalize"), std::string::npos);
}

TEST(KernelOverheadMarkdown, IsToTheLetter) {
  EXPECT_EQ(kernel_overhead_markdown(costs_for_test()), R"(# What a marker costs

**NVIDIA H200 (sm_90), driver 13.0**

## Cycles a marker, by warps of a block that all mark

|  | 1 warp | 8 warps |
|---|---:|---:|
| shared | 15.4 | 18.1 |
| global | 17.0 | - |

## Cycles of init and finalize together, 64 records staged

|  | 1 warp |
|---|---:|
| shared | 980.0 |
)");
}

TEST(KernelOverheadJson, HasARowAMeasurement) {
  EXPECT_EQ(kernel_overhead_json(costs_for_test()), R"({
  "schema": "lockstep.kernel-overhead/1",
  "device": "NVIDIA H200",
  "arch": "sm_90",
  "driver": "13.0",
  "markers": [
    {"variant": "shared", "warps": 8, "cycles": 18.120},
    {"variant": "shared", "warps": 1, "cycles": 15.400},
    {"variant": "global", "warps": 1, "cycles": 17.000}
  ],
  "frames": [
    {"variant": "shared", "warps": 1, "cycles": 980.000}
  ]
}
)");
}

}  // namespace
}  // namespace lockstep::report::kernel
