// Calls the session library as a program of a user would, for session_test.py: what needs no
// driver.
//
//   session_calls FILE.lkp FILE.pftrace
//
// Prints the sentence of the first call that fails and ends with its code. Has no memory but its
// own, so that every allocation that the shim counts is one of the library.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "lockstep/session.h"

namespace {

alignas(64) std::array<std::byte, std::size_t{1} << 20> buffer;

int collect(const char* path) {
  lockstep_channel_config config;
  lockstep_channel_config_init(&config);
  config.blocks = 2;
  std::uint64_t bytes = 0;
  if (const int code = lockstep_required_bytes(nullptr, &config, &bytes)) return code;
  if (bytes > buffer.size()) return LOCKSTEP_INTERNAL;
  if (const int code = lockstep_first_bytes(&config, 0x1000, buffer.data())) return code;
  const lockstep_copy copy = {buffer.data(), bytes, "a kernel with a name of some length"};
  return lockstep_collect_from_memory(&copy, 1, nullptr, path, nullptr);
}

// One lane with one region, as TVM's CudaProfiler writes it.
int export_perfetto(const char* path) {
  constexpr std::array<std::uint64_t, 4> kWords = {
      std::uint64_t{1} << 32 | 1, std::uint64_t{1000} << 32, std::uint64_t{1064} << 32 | 1,
      std::uint64_t{2000} << 32 | 3};
  const char* const name = "a region with a name of some length";
  return lockstep_export_perfetto(kWords.data(), kWords.size(), path, &name, 1);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return LOCKSTEP_USAGE;
  int code = collect(argv[1]);
  if (code == LOCKSTEP_OK) code = export_perfetto(argv[2]);
  if (code != LOCKSTEP_OK) std::fprintf(stderr, "%s\n", lockstep_last_error());
  return code;
}
