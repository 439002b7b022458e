// The structural scan for processors with AVX-512, which gives masks of 64 bytes at once. Only this
// file is compiled with -mavx512bw; it is entered only when the processor says that it can.
#include "formats/chrome_json/structural_scan_loop.h"

#if defined(__AVX512BW__)
#include <immintrin.h>

namespace lockstep::chrome_json {
namespace {

inline BlockBits classify_avx512(const char* block, std::size_t length) {
  const __m512i spaces = _mm512_set1_epi8(' ');
  const __mmask64 there = length < kBlockBytes ? (__mmask64{1} << length) - 1 : ~__mmask64{0};
  const __m512i bytes = _mm512_mask_loadu_epi8(spaces, there, block);
  const __m512i folded = _mm512_or_si512(bytes, spaces);  // [ and { differ by this bit
  const auto equal = [](__m512i in, char wanted) {
    return _mm512_cmpeq_epi8_mask(in, _mm512_set1_epi8(wanted));
  };
  BlockBits bits{};
  bits.quotes = equal(bytes, '"');
  bits.opens = equal(folded, '{');
  bits.closes = equal(folded, '}');
  bits.colons = equal(bytes, ':');
  bits.commas = equal(bytes, ',');
  bits.spaces = _mm512_cmple_epu8_mask(bytes, spaces);
  // What is rare is not even moved out of its register.
  const __mmask64 backslashes = equal(bytes, '\\');
  const __mmask64 nuls = _mm512_testn_epi8_mask(bytes, bytes);
  if (_kortestz_mask64_u8(backslashes, nuls) == 0) {
    bits.backslashes = backslashes;
    bits.nuls = nuls;
  }
  return bits;
}

}  // namespace

ScanResult avx512::scan_elements(const char* data, std::size_t begin, std::size_t end,
                                 ScanState& state, Mark* marks, std::size_t capacity) {
  return scan_loop(data, begin, end, state, marks, capacity, classify_avx512);
}

}  // namespace lockstep::chrome_json

#else

namespace lockstep::chrome_json {

// Never entered: scan_implementations() says that it is not supported.
ScanResult avx512::scan_elements(const char*, std::size_t, std::size_t, ScanState&, Mark*,
                                 std::size_t) {
  return {};
}

}  // namespace lockstep::chrome_json

#endif
