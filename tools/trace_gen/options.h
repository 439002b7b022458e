// What the user asked for: the size and the shape of the run, and which oddities the file has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::tracegen {

// Oddities of real files that a reader must cope with; each is off unless asked for.
struct Quirks {
  bool compact = false;        // one line, no white space between tokens
  bool no_base_time = false;   // no baseTimeNanoseconds: times are absolute, 19 digits of ns
  bool old_flow_name = false;  // flows are of category async_cpu_to_gpu, as in 2022
  bool lost_launches = false;  // one launch of about 64 has no runtime call and no flow start
  bool counters = false;       // counter events, one a pass and device
};

struct Options {
  std::string output = "-";
  std::string truth_path;
  std::optional<std::uint64_t> size_bytes;
  std::uint64_t passes = 10;  // not used where size_bytes is set
  std::uint32_t layers = 16;
  std::uint32_t streams = 2;
  std::uint32_t devices = 1;
  std::uint32_t world = 1;
  std::uint32_t rank = 0;
  std::uint64_t stall_every = 0;  // 0: no stalls
  std::uint64_t stall_us = 20000;
  std::uint32_t python_share = 0;
  std::uint64_t seed = 1;
  Quirks quirks;
};

// "4096", "10K", "10M", "1G", "5GiB": powers of 1024. Nothing where the text is not a size.
std::optional<std::uint64_t> parse_size(std::string_view text);

// Sets the quirk of that name; false where there is none.
bool set_quirk(Quirks& quirks, std::string_view name);

// The names set_quirk knows, for help and messages.
std::vector<std::string> quirk_names();

// The sentence that says what is wrong with the options; empty where nothing is.
std::string complaint(const Options& options);

}  // namespace lockstep::tracegen
