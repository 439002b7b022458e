// Buffering and decoding of heads.
#include "formats/xspace/read/wire_stream.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <protozero/exception.hpp>
#include <protozero/varint.hpp>

namespace lockstep::formats::xspace {
namespace {

constexpr std::size_t kLongestHead = 20;  // two varints
constexpr std::string_view kRewriteHint =
    "Only a whole XSpace can be cut or shifted; info reads what is there";

}  // namespace

WireStream::WireStream(io::ByteSource& source, std::string path)
    : source_(source), path_(std::move(path)), buffer_(kWireBufferBytes) {}

Error WireStream::damaged(std::uint64_t at) const {
  return input_error(path_, "is damaged at byte " + std::to_string(at), std::string(kRewriteHint));
}

Error WireStream::cut_short(std::uint64_t at) const {
  return input_error(path_, "is cut short at byte " + std::to_string(at),
                     std::string(kRewriteHint));
}

bool WireStream::fill(std::size_t bytes) {
  if (available() >= bytes) return true;
  if (is_at_end_ || !status_.ok()) return false;
  std::memmove(buffer_.data(), buffer_.data() + next_, available());
  filled_ = available();
  next_ = 0;
  while (filled_ < bytes && !is_at_end_) {
    // Doubled as it fills, so that a length that lies does not take memory.
    if (filled_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
    const auto got = source_.read({buffer_.data() + filled_, buffer_.size() - filled_});
    if (!got.ok()) {
      fail(got.error());
      return false;
    }
    filled_ += got.value();
    is_at_end_ = got.value() == 0;
  }
  return available() >= bytes;
}

bool WireStream::has_more() { return status_.ok() && fill(1); }

bool WireStream::next(std::uint64_t end, WireField& field) {
  if (!status_.ok()) return false;
  fill(kLongestHead);
  const char* const begin = buffer_.data() + next_;
  const char* const last = begin + std::min<std::uint64_t>(available(), end - position_);
  field.at = position_;
  const char* at = begin;
  try {
    const std::uint64_t tag = protozero::decode_varint(&at, last);
    field.tag_bytes = static_cast<std::uint32_t>(at - begin);
    field.number = static_cast<std::uint32_t>(tag >> 3);
    field.type = static_cast<WireType>(tag & 7);
    field.payload = 0;
    if (field.number == 0 || tag >> 32 != 0) throw protozero::invalid_tag_exception();
    switch (field.type) {
      case WireType::kVarint:
        field.value = protozero::decode_varint(&at, last);
        break;
      case WireType::kBytes:
        field.payload = protozero::decode_varint(&at, last);
        break;
      case WireType::kFixed64:
      case WireType::kFixed32: {
        const std::ptrdiff_t width = field.type == WireType::kFixed64 ? 8 : 4;
        if (last - at < width) throw protozero::end_of_buffer_exception();
        at += width;
        break;
      }
      default:
        throw protozero::unknown_pbf_wire_type_exception();
    }
  } catch (const protozero::end_of_buffer_exception&) {
    const bool is_cut = is_at_end_ && position_ + available() < end;
    fail(is_cut ? cut_short(field.at) : damaged(field.at));
    return false;
  } catch (const protozero::exception&) {
    fail(damaged(field.at));
    return false;
  }
  const auto size = static_cast<std::size_t>(at - begin);
  field.head = {begin, size};
  next_ += size;
  position_ += size;
  if (field.payload > end - position_) {
    fail(damaged(field.at));
    return false;
  }
  return true;
}

bool WireStream::payload(WireField& field, std::string_view& bytes) {
  const std::size_t head = field.head.size();
  // The head stays in the buffer, before its payload.
  next_ -= head;
  if (!fill(head + static_cast<std::size_t>(field.payload))) {
    fail(cut_short(field.at));
    return false;
  }
  field.head = {buffer_.data() + next_, head};
  next_ += head;
  bytes = {buffer_.data() + next_, static_cast<std::size_t>(field.payload)};
  next_ += bytes.size();
  position_ += bytes.size();
  return true;
}

void WireStream::skip(std::uint64_t bytes) {
  while (bytes > 0) {
    if (!fill(1)) return fail(cut_short(position_));
    const auto step = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, available()));
    next_ += step;
    position_ += step;
    bytes -= step;
  }
}

void WireStream::copy(std::uint64_t bytes, std::string& out, io::ByteSink& sink) {
  while (bytes > 0) {
    if (!fill(1)) return fail(cut_short(position_));
    const auto step = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, available()));
    out.append(buffer_.data() + next_, step);
    if (const Status written = flush(out, sink); !written.ok()) return fail(written.error());
    next_ += step;
    position_ += step;
    bytes -= step;
  }
}

Status flush(std::string& out, io::ByteSink& sink) {
  if (out.size() < kWireBufferBytes) return {};
  const Status status = sink.write(out);
  out.clear();
  return status;
}

}  // namespace lockstep::formats::xspace
