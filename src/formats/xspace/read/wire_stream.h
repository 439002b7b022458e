// Fields of a protobuf that is read from front to back and never held as a whole.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/byte_sink.h"
#include "io/byte_source.h"

namespace lockstep::formats::xspace {

enum class WireType : std::uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

// What stands before the payload of a field. Varints and fixed numbers have no payload: they are in
// the head as a whole.
struct WireField {
  std::uint64_t at = 0;  // byte of the stream
  std::uint32_t number = 0;
  WireType type = WireType::kVarint;
  std::uint64_t value = 0;      // of a varint
  std::uint64_t payload = 0;    // length of what follows
  std::string_view head;        // as written; valid until the stream moves on
  std::uint32_t tag_bytes = 0;  // of the head
  [[nodiscard]] std::uint64_t size() const { return head.size() + payload; }
  [[nodiscard]] std::string_view tag() const { return head.substr(0, tag_bytes); }
};

class WireStream {
 public:
  // `path` is for messages.
  WireStream(io::ByteSource& source, std::string path);

  [[nodiscard]] std::uint64_t position() const { return position_; }
  // False at the end of the stream or after an error.
  [[nodiscard]] bool has_more();
  // Reads the head of the next field, which must end by `end` with its payload. The stream stands
  // behind the head afterwards.
  [[nodiscard]] bool next(std::uint64_t end, WireField& field);
  // The payload of a field, all of it in memory; valid until the stream moves on, `field.head`
  // included.
  [[nodiscard]] bool payload(WireField& field, std::string_view& bytes);
  void skip(std::uint64_t bytes);
  // Hands `bytes` on in pieces.
  void copy(std::uint64_t bytes, std::string& out, io::ByteSink& sink);

  [[nodiscard]] const Status& status() const { return status_; }
  void fail(Error error) {
    if (status_.ok()) status_ = std::move(error);
  }
  [[nodiscard]] Error damaged(std::uint64_t at) const;
  [[nodiscard]] Error cut_short(std::uint64_t at) const;

 private:
  [[nodiscard]] std::size_t available() const { return filled_ - next_; }
  // At least `bytes` in the buffer, or what is left of the stream.
  bool fill(std::size_t bytes);

  io::ByteSource& source_;
  std::string path_;
  Status status_;
  std::vector<char> buffer_;
  std::size_t next_ = 0;
  std::size_t filled_ = 0;
  std::uint64_t position_ = 0;
  bool is_at_end_ = false;
};

inline constexpr std::size_t kWireBufferBytes = std::size_t{1} << 20;

// Hands the collected output on when it has grown large.
[[nodiscard]] Status flush(std::string& out, io::ByteSink& sink);

}  // namespace lockstep::formats::xspace
