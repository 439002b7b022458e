// Reading of .npy headers.
#include "formats/kernel_profile/other_tools/npy.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "formats/kernel_profile/item_view.h"
#include "formats/kernel_profile/kernel_findings.h"

namespace lockstep::formats::kernel_profile {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kVersionAt = 6;
constexpr std::size_t kLengthAt = 8;

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

struct NpyHeader {
  std::string_view text;  // a Python dict
  std::span<const std::byte> data;
};

Result<NpyHeader> split(std::span<const std::byte> bytes) {
  const Error cut = input_error({}, "ends inside the header of the .npy file");
  if (bytes.size() < kLengthAt) return cut;
  const auto version = std::to_integer<unsigned>(bytes[kVersionAt]);
  if (version < 1 || version > 3) {
    return input_error({}, fmt::format("version {} of .npy is not known", version));
  }
  const std::size_t width = version == 1 ? 2 : 4;
  if (bytes.size() < kLengthAt + width) return cut;
  const std::byte* at = bytes.data() + kLengthAt;
  const std::uint64_t length = width == 2 ? load<std::uint16_t>(at) : load<std::uint32_t>(at);
  const std::span<const std::byte> rest = bytes.subspan(kLengthAt + width);
  if (rest.size() < length) return cut;
  return NpyHeader{text_of(rest.first(length)), rest.subspan(length)};
}

// What stands behind a key of the dict, without spaces before it.
std::optional<std::string_view> value_of(std::string_view dict, std::string_view key) {
  for (const char quote : {'\'', '"'}) {
    const std::size_t at = dict.find(fmt::format("{0}{1}{0}", quote, key));
    if (at == std::string_view::npos) continue;
    const std::size_t colon = dict.find(':', at + key.size() + 2);
    const std::size_t value = colon == std::string_view::npos
                                  ? std::string_view::npos
                                  : dict.find_first_not_of(" \t", colon + 1);
    if (value != std::string_view::npos) return dict.substr(value);
  }
  return std::nullopt;
}

// Bytes of an integer type: '<u8', '|i1', ...
Result<std::uint64_t> bytes_of_type(std::string_view dict) {
  const auto value = value_of(dict, "descr");
  if (!value || value->size() < 5) return input_error({}, "the .npy header has no type");
  const std::string_view type = value->substr(1, 3);
  const bool is_integer = type[1] == 'u' || type[1] == 'i';
  const bool is_whole = std::string_view("1248").contains(type[2]) && (*value)[4] == (*value)[0];
  if ((*value)[0] == '[' || !is_integer || !is_whole) {
    return input_error(
        {},
        fmt::format("the .npy array is of type {}",
                    value->substr(0, std::min<std::size_t>(value->find_first_of(",}"), 24))),
        "Save the buffer as an array of integers, such as uint64");
  }
  if (type[0] == '>') {
    return input_error({}, "the .npy array is big-endian", "Save it little-endian");
  }
  return static_cast<std::uint64_t>(type[2] - '0');
}

struct NpyShape {
  std::uint64_t items = 1;
  std::size_t dimensions = 0;
};

Result<NpyShape> npy_shape(std::string_view dict) {
  const Error bad = input_error({}, "the .npy header has no shape that makes sense");
  const auto value = value_of(dict, "shape");
  if (!value || !value->starts_with('(')) return bad;
  const std::size_t end = value->find(')');
  if (end == std::string_view::npos) return bad;
  NpyShape shape;
  const char* at = value->data() + 1;
  const char* const stop = value->data() + end;
  while (at < stop) {
    if (*at == ' ' || *at == ',') {
      ++at;
      continue;
    }
    std::uint64_t size = 0;
    const auto [next, failure] = std::from_chars(at, stop, size);
    if (failure != std::errc{}) return bad;
    if (__builtin_mul_overflow(shape.items, size, &shape.items)) return bad;
    ++shape.dimensions;
    at = next == stop || *next != 'L' ? next : next + 1;  // Python 2 wrote 5L
  }
  return shape;
}

}  // namespace

bool is_npy(std::span<const std::byte> bytes) { return text_of(bytes).starts_with(kMagic); }

Result<std::span<const std::byte>> npy_array(std::span<const std::byte> bytes,
                                             Diagnostics& findings) {
  LOCKSTEP_ASSIGN_OR_RETURN(const NpyHeader header, split(bytes));
  LOCKSTEP_ASSIGN_OR_RETURN(const std::uint64_t width, bytes_of_type(header.text));
  LOCKSTEP_ASSIGN_OR_RETURN(const NpyShape shape, npy_shape(header.text));
  const auto fortran = value_of(header.text, "fortran_order");
  if (fortran && fortran->starts_with("True") && shape.dimensions > 1) {
    return input_error({}, "the .npy array is in Fortran order",
                       "Save it in C order (numpy.ascontiguousarray)");
  }
  std::uint64_t size = 0;
  if (__builtin_mul_overflow(shape.items, width, &size) || size > header.data.size()) {
    findings.add(kTruncatedProfile, Place::byte(bytes.size()),
                 fmt::format("the .npy array should have {} items of {} bytes, {} bytes are there",
                             shape.items, width, header.data.size()));
    size = header.data.size();
  }
  return header.data.first(size);
}

}  // namespace lockstep::formats::kernel_profile
