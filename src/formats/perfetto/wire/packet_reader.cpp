// Cutting of packets, and finding them again after damage.
#include "formats/perfetto/wire/packet_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "formats/perfetto/defects.h"
#include "formats/perfetto/wire/perfetto_sniff.h"
#include "formats/perfetto/wire/wire_walk.h"

namespace lockstep::formats::perfetto {
namespace {

constexpr char kPacketTag = 0x0A;  // field 1, bytes
constexpr std::size_t kLongestHeader = 20;
// Enough to tell a packet from noise; limits what a search through hostile bytes costs.
constexpr int kFieldsToCheck = 48;
// After damage, what would be a packet only if megabytes follow is not waited for.
constexpr std::uint64_t kMaxFoundPacketBytes = std::uint64_t{1} << 20;

}  // namespace

bool looks_like_packet(std::string_view bytes) {
  WireWalk walk(bytes);
  WireField field;
  bool is_known = false;
  for (int i = 0; i < kFieldsToCheck && walk.next(field); ++i) {
    if (walk.is_cut() || !fits_trace_packet(field)) return false;
    is_known |= is_sure_sign_of_packet(field);
  }
  return is_known && !walk.is_broken() && !walk.is_cut();
}

PacketReader::Head PacketReader::head() const {
  const std::string_view bytes = window();
  Head head;
  if (bytes.empty()) return head;
  WireWalk walk(bytes.substr(0, std::min(bytes.size(), kLongestHeader)));
  WireField field;
  if (!walk.next(field)) {
    head.state = walk.is_cut() ? Head::State::kNeedsMore : Head::State::kDamaged;
    return head;
  }
  if (field.type != WireType::kBytes || field.number != 1 || field.value > kMaxPacketBytes) {
    head.state = Head::State::kDamaged;
    return head;
  }
  std::size_t header = 0;  // a tag and a length, both varints
  for (int varints = 0; varints < 2; ++header) {
    if (static_cast<unsigned char>(bytes[header]) < 0x80) ++varints;
  }
  head.header_bytes = header;
  head.body_bytes = field.value;
  head.state = Head::State::kPacket;
  return head;
}

Status PacketReader::fill() {
  if (begin_ > 0 && begin_ >= (end_ - begin_)) {  // moving costs no more than it frees
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (buffer_.size() < end_ + chunk_bytes_) {
    buffer_.resize(std::max(end_ + chunk_bytes_, 2 * end_));
  }
  if (on_read) on_read();
  const std::size_t room = std::max(chunk_bytes_, std::size_t{1});
  auto got = source_.read(std::span(buffer_).subspan(end_, room));
  if (!got.ok()) return got.error();
  end_ += got.value();
  at_end_ = got.value() < room;
  return {};
}

Status PacketReader::ensure(std::uint64_t bytes) {
  while (end_ - begin_ < bytes && !at_end_) LOCKSTEP_RETURN_IF_ERROR(fill());
  return {};
}

void PacketReader::skip(std::size_t bytes) {
  begin_ += bytes;
  offset_ += bytes;
}

Result<std::optional<Packet>> PacketReader::next() {
  while (true) {
    LOCKSTEP_RETURN_IF_ERROR(ensure(kLongestHeader));
    if (begin_ == end_) return std::optional<Packet>();
    const Head found = head();
    if (found.state == Head::State::kPacket) {
      const std::uint64_t whole = found.header_bytes + found.body_bytes;
      LOCKSTEP_RETURN_IF_ERROR(ensure(whole));
      if (end_ - begin_ >= whole) {
        const Packet packet{window().substr(found.header_bytes, found.body_bytes),
                            offset_ + found.header_bytes};
        skip(static_cast<std::size_t>(whole));
        return std::optional<Packet>(packet);
      }
    }
    // Either the last packet is cut off, or its length is wrong and others follow.
    const std::uint64_t at = offset_;
    LOCKSTEP_ASSIGN_OR_RETURN(const bool goes_on, resynchronise());
    const bool is_cut = !goes_on && found.state != Head::State::kDamaged;
    diagnostics_.add(is_cut ? kTruncatedPacket : kDamagedFraming, Place::byte(at));
    if (!goes_on) return std::optional<Packet>();
  }
}

Result<bool> PacketReader::resynchronise() {
  skip(1);
  while (true) {
    const std::string_view bytes = window();
    const auto* const tag =
        static_cast<const char*>(std::memchr(bytes.data(), kPacketTag, bytes.size()));
    if (tag == nullptr) {
      skip(bytes.size());
      if (at_end_) return false;
      LOCKSTEP_RETURN_IF_ERROR(fill());
      continue;
    }
    skip(static_cast<std::size_t>(tag - bytes.data()));
    LOCKSTEP_RETURN_IF_ERROR(ensure(kLongestHeader));
    const Head found = head();
    if (found.state == Head::State::kPacket) {
      const std::uint64_t whole = found.header_bytes + found.body_bytes;
      const bool is_small = whole <= kMaxFoundPacketBytes;
      if (is_small) LOCKSTEP_RETURN_IF_ERROR(ensure(whole + 1));
      const std::string_view here = window();
      const bool is_whole = is_small && here.size() >= whole;
      const bool is_followed = here.size() > whole ? here[whole] == kPacketTag : at_end_;
      if (is_whole && is_followed &&
          looks_like_packet(here.substr(found.header_bytes, found.body_bytes))) {
        return true;
      }
    }
    skip(1);
  }
}

}  // namespace lockstep::formats::perfetto
