// Buffers for tests of the decoders: words one behind another, and what became of them in a line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/diagnostics.h"
#include "formats/kernel_profile/kernel_profile_formats.h"
#include "trace/kernel_profile.h"

namespace lockstep::formats::kernel_profile {

template <typename Item>
std::string bytes_of_items(std::span<const Item> items) {
  return {reinterpret_cast<const char*>(items.data()), items.size_bytes()};
}
template <typename Item>
std::string bytes_of_items(const std::vector<Item>& items) {
  return bytes_of_items(std::span<const Item>(items));
}

inline std::span<const std::byte> as_span(const std::string& bytes) {
  return std::as_bytes(std::span(bytes));
}

// "wrapped 1, dropped 4" in the order in which they were met.
inline std::string words_of(const Diagnostics& findings) {
  std::string out;
  for (const Diagnostic& entry : findings.entries()) {
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", entry.kind->name, entry.count);
  }
  return out;
}

inline char letter_of(trace::RecordType type) { return "BEIS-"[static_cast<std::size_t>(type)]; }

// "B0@100 E0@200"; regions as "-3@100+50", a payload behind "=", async edges with "~".
inline std::string words_of(std::span<const trace::KernelRecord> records) {
  std::string out;
  for (const trace::KernelRecord& record : records) {
    if (!out.empty()) out += ' ';
    out += fmt::format("{}{}{}@{}", record.is_async ? "~" : "", letter_of(record.type),
                       record.event, record.ticks);
    if (record.type == trace::RecordType::kRegion) out += fmt::format("+{}", record.length);
    if (record.has_payload || record.is_async || record.type == trace::RecordType::kSwitch) {
      out += fmt::format("={}", record.payload);
    }
  }
  return out;
}

// "0/1: B0@100 E0@200" by block and group, a line each.
inline std::string words_of(const trace::KernelProfile& profile) {
  std::string out;
  trace::RecordScratch scratch;
  for (const trace::KernelLane& lane : profile.lanes) {
    out += fmt::format("{}/{}: {}\n", lane.block, lane.group,
                       words_of(profile.records_of(lane, scratch)));
  }
  return out;
}

// A decoding with its findings; an error is its sentence.
struct Decoded {
  std::shared_ptr<const std::string> bytes;  // records may lie in them
  trace::KernelProfile profile;
  Diagnostics findings;
  std::string error;

  [[nodiscard]] std::string lanes() const { return error.empty() ? words_of(profile) : error; }
  [[nodiscard]] std::string found() const { return words_of(findings); }
};

inline Decoded decode_for_test(std::string bytes, const KernelDecodeOptions& options) {
  Decoded out;
  out.bytes = std::make_shared<const std::string>(std::move(bytes));
  auto profile = decode_kernel_profile(as_span(*out.bytes), options, out.findings);
  if (profile.ok()) {
    out.profile = std::move(profile).value();
  } else {
    out.error = profile.error().text();
  }
  return out;
}

inline std::size_t records_in(const trace::KernelProfile& profile) {
  trace::RecordScratch scratch;
  std::size_t records = 0;
  for (const trace::KernelLane& lane : profile.lanes)
    records += profile.records_of(lane, scratch).size();
  return records;
}

// Every shorter file must be read or refused. It has no more records than fit into it, and lost
// none in silence but for cuts between them, which formats without a size cannot tell.
inline void expect_all_cuts_are_safe(const std::string& bytes, const KernelDecodeOptions& options) {
  const std::size_t all = records_in(decode_for_test(bytes, options).profile);
  EXPECT_GT(all, 0U);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const Decoded decoded = decode_for_test(bytes.substr(0, size), options);
    if (!decoded.error.empty()) continue;
    const std::size_t left = records_in(decoded.profile);
    constexpr std::size_t kSmallestRecord = 8;
    EXPECT_LE(left, size / kSmallestRecord) << size;
    const bool is_silent = left < all && decoded.found().empty();
    EXPECT_TRUE(!is_silent || size % kSmallestRecord == 0) << size;
  }
}

}  // namespace lockstep::formats::kernel_profile
