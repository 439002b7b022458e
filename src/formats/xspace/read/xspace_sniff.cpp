// Sniffing by the first plane.
//
// Perfetto's traces begin alike: field 1, length-delimited, again and again. The records differ: a
// plane has fields 1 to 6 and a name, a packet has a timestamp (8), a sequence (10) and others
// above
// 6. Bytes are an XSpace for sure when a plane has a name that only planes have.
#include "formats/xspace/read/xspace_sniff.h"

#include <algorithm>
#include <array>

#include <protozero/pbf_reader.hpp>

#include "formats/xspace/xspace_fields.h"

namespace lockstep::formats::xspace {
namespace {

constexpr std::array<std::string_view, 7> kPlanePrefixes = {
    "/host:", "/device:", "/virtualdevice:", "/lockstep:", "#Chip", kTaskEnvironment, "Host CPUs"};
constexpr std::array<std::string_view, 2> kSuffixes = {".xplane.pb", ".xspace.pb"};

// What Unicode puts in the place of bytes that are no text.
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::size_t kMangledSample = 64 * 1024;

enum class Likeness { kNo, kPlausible, kSure };

bool is_plane_field(const protozero::pbf_reader& field) {
  const auto number = static_cast<PlaneField>(field.tag());
  if (number == PlaneField::kId) return field.wire_type() == protozero::pbf_wire_type::varint;
  return number >= PlaneField::kName && number <= PlaneField::kStats &&
         field.wire_type() == protozero::pbf_wire_type::length_delimited;
}

bool is_plane_name(std::string_view name) {
  return std::ranges::any_of(kPlanePrefixes,
                             [&](std::string_view prefix) { return name.starts_with(prefix); });
}

// `bytes` may be cut anywhere.
Likeness judge_plane(std::string_view bytes) {
  protozero::pbf_reader field(bytes.data(), bytes.size());
  bool has_field = false;
  try {
    while (field.next()) {
      if (!is_plane_field(field)) return Likeness::kNo;
      if (static_cast<PlaneField>(field.tag()) == PlaneField::kName) {
        const protozero::data_view view = field.get_view();
        if (is_plane_name({view.data(), view.size()})) return Likeness::kSure;
        const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20; };
        if (std::any_of(view.data(), view.data() + view.size(), is_control)) return Likeness::kNo;
      } else {
        field.skip();
      }
      has_field = true;
    }
  } catch (const protozero::exception&) {
    // The head ends here.
  }
  return has_field ? Likeness::kPlausible : Likeness::kNo;
}

Likeness judge(std::string_view head) {
  Likeness best = Likeness::kNo;
  protozero::pbf_reader field(head.data(), head.size());
  try {
    while (field.next()) {
      if (field.wire_type() != protozero::pbf_wire_type::length_delimited ||
          field.tag() > static_cast<protozero::pbf_tag_type>(SpaceField::kHostnames)) {
        return Likeness::kNo;
      }
      const char* at = field.data().data();
      const char* const last = head.data() + head.size();
      const std::uint64_t length = protozero::decode_varint(&at, last);
      const auto left = static_cast<std::uint64_t>(last - at);
      const std::string_view piece(at, static_cast<std::size_t>(std::min(length, left)));
      if (static_cast<SpaceField>(field.tag()) == SpaceField::kPlanes && !piece.empty()) {
        const Likeness plane = judge_plane(piece);
        if (plane != Likeness::kPlausible) return plane;
        best = plane;
      }
      if (length > left) break;
      field = protozero::pbf_reader(at + length, static_cast<std::size_t>(left - length));
    }
  } catch (const protozero::exception&) {
    return best;
  }
  return best;
}

bool is_named_space(std::string_view path) {
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (path.ends_with(packed)) path.remove_suffix(packed.size());
  }
  return std::ranges::any_of(kSuffixes,
                             [&](std::string_view suffix) { return path.ends_with(suffix); });
}

}  // namespace

// Half of the bytes above 0x7F of a protobuf are no UTF-8; after a text tool none is, and the three
// bytes of the replacement are most of them.
bool is_mangled(std::string_view bytes) {
  bytes = bytes.substr(0, kMangledSample);
  std::size_t replaced = 0;
  for (std::size_t at = bytes.find(kReplacement); at != std::string_view::npos;
       at = bytes.find(kReplacement, at + kReplacement.size())) {
    ++replaced;
  }
  const auto above = static_cast<std::size_t>(
      std::ranges::count_if(bytes, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }));
  return replaced >= 4 && 2 * kReplacement.size() * replaced > above;
}

Error mangled_error(std::string_view path) {
  return input_error(
      std::string(path),
      "is an XSpace that a text tool has destroyed: its bytes were read as UTF-8 and "
      "those that are none were replaced by EF BF BD",
      "Copy the original again, as binary");
}

shared::Sniff sniff(std::string_view head, std::string_view path) {
  if (head.empty()) return {};
  const bool begins_alike = head.front() == 0x0A;
  const bool names_plane = std::ranges::any_of(kPlanePrefixes, [&](std::string_view prefix) {
    return head.substr(0, 256).find(prefix) != std::string_view::npos;
  });
  if (begins_alike && (names_plane || is_named_space(path)) && is_mangled(head)) {
    return {shared::Sniff::Verdict::kNo, mangled_error(path), true};
  }
  switch (judge(head)) {
    case Likeness::kSure:
      return {shared::Sniff::Verdict::kYes, {}};
    case Likeness::kPlausible:
      return {shared::Sniff::Verdict::kMaybe, {}};
    case Likeness::kNo:
      break;
  }
  if (is_named_space(path)) {
    return {shared::Sniff::Verdict::kNo,
            input_error(std::string(path), "is named like an XSpace and does not begin like one",
                        "It may be damaged at its start, or packed in a way that lockstep does not "
                        "know"),
            true};
  }
  return {};
}

}  // namespace lockstep::formats::xspace
