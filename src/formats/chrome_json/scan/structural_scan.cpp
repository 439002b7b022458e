// The structural scan in plain C++, and the choice between it and those for newer processors.
#include "formats/chrome_json/scan/structural_scan.h"

#include <cstring>

#include "formats/chrome_json/scan/structural_scan_loop.h"

namespace lockstep::formats::chrome_json {
namespace {

constexpr std::uint64_t kEveryByte = 0x0101'0101'0101'0101;
constexpr std::uint64_t kHighBits = 0x8080'8080'8080'8080;

// High bit of every byte of `word` that equals `wanted`; exact, unlike the usual zero-byte trick,
// because no carry crosses a byte.
std::uint64_t equal_bytes(std::uint64_t word, unsigned char wanted) {
  const std::uint64_t x = word ^ (kEveryByte * wanted);
  return ~(((x & ~kHighBits) + ~kHighBits) | x) & kHighBits;
}

// High bit of every byte of `word` that is below a space.
std::uint64_t bytes_below_space(std::uint64_t word) {
  constexpr std::uint64_t kFromSpace = kEveryByte * (0x80 - ' ');
  return ~(((word & ~kHighBits) + kFromSpace) | word) & kHighBits;
}

// The high bits of the eight bytes, gathered into the low eight bits.
std::uint64_t gather(std::uint64_t high_bits) {
  return ((high_bits >> 7) * 0x0102'0408'1020'4080) >> 56;
}

BlockBits classify_plain(const char* block, std::size_t length) {
  char padded[kBlockBytes];
  if (length < kBlockBytes) {
    std::memset(padded, ' ', sizeof padded);
    std::memcpy(padded, block, length);
    block = padded;
  }
  BlockBits bits{};
  for (unsigned i = 0; i < kBlockBytes / 8; ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, block + 8 * i, 8);
    const std::uint64_t folded = word | (kEveryByte * 0x20);  // [ and { differ by this bit
    bits.quotes |= gather(equal_bytes(word, '"')) << (8 * i);
    bits.backslashes |= gather(equal_bytes(word, '\\')) << (8 * i);
    bits.opens |= gather(equal_bytes(folded, '{')) << (8 * i);
    bits.closes |= gather(equal_bytes(folded, '}')) << (8 * i);
    bits.curly |= gather((word << 2) & kHighBits) << (8 * i);
    bits.colons |= gather(equal_bytes(word, ':')) << (8 * i);
    bits.commas |= gather(equal_bytes(word, ',')) << (8 * i);
    const std::uint64_t white = equal_bytes(word, ' ') | equal_bytes(word, '\n') |
                                equal_bytes(word, '\r') | equal_bytes(word, '\t');
    bits.spaces |= gather(white) << (8 * i);
    bits.controls |= gather(bytes_below_space(word) & ~white) << (8 * i);
    bits.nuls |= gather(equal_bytes(word, '\0')) << (8 * i);
  }
  return bits;
}

// One word at a time.
struct PlainLanes {
  using Words = std::uint64_t;
  static constexpr unsigned kCount = 1;
  static Words load(const std::uint64_t* from) { return *from; }
  static void store(std::uint64_t* to, Words words) { *to = words; }
  static unsigned greater(Words a, Words b) { return a > b ? 1 : 0; }
  static unsigned empty(Words a) { return a == 0 ? 1 : 0; }
  static unsigned tops(Words a) { return static_cast<unsigned>(a >> 63); }
  static Words ones(unsigned lanes) { return lanes & 1; }
  static std::uint64_t any(Words a) { return a; }
};

ScanResult scan_plain(const char* data, std::size_t begin, std::size_t end, ScanState& state,
                      Mark* marks, std::size_t capacity) {
  return scan_loop<PlainLanes>(data, begin, end, state, marks, capacity, classify_plain);
}

bool has_avx2() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("pclmul") != 0 &&
         __builtin_cpu_supports("bmi") != 0 && __builtin_cpu_supports("bmi2") != 0;
#else
  return false;
#endif
}

bool has_avx512() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512bw") != 0 && has_avx2();
#else
  return false;
#endif
}

}  // namespace

const ScanImplementation* scan_implementations() {
  static const ScanImplementation kAll[kScanImplementations] = {
      {"plain", true, scan_plain},
      {"avx2", has_avx2(), avx2::scan_elements},
      {"avx512", has_avx512(), avx512::scan_elements},
  };
  return kAll;
}

ScanResult scan_elements(const char* data, std::size_t begin, std::size_t end, ScanState& state,
                         Mark* marks, std::size_t capacity) {
  static const auto kBest = [] {
    const ScanImplementation* best = scan_implementations();
    for (std::size_t i = 1; i < kScanImplementations; ++i) {
      if (scan_implementations()[i].supported) best = &scan_implementations()[i];
    }
    return best->scan;
  }();
  return kBest(data, begin, end, state, marks, capacity);
}

}  // namespace lockstep::formats::chrome_json
