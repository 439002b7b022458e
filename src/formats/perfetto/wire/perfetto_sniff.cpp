// Judging the first bytes of a file.
#include "formats/perfetto/wire/perfetto_sniff.h"

#include <algorithm>
#include <array>

namespace lockstep::formats::perfetto {
namespace {

constexpr std::size_t kMarkerBytes = 16;
// Fields of TracePacket that are numbers; those not listed are messages, as far as we know them.
constexpr std::array<std::uint64_t, 10> kNumbers = {3, 8, 10, 13, 41, 42, 58, 79, 87, 98};
constexpr std::uint64_t kLastFieldWeKnow = 60;
constexpr std::uint64_t kLastPlausibleField = 4'000;
// Packets without a sure sign that may stand in front of one with it.
constexpr int kPacketsToTry = 64;

enum class PacketVerdict { kSure, kPossible, kNo };

PacketVerdict judge(std::string_view packet, bool is_whole) {
  WireWalk walk(packet);
  WireField field;
  bool is_sure = false;
  while (walk.next(field)) {
    if (!fits_trace_packet(field)) return PacketVerdict::kNo;
    if (walk.is_cut()) break;
    is_sure |= is_sure_sign_of_packet(field);
  }
  if (walk.is_broken() || (walk.is_cut() && is_whole)) return PacketVerdict::kNo;
  return is_sure ? PacketVerdict::kSure : PacketVerdict::kPossible;
}

}  // namespace

bool fits_trace_packet(const WireField& field) {
  if (std::ranges::find(kNumbers, field.number) != kNumbers.end()) {
    return field.type == WireType::kVarint;
  }
  if (field.number == 36) return field.type == WireType::kBytes && field.value == kMarkerBytes;
  if (field.number <= kLastFieldWeKnow) return field.type == WireType::kBytes;
  return field.number <= kLastPlausibleField;
}

bool is_sure_sign_of_packet(const WireField& field) {
  switch (field.number) {
    case 8:   // timestamp
    case 10:  // trusted_packet_sequence_id
    case 13:  // sequence_flags
      return field.type == WireType::kVarint;
    case 11:  // track_event
    case 12:  // interned_data
    case 33:  // trace_config
    case 36:  // synchronization_marker
    case 50:  // compressed_packets
    case 59:  // trace_packet_defaults
    case 60:  // track_descriptor
      return field.type == WireType::kBytes;
    default:
      return false;
  }
}

shared::Sniff sniff(std::string_view head, std::string_view /*path*/) {
  WireWalk walk(head);
  WireField field;
  bool any = false;
  for (int i = 0; i < kPacketsToTry && walk.next(field); ++i) {
    if (field.number != 1 || field.type != WireType::kBytes) return {};
    const PacketVerdict verdict = judge(field.bytes, !walk.is_cut());
    if (verdict == PacketVerdict::kNo) return {};
    if (verdict == PacketVerdict::kSure) return {shared::Sniff::Verdict::kYes, {}};
    if (walk.is_cut()) break;
    any |= !field.bytes.empty();
  }
  return {any && !walk.is_broken() ? shared::Sniff::Verdict::kMaybe : shared::Sniff::Verdict::kNo,
          {}};
}

}  // namespace lockstep::formats::perfetto
