// How much a window that grows is moved.
#include "formats/chrome_json/scan/window_buffer.h"

#include <string>

#include <gtest/gtest.h>

#include "io/byte_source.h"

namespace lockstep::formats::chrome_json {
namespace {

std::string numbered_lines(std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; text.size() < bytes; ++i) text += std::to_string(i) + "\n";
  return text;
}

// How often the text of a window moved that was filled to the end and never consumed.
std::size_t moves_of(std::size_t bytes, std::size_t chunk_bytes) {
  const std::string text = numbered_lines(bytes);
  io::MemorySource source{text};
  io::ReadAhead chunks(source, chunk_bytes);
  WindowBuffer window(chunks);
  std::size_t moves = 0;
  const char* at = nullptr;
  for (Result<bool> more = true; more.ok() && more.value(); more = window.fill()) {
    if (window.data() != at) ++moves;
    at = window.data();
  }
  EXPECT_EQ(window.text(), text);
  return moves;
}

TEST(WindowBuffer, ALargeOneMovesOnlyAsOftenAsItDoubles) {
  const std::size_t few = moves_of(1'000'000, 4'096);
  const std::size_t many = moves_of(4'000'000, 4'096);
  EXPECT_LE(many, few + 3);
}

TEST(WindowBuffer, WhatIsConsumedIsNotMoved) {
  const std::string text = numbered_lines(2'000'000);
  io::MemorySource source{text};
  io::ReadAhead chunks(source, 10'000);
  WindowBuffer window(chunks);
  std::string seen;
  std::size_t turn = 0;
  while (window.fill().value()) {
    // Now and then a large rest is left, and room behind it is used again.
    const std::size_t kept = ++turn % 50 < 40 ? std::min<std::size_t>(window.size(), 90'000) : 0;
    const std::size_t taken = window.size() - kept;
    seen += window.text().substr(0, taken);
    window.consume(taken);
    EXPECT_EQ(window.offset(), seen.size());
  }
  seen += window.text();
  EXPECT_EQ(seen, text);
}

}  // namespace
}  // namespace lockstep::formats::chrome_json
