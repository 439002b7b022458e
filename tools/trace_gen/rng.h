// A small random generator whose numbers are the same on every platform and standard library.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace lockstep::tracegen {

// One step of splitmix64 (Vigna): also a good mixer for making seeds from seeds.
constexpr std::uint64_t splitmix64(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15ULL;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

// A seed for a named part of the run, so that parts do not depend on how much another part drew.
constexpr std::uint64_t derive_seed(std::uint64_t seed, std::uint64_t part, std::uint64_t index) {
  std::uint64_t state = seed;
  state = splitmix64(state) ^ (part * 0xd6e8feb86659fd93ULL);
  state = splitmix64(state) ^ (index * 0xa0761d6478bd642fULL);
  return splitmix64(state);
}

// xoshiro256** (Blackman, Vigna). Standard distributions are avoided on purpose: their results
// are not fixed by the standard, and a trace must have the same bytes everywhere.
class Rng {
 public:
  explicit constexpr Rng(std::uint64_t seed) {
    for (std::uint64_t& word : words_) word = splitmix64(seed);
  }

  constexpr std::uint64_t next() {
    const std::uint64_t result = std::rotl(words_[1] * 5, 7) * 9;
    const std::uint64_t shifted = words_[1] << 17;
    words_[2] ^= words_[0];
    words_[3] ^= words_[1];
    words_[1] ^= words_[2];
    words_[0] ^= words_[3];
    words_[2] ^= shifted;
    words_[3] = std::rotl(words_[3], 45);
    return result;
  }

  // Uniform in [0, bound) for bound < 2^32; the bias below 2^-32 does not matter here.
  constexpr std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>(((next() >> 32) * bound) >> 32);
  }

  // Uniform in [low, high].
  constexpr std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + below(static_cast<std::uint32_t>(high - low + 1));
  }

 private:
  std::array<std::uint64_t, 4> words_{};
};

}  // namespace lockstep::tracegen
