// Packets of one sequence on their way to a sink.
#pragma once

#include <string>

#include "base/result.h"
#include "formats/perfetto/wire/perfetto_fields.h"
#include "formats/shared/message_builder.h"
#include "io/byte_sink.h"

namespace lockstep::formats::perfetto {

// Writes the framing that every packet has: its place in the file, the sequence, and the flags that
// tell a reader to start afresh at the first packet and to rely on earlier ones from then on.
// After the sink has failed, packets are swallowed and finish() returns that first error.
class PacketStream {
 public:
  explicit PacketStream(io::ByteSink& sink) : sink_(sink) { buffer_.reserve(2 * kFlushBytes); }

  // Appends a packet; `fill(pbf_builder<PacketField>&)` adds what it holds.
  template <typename Fill>
  void append(Fill&& fill) {
    {
      shared::MessageBuilder<TraceField> trace(buffer_);
      shared::MessageBuilder<PacketField> packet(trace, TraceField::kPacket);
      packet.add_uint32(PacketField::kSequenceId, 1);
      packet.add_uint32(PacketField::kSequenceFlags, is_first_ ? kStateCleared : kNeedsState);
      if (is_first_) packet.add_bool(PacketField::kFirstPacketOnSequence, true);
      is_first_ = false;
      fill(packet);
    }
    if (buffer_.size() >= kFlushBytes) flush();
  }

  [[nodiscard]] bool failed() const { return !status_.ok(); }
  [[nodiscard]] Status finish() {
    flush();
    return status_;
  }

 private:
  static constexpr std::size_t kFlushBytes = std::size_t{1} << 20;

  void flush() {
    if (status_.ok() && !buffer_.empty()) status_ = sink_.write(buffer_);
    buffer_.clear();
    if (buffer_.capacity() > 4 * kFlushBytes) buffer_.shrink_to_fit();  // a header of megabytes
  }

  io::ByteSink& sink_;
  Status status_;
  std::string buffer_;
  bool is_first_ = true;
};

}  // namespace lockstep::formats::perfetto
