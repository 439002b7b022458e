// Decodes the debug annotations of an event: arguments, and the words that mean something to us.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <protozero/data_view.hpp>

#include "formats/perfetto/decode/sequence_state.h"
#include "formats/perfetto/wire/text_limits.h"
#include "trace/evidence.h"
#include "trace/trace.h"

namespace lockstep::formats::perfetto {

// What lockstep's writer says of a collective, and what else the annotations of one event say.
struct AnnotationFacts {
  std::vector<trace::Argument> arguments;  // only when they are kept
  StringId kind{};                         // lockstep.kind; empty when it is not said
  bool is_counter = false;                 // lockstep.shape
  std::optional<std::int64_t> start_ps;
  std::optional<std::int64_t> duration_ps;
  std::optional<std::int64_t> own_correlation;
  std::optional<std::int64_t> correlation;
  std::optional<trace::Collective> collective;
  StringId agent{};
  StringId source_agent{};
  StringId target_agent{};
  StringId stream{};
  bool is_too_deep = false;
  bool is_too_long = false;  // beyond the limits of text_limits.h
  bool misses_string = false;

  void clear();
};

class AnnotationDecoder {
 public:
  AnnotationDecoder(StringPool& strings, trace::KeepArguments keep_arguments)
      : strings_(strings), keep_arguments_(keep_arguments) {}

  // Adds one annotation to `facts`. Throws protozero::exception.
  void decode(protozero::data_view bytes, const SequenceState& sequence, AnnotationFacts& facts);

 private:
  struct Value {
    enum class Type : std::uint8_t { kNone, kBool, kUint, kInt, kDouble, kText, kJson, kNested };
    Type type = Type::kNone;
    std::uint64_t bits = 0;
    StringId text{};
  };

  [[nodiscard]] bool is_wanted(KnownWord word) const {
    return word != KnownWord::kNone &&
           (word != KnownWord::kEvidence || keep_arguments_ != trace::KeepArguments::kNone);
  }
  // False as soon as the name is known to be of no interest, unless all are.
  [[nodiscard]] bool read(protozero::data_view bytes, const SequenceState& sequence, bool wants_all,
                          AnnotationName& name, Value& value, AnnotationFacts& facts);
  void take_word(KnownWord word, const Value& value, protozero::data_view bytes,
                 const SequenceState& sequence, AnnotationFacts& facts);
  void take_collective(protozero::data_view bytes, const SequenceState& sequence,
                       AnnotationFacts& facts);
  [[nodiscard]] trace::Argument argument(StringId key, const Value& value,
                                         protozero::data_view bytes, const SequenceState& sequence,
                                         AnnotationFacts& facts);
  [[nodiscard]] StringId as_text(const Value& value);

  // JSON text of values with an inside.
  void append_json(protozero::data_view annotation, const SequenceState& sequence, int depth,
                   std::string& json, AnnotationFacts& facts);
  void append_nested(protozero::data_view nested, int depth, std::string& json,
                     AnnotationFacts& facts);
  void append_scalar(const Value& value, std::string& json);
  // Whether a text of that length may be appended; the first that may not ends the annotation.
  [[nodiscard]] bool has_room(std::string_view text, const std::string& json);
  [[nodiscard]] StringId intern(protozero::data_view text);

  StringPool& strings_;
  trace::KeepArguments keep_arguments_;
  std::string scratch_;
  TextBudget budget_;
  std::size_t limit_ = 0;  // of the annotation that becomes JSON now
  bool is_cut_ = false;    // it has reached its limit
};

}  // namespace lockstep::formats::perfetto
