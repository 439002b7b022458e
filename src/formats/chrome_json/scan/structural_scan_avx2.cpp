// The structural scan for processors with AVX2. Only this file is compiled with -mavx2; it is
// entered only when the processor says that it can.
#include "formats/chrome_json/scan/structural_scan_loop.h"

#if defined(__AVX2__)
#include <immintrin.h>

namespace lockstep::formats::chrome_json {
namespace {

inline std::uint64_t bits_of(__m256i low, __m256i high) {
  const auto l = static_cast<std::uint32_t>(_mm256_movemask_epi8(low));
  const auto h = static_cast<std::uint32_t>(_mm256_movemask_epi8(high));
  return l | (static_cast<std::uint64_t>(h) << 32);
}

inline std::uint64_t bits_equal(__m256i low, __m256i high, char wanted) {
  const __m256i pattern = _mm256_set1_epi8(wanted);
  return bits_of(_mm256_cmpeq_epi8(low, pattern), _mm256_cmpeq_epi8(high, pattern));
}

// White space is what the table has for the low four bits of itself.
inline __m256i white_space(__m256i bytes) {
  const __m256i blanks = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t', '\n', 0, 0, '\r', 0, 0));
  return _mm256_cmpeq_epi8(_mm256_shuffle_epi8(blanks, bytes), bytes);
}

inline __m256i below_space(__m256i bytes) {
  return _mm256_cmpeq_epi8(_mm256_min_epu8(bytes, _mm256_set1_epi8(' ' - 1)), bytes);
}

inline BlockBits classify_avx2(const char* block, std::size_t length) {
  alignas(32) char padded[kBlockBytes];
  if (length < kBlockBytes) {
    for (std::size_t i = 0; i < kBlockBytes; ++i) padded[i] = i < length ? block[i] : ' ';
    block = padded;
  }
  const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(block));
  const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(block + 32));
  const __m256i fold = _mm256_set1_epi8(0x20);  // [ and { differ by this bit
  const __m256i low_folded = _mm256_or_si256(low, fold);
  const __m256i high_folded = _mm256_or_si256(high, fold);
  const __m256i low_white = white_space(low);
  const __m256i high_white = white_space(high);
  BlockBits bits{};
  bits.quotes = bits_equal(low, high, '"');
  bits.opens = bits_equal(low_folded, high_folded, '{');
  bits.closes = bits_equal(low_folded, high_folded, '}');
  // The bit that tells { from [, where the mask looks for it.
  bits.curly = bits_of(_mm256_slli_epi16(low, 2), _mm256_slli_epi16(high, 2));
  bits.colons = bits_equal(low, high, ':');
  bits.commas = bits_equal(low, high, ',');
  bits.spaces = bits_of(low_white, high_white);
  const __m256i backslash = _mm256_set1_epi8('\\');
  const __m256i low_controls = _mm256_andnot_si256(low_white, below_space(low));
  const __m256i high_controls = _mm256_andnot_si256(high_white, below_space(high));
  const __m256i rare = _mm256_or_si256(
      _mm256_or_si256(low_controls, high_controls),
      _mm256_or_si256(_mm256_cmpeq_epi8(low, backslash), _mm256_cmpeq_epi8(high, backslash)));
  if (_mm256_testz_si256(rare, rare) == 0) {
    bits.backslashes = bits_equal(low, high, '\\');
    bits.controls = bits_of(low_controls, high_controls);
    bits.nuls = bits_equal(low, high, '\0');
  }
  return bits;
}

// Four words at a time.
struct Avx2Lanes {
  using Words = std::uint64_t __attribute__((vector_size(32)));
  static constexpr unsigned kCount = 4;
  static Words load(const std::uint64_t* from) {
    return reinterpret_cast<Words>(_mm256_load_si256(reinterpret_cast<const __m256i*>(from)));
  }
  static void store(std::uint64_t* to, Words words) {
    _mm256_store_si256(reinterpret_cast<__m256i*>(to), reinterpret_cast<__m256i>(words));
  }
  static unsigned tops(Words a) {
    return static_cast<unsigned>(_mm256_movemask_pd(reinterpret_cast<__m256d>(a)));
  }
  static unsigned greater(Words a, Words b) { return tops(reinterpret_cast<Words>(a > b)); }
  static unsigned empty(Words a) { return tops(reinterpret_cast<Words>(a == 0)); }
  static Words ones(unsigned lanes) {
    return (Words{lanes, lanes, lanes, lanes} >> Words{0, 1, 2, 3}) & 1;
  }
  static std::uint64_t any(Words a) { return a[0] | a[1] | a[2] | a[3]; }
};

}  // namespace

ScanResult avx2::scan_elements(const char* data, std::size_t begin, std::size_t end,
                               ScanState& state, Mark* marks, std::size_t capacity) {
  return scan_loop<Avx2Lanes>(data, begin, end, state, marks, capacity, classify_avx2);
}

}  // namespace lockstep::formats::chrome_json

#else

namespace lockstep::formats::chrome_json {

// Never entered: scan_implementations() says that it is not supported.
ScanResult avx2::scan_elements(const char*, std::size_t, std::size_t, ScanState&, Mark*,
                               std::size_t) {
  return {};
}

}  // namespace lockstep::formats::chrome_json

#endif
