// Tests of the joining of small copies.
#include "host/grouped_copies.h"

#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockstep {
namespace {

// Bytes that count how they are read.
class CountedBytes final : public device::BufferBytes {
 public:
  explicit CountedBytes(std::uint64_t size) : size_(size) {}
  [[nodiscard]] std::uint64_t size() const override { return size_; }
  [[nodiscard]] Status read(std::uint64_t offset, std::span<std::byte> into) override {
    if (fails_) return input_error({}, "no");
    if (offset + into.size() > size_) return input_error({}, "outside");
    ++reads_;
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = byte_at(offset + i);
    return {};
  }
  static std::byte byte_at(std::uint64_t offset) {
    return static_cast<std::byte>(offset * 2654435761U >> 13);
  }
  std::uint64_t size_ = 0;
  int reads_ = 0;
  bool fails_ = false;
};

constexpr std::uint64_t kMega = 1024 * 1024;

TEST(GroupedCopies, NeighboursAreReadTogetherAndFarOnesApart) {
  CountedBytes bytes(100 * kMega);
  const std::vector<device::CopyRange> ranges = {{0, 64}, {4096, 64}, {50 * kMega, 64}};
  ASSERT_TRUE(
      device::copy_grouped(bytes, ranges, [](std::size_t, std::span<const std::byte>) {}).ok());
  EXPECT_EQ(bytes.reads_, 2);
}

TEST(GroupedCopies, AReadStaysBelowItsLargestSize) {
  CountedBytes bytes(200 * kMega);
  const std::vector<device::CopyRange> ranges = {{0, 40 * kMega}, {40 * kMega, 40 * kMega}};
  ASSERT_TRUE(
      device::copy_grouped(bytes, ranges, [](std::size_t, std::span<const std::byte>) {}).ok());
  EXPECT_EQ(bytes.reads_, 2);
}

TEST(GroupedCopies, NothingIsReadForEmptyRanges) {
  CountedBytes bytes(kMega);
  int used = 0;
  const std::vector<device::CopyRange> ranges = {{0, 0}, {512, 0}};
  ASSERT_TRUE(
      device::copy_grouped(bytes, ranges, [&](std::size_t, std::span<const std::byte> part) {
        used += part.empty() ? 1 : 100;
      }).ok());
  EXPECT_EQ(used, 2);
  EXPECT_EQ(bytes.reads_, 0);
}

TEST(GroupedCopies, AFailedReadIsTheError) {
  CountedBytes bytes(kMega);
  bytes.fails_ = true;
  const std::vector<device::CopyRange> ranges = {{0, 8}};
  const Status status =
      device::copy_grouped(bytes, ranges, [](std::size_t, std::span<const std::byte>) { FAIL(); });
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "no");
}

RC_GTEST_PROP(GroupedCopiesProperty, EveryRangeHasItsBytesInOrder, ()) {
  CountedBytes bytes(8 * kMega);
  std::vector<device::CopyRange> ranges;
  std::uint64_t at = 0;
  for (int i = *rc::gen::inRange(0, 30); i > 0; --i) {
    at += *rc::gen::element<std::uint64_t>(0, 1, 100, 200 * 1024, 256 * 1024, 300 * 1024);
    const std::uint64_t size = *rc::gen::element<std::uint64_t>(0, 1, 8, 1000);
    if (at + size > bytes.size()) break;
    ranges.push_back({at, size});
    at += size;
  }
  std::size_t next = 0;
  const Status status =
      device::copy_grouped(bytes, ranges, [&](std::size_t index, std::span<const std::byte> part) {
        RC_ASSERT(index == next++);
        RC_ASSERT(part.size() == ranges[index].bytes);
        for (std::size_t i = 0; i < part.size(); ++i) {
          RC_ASSERT(part[i] == CountedBytes::byte_at(ranges[index].offset + i));
        }
      });
  RC_ASSERT(status.ok());
  RC_ASSERT(next == ranges.size());
}

}  // namespace
}  // namespace lockstep
