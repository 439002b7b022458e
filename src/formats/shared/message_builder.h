// protozero's builder of protobuf messages, which may throw where memory is short.
//
// Beginning a nested message appends to the buffer of the outer one, and protozero says that it
// never throws: a failed allocation would end the program there. Room is made before.
#pragma once

#include <cstddef>
#include <string>

#include <protozero/pbf_builder.hpp>

namespace lockstep::formats::shared {

template <typename Field>
class MessageBuilder : public protozero::pbf_builder<Field> {
 public:
  explicit MessageBuilder(std::string& buffer) : protozero::pbf_builder<Field>(buffer) {}

  template <typename Outer, typename OuterField>
  MessageBuilder(Outer& outer, OuterField field)
      : protozero::pbf_builder<Field>(with_room(outer), field) {}

 private:
  // A key and the length of a message, five bytes each at most.
  static constexpr std::size_t kHeadBytes = 10;

  template <typename Outer>
  static Outer& with_room(Outer& outer) {
    outer.reserve(kHeadBytes);
    return outer;
  }
};

}  // namespace lockstep::formats::shared
