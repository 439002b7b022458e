// The structural scan for processors with AVX-512, which gives masks of 64 bytes at once. Only this
// file is compiled with -mavx512bw; it is entered only when the processor says that it can.
#include "formats/chrome_json/scan/structural_scan_loop.h"

#if defined(__AVX512BW__)
#include <immintrin.h>

namespace lockstep::formats::chrome_json {
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
  bits.curly = _mm512_test_epi8_mask(bytes, spaces);
  bits.colons = equal(bytes, ':');
  bits.commas = equal(bytes, ',');
  // White space is what the table has for the low four bits of itself.
  const __m512i blanks = _mm512_maskz_broadcast_i32x4(
      0xFFFF,  // without a mask g++ 12 warns of its own header
      _mm_setr_epi8(' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t', '\n', 0, 0, '\r', 0, 0));
  const __mmask64 white = _mm512_cmpeq_epi8_mask(_mm512_shuffle_epi8(blanks, bytes), bytes);
  bits.spaces = white;
  // What is rare is not even moved out of its register.
  const __mmask64 backslashes = equal(bytes, '\\');
  const __mmask64 controls = _kandn_mask64(white, _mm512_cmplt_epu8_mask(bytes, spaces));
  if (_kortestz_mask64_u8(backslashes, controls) == 0) {
    bits.backslashes = backslashes;
    bits.controls = controls;
    bits.nuls = _mm512_testn_epi8_mask(bytes, bytes);
  }
  return bits;
}

// Eight words at a time.
struct Avx512Lanes {
  using Words = std::uint64_t __attribute__((vector_size(64)));
  static constexpr unsigned kCount = 8;
  static Words load(const std::uint64_t* from) {
    return reinterpret_cast<Words>(_mm512_load_si512(from));
  }
  static void store(std::uint64_t* to, Words words) { _mm512_store_si512(to, raw(words)); }
  static __m512i raw(Words a) { return reinterpret_cast<__m512i>(a); }
  static unsigned greater(Words a, Words b) { return _mm512_cmpgt_epu64_mask(raw(a), raw(b)); }
  static unsigned empty(Words a) { return _mm512_testn_epi64_mask(raw(a), raw(a)); }
  static unsigned tops(Words a) { return _mm512_cmplt_epi64_mask(raw(a), _mm512_setzero_si512()); }
  static Words ones(unsigned lanes) {
    return reinterpret_cast<Words>(_mm512_maskz_set1_epi64(static_cast<__mmask8>(lanes), 1));
  }
  static std::uint64_t any(Words a) { return empty(a) == 0xff ? 0 : 1; }
};

}  // namespace

ScanResult avx512::scan_elements(const char* data, std::size_t begin, std::size_t end,
                                 ScanState& state, Mark* marks, std::size_t capacity) {
  return scan_loop<Avx512Lanes>(data, begin, end, state, marks, capacity, classify_avx512);
}

}  // namespace lockstep::formats::chrome_json

#else

namespace lockstep::formats::chrome_json {

// Never entered: scan_implementations() says that it is not supported.
ScanResult avx512::scan_elements(const char*, std::size_t, std::size_t, ScanState&, Mark*,
                                 std::size_t) {
  return {};
}

}  // namespace lockstep::formats::chrome_json

#endif
