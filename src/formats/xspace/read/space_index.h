// The first walk over an XSpace in memory: where its planes, lines and metadata lie.
//
// Metadata stands behind the lines that need it, and the start of the profile in a plane of its
// own, often the last one; so everything is found first and decoded afterwards. Views point into
// the bytes of the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <protozero/pbf_reader.hpp>

#include "base/diagnostics.h"
#include "formats/xspace/read/plane_names.h"

namespace lockstep::formats::xspace {

struct StatValue {
  enum class Type : std::uint8_t { kNone, kDouble, kUnsigned, kSigned, kText, kBytes, kRef };
  std::int64_t metadata_id = 0;
  Type type = Type::kNone;
  bool is_bent = false;      // has a field that no stat has, in place of one that it must have
  std::uint64_t number = 0;  // bits of a double; of the integers; of a reference
  std::string_view text;
};

// Throws protozero::exception.
[[nodiscard]] StatValue decode_stat(std::string_view bytes);

// The metadata id of a stat that begins with a small one, as all of them do; nothing for others,
// which must be decoded to know. Most stats are of no interest, and this tells so cheaply.
[[nodiscard]] inline std::optional<std::int64_t> leading_id(std::string_view bytes) {
  constexpr char kIdTag = 0x08;
  if (bytes.size() < 3 || bytes[0] != kIdTag) return std::nullopt;
  const auto low = static_cast<unsigned char>(bytes[1]);
  if (low < 0x80) return low;
  const auto high = static_cast<unsigned char>(bytes[2]);
  if (high >= 0x80) return std::nullopt;
  return (low & 0x7F) | high << 7;
}

struct LineView {
  std::int64_t id = 0;
  std::string_view name;
  std::string_view display_name;
  std::int64_t timestamp_ns = 0;
  std::string_view bytes;
};

struct PlaneView {
  std::string_view name;
  PlaneSort sort = PlaneSort::kHost;
  std::vector<LineView> lines;
  std::vector<std::string_view> event_metadata;  // entries of the maps
  std::vector<std::string_view> stat_metadata;
  std::vector<std::string_view> stats;
};

class SpaceIndex {
 public:
  // `bytes` must outlive the index.
  explicit SpaceIndex(std::string_view bytes);

  [[nodiscard]] const std::vector<PlaneView>& planes() const { return planes_; }
  [[nodiscard]] const std::vector<std::string_view>& errors() const { return errors_; }
  [[nodiscard]] const std::vector<std::string_view>& warnings() const { return warnings_; }
  [[nodiscard]] const std::vector<std::string_view>& hostnames() const { return hostnames_; }
  [[nodiscard]] const Diagnostics& diagnostics() const { return diagnostics_; }
  // Of a piece of the file, for messages.
  [[nodiscard]] Place place_of(const char* at) const;
  // Whether a record that ends there lost its rest because the file was cut.
  [[nodiscard]] bool is_in_cut(const char* end) const { return is_cut_ && end == end_; }

 private:
  template <typename Handle>
  void walk(std::string_view message, Handle&& handle);
  void note_broken(const char* at, std::string_view message);
  void add_plane(std::string_view bytes);
  void add_line(std::string_view bytes, PlaneView& plane);
  void note_again(bool is_there, const protozero::pbf_reader& field);
  void judge_in_line(protozero::pbf_reader& field);

  const char* begin_;
  const char* end_;
  bool is_cut_ = false;
  std::vector<PlaneView> planes_;
  std::vector<std::string_view> errors_;
  std::vector<std::string_view> warnings_;
  std::vector<std::string_view> hostnames_;
  Diagnostics diagnostics_;
};

}  // namespace lockstep::formats::xspace
