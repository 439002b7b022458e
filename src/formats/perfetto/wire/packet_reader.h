// Cuts a Perfetto file into packets, one at a time, from a stream of bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "io/byte_source.h"

namespace lockstep::formats::perfetto {

// A packet above this is damage, not a packet.
inline constexpr std::uint64_t kMaxPacketBytes = std::uint64_t{256} << 20;

struct Packet {
  std::string_view bytes;    // of the TracePacket; valid until the next call
  std::uint64_t offset = 0;  // of its first byte in the stream
};

// The file is a repeated field, so packets follow each other without a frame around them. What does
// not fit is counted, and reading goes on at the next bytes that look like a whole packet. Memory:
// the packet at hand.
class PacketReader {
 public:
  PacketReader(io::ByteSource& bytes, std::size_t chunk_bytes, Diagnostics& diagnostics)
      : source_(bytes), chunk_bytes_(chunk_bytes), diagnostics_(diagnostics) {}

  // Called with every piece that is read.
  std::function<void()> on_read;

  // The next packet, or nothing at the end.
  [[nodiscard]] Result<std::optional<Packet>> next();

 private:
  // What stands at the front of the window.
  struct Head {
    enum class State { kPacket, kNeedsMore, kDamaged };
    State state = State::kNeedsMore;
    std::size_t header_bytes = 0;
    std::uint64_t body_bytes = 0;
  };

  [[nodiscard]] std::string_view window() const { return {buffer_.data() + begin_, end_ - begin_}; }
  [[nodiscard]] Head head() const;
  [[nodiscard]] Status fill();  // reads one more piece
  [[nodiscard]] Status ensure(std::uint64_t bytes);
  void skip(std::size_t bytes);
  // Goes to the next bytes that look like a packet; false at the end of the stream.
  [[nodiscard]] Result<bool> resynchronise();

  io::ByteSource& source_;
  std::size_t chunk_bytes_;
  Diagnostics& diagnostics_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // of what is not used yet
  std::size_t end_ = 0;
  std::uint64_t offset_ = 0;  // of begin_ in the stream
  bool at_end_ = false;
};

// Whether the bytes can be a TracePacket: fields that are well formed up to a limit, of the types
// that the format gives them, with a time or a sequence among them.
[[nodiscard]] bool looks_like_packet(std::string_view bytes);

}  // namespace lockstep::formats::perfetto
