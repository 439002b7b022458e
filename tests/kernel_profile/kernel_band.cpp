// kernel_band FILE...: whether anchors that are left out of the fit lie inside the band
// that lockstep states. One line of JSON for each file; benchmarks/kernel_profiler/accuracy.py
// reads them.
#include <cstdio>
#include <cstdlib>

#include "analysis/kernel_profile/clocks/time_base_check.h"
#include "formats/kernel_profile/kernel_profile_formats.h"

int main(int argc, char** argv) {
  constexpr std::uint32_t kEvery = 2;  // every second knot is left out
  for (int i = 1; i < argc; ++i) {
    lockstep::Diagnostics findings;
    const auto profile =
        lockstep::formats::kernel_profile::read_kernel_profile(argv[i], {}, findings);
    if (!profile.ok()) {
      std::fprintf(stderr, "kernel_band: %s\n", profile.error().text().c_str());
      return 3;
    }
    const lockstep::analysis::kernel_profile::BandCheck check =
        lockstep::analysis::kernel_profile::check_band(profile.value(), kEvery);
    std::printf(
        "{\"file\": \"%s\", \"held_out\": %llu, \"inside\": %llu, \"stated_p50_ns\": %.1f, "
        "\"stated_max_ns\": %.1f, \"excess_max_ns\": %.1f}\n",
        argv[i], static_cast<unsigned long long>(check.held_out),
        static_cast<unsigned long long>(check.inside),
        static_cast<double>(check.stated_p50.ps) / 1e3,
        static_cast<double>(check.stated_max.ps) / 1e3,
        static_cast<double>(check.excess_max.ps) / 1e3);
  }
}
