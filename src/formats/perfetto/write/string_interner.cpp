// Interning of strings for a packet sequence.
#include "formats/perfetto/write/string_interner.h"

#include <algorithm>

#include "base/text.h"
#include "formats/perfetto/wire/perfetto_fields.h"
#include "formats/shared/message_builder.h"

namespace lockstep::formats::perfetto {
namespace {

constexpr std::array<InternedField, 4> kFieldOfDomain = {
    InternedField::kEventCategories, InternedField::kEventNames, InternedField::kAnnotationNames,
    InternedField::kAnnotationStrings};

constexpr std::array<std::string_view, kOwnWordCount> kOwnWords = {"lockstep.kind",
                                                                   "lockstep.correlation",
                                                                   "lockstep.start_ps",
                                                                   "lockstep.duration_ps",
                                                                   "lockstep.shape",
                                                                   "lockstep.collective",
                                                                   "op",
                                                                   "group",
                                                                   "dtype",
                                                                   "sequence",
                                                                   "elements_in",
                                                                   "elements_out",
                                                                   "bytes",
                                                                   "transit_ps",
                                                                   "wait_ps",
                                                                   "idle_ps"};

}  // namespace

std::string_view as_utf8(std::string_view text, std::string& scratch) {
  if (std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) {
    return text;
  }
  scratch = valid_utf8(text);
  return scratch;
}

// Indices: the strings of the trace, then the names of kinds, then our own words.
StringInterner::StringInterner(const StringPool& strings) : strings_(strings) {
  for (auto& defined : is_defined_)
    defined.resize(strings.size() + trace::kKindCount + kOwnWordCount);
}

std::uint64_t StringInterner::use(Domain domain, StringId text) {
  return define(domain, static_cast<std::size_t>(text), strings_.view(text));
}

std::uint64_t StringInterner::use(Domain domain, trace::Kind kind) {
  return define(domain, strings_.size() + static_cast<std::size_t>(kind), name_of(kind));
}

std::uint64_t StringInterner::use(Domain domain, OwnWord word) {
  const auto index = static_cast<std::size_t>(word);
  return define(domain, strings_.size() + trace::kKindCount + index, kOwnWords[index]);
}

std::uint64_t StringInterner::define(Domain domain, std::size_t index, std::string_view text) {
  const auto which = static_cast<std::size_t>(domain);
  const std::uint64_t iid = index + 1;  // 0 means none
  if (is_defined_[which][index]) return iid;
  is_defined_[which][index] = true;
  shared::MessageBuilder<InternedField> interned(pending_);
  shared::MessageBuilder<InternedEntryField> entry(interned, kFieldOfDomain[which]);
  const std::string_view utf8 = as_utf8(text, scratch_);
  entry.add_uint64(InternedEntryField::kIid, iid);
  entry.add_string(InternedEntryField::kText, utf8.data(), utf8.size());
  return iid;
}

}  // namespace lockstep::formats::perfetto
