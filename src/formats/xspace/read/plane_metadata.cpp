// Decoding of metadata maps.
#include "formats/xspace/read/plane_metadata.h"

#include <algorithm>
#include <array>
#include <utility>

#include <protozero/pbf_reader.hpp>

#include "formats/xspace/read/field_text.h"
#include "formats/xspace/xspace_defects.h"
#include "formats/xspace/xspace_fields.h"
#include "trace/evidence.h"

namespace lockstep::formats::xspace {
namespace {

constexpr std::size_t kMaxMetadataStats = 256;  // real files have some 30

struct RoleRow {
  std::string_view name;
  StatRole role;
  bool is_argument;
};

// Stats with a meaning, in files of the profilers.
constexpr std::array kProfilerRoles = {
    RoleRow{"correlation_id", StatRole::kCorrelation, true},
    RoleRow{"step_num", StatRole::kStepNumber, true},
    RoleRow{"memcpy_details", StatRole::kMemcpyDetails, true},
    RoleRow{"memset_details", StatRole::kMemsetDetails, true},
    RoleRow{"kernel_details", StatRole::kKernelDetails, true},
    RoleRow{"hlo_op", StatRole::kHloOp, true},
    RoleRow{"flow", StatRole::kFlow, false},
    RoleRow{"_pt", StatRole::kProducerType, false},
    RoleRow{"_p", StatRole::kProducerId, false},
    RoleRow{"_ct", StatRole::kConsumerType, false},
    RoleRow{"_c", StatRole::kConsumerId, false},
};

// Stats that lockstep writes for columns of the model.
constexpr std::array kOwnRoles = {
    RoleRow{"correlation_id", StatRole::kCorrelation, false},
    RoleRow{"collective_op", StatRole::kCollectiveOp, false},
    RoleRow{"collective_group", StatRole::kCollectiveGroup, false},
    RoleRow{"collective_dtype", StatRole::kCollectiveDtype, false},
    RoleRow{"collective_sequence", StatRole::kCollectiveSequence, false},
    RoleRow{"collective_elements_in", StatRole::kCollectiveElementsIn, false},
    RoleRow{"collective_elements_out", StatRole::kCollectiveElementsOut, false},
    RoleRow{"collective_bytes", StatRole::kCollectiveBytes, false},
    RoleRow{"collective_transit_ps", StatRole::kCollectiveTransit, false},
    RoleRow{"collective_wait_ps", StatRole::kCollectiveWait, false},
    RoleRow{"collective_idle_ps", StatRole::kCollectiveIdle, false},
};

void give_role(std::span<const RoleRow> rows, StatMetadata& stat) {
  const auto row = std::ranges::find(rows, stat.name, &RoleRow::name);
  if (row == rows.end()) return;
  stat.role = row->role;
  stat.is_argument = row->is_argument;
}

void give_own_role(std::string_view mark, StatMetadata& stat, shared::RankBuilder& builder) {
  stat.is_boolean = mark == kBooleanMark;
  stat.is_json = mark == kJsonMark;
  if (mark == kColumnMark) give_role(kOwnRoles, stat);
  for (const auto& [prefix, kind] : {std::pair(kFlowMark, trace::Flow::Kind::kOther),
                                     std::pair(kLaunchMark, trace::Flow::Kind::kLaunch)}) {
    if (!mark.starts_with(prefix)) continue;
    stat.role = StatRole::kFlow;
    stat.is_argument = false;
    stat.flow_name = builder.intern(mark.substr(prefix.size()));
    stat.flow_kind = kind;
  }
}

// Id and value of an entry of a map of metadata. The id inside the value is said to be the same;
// where an entry has no key, it serves.
struct Entry {
  std::int64_t id = 0;
  std::string_view value;
};

Entry decode_entry(std::string_view bytes) {
  Entry entry;
  protozero::pbf_reader field(bytes.data(), bytes.size());
  while (field.next()) {
    switch (static_cast<std::uint32_t>(field.tag_and_type())) {
      case varint_field(MapEntryField::kKey):
        entry.id = field.get_int64();
        break;
      case bytes_field(MapEntryField::kValue):
        entry.value = text_of(field.get_view());
        break;
      default:
        // An entry of a map has nothing else; this is another record, or holds one.
        throw protozero::invalid_tag_exception();
    }
  }
  return entry;
}

struct NamedStat {
  std::int64_t id = 0;
  std::string_view name;
  std::string_view description;
};

NamedStat decode_stat_metadata(std::string_view bytes) {
  const Entry entry = decode_entry(bytes);
  NamedStat named{entry.id, {}, {}};
  protozero::pbf_reader field(entry.value.data(), entry.value.size());
  while (field.next()) {
    switch (static_cast<std::uint32_t>(field.tag_and_type())) {
      case bytes_field(StatMetadataField::kName):
        named.name = text_of(field.get_view());
        break;
      case bytes_field(StatMetadataField::kDescription):
        named.description = text_of(field.get_view());
        break;
      default:
        field.skip();
    }
  }
  return named;
}

// A record that is damaged is counted; one that the end of the file cut was said already.
template <typename Decode>
void guarded(const SpaceIndex& index, Diagnostics& defects, std::string_view record,
             Decode&& decode) {
  try {
    decode();
  } catch (const protozero::exception&) {
    if (index.is_in_cut(record.data() + record.size())) return;
    defects.add(kDamagedRecord, index.place_of(record.data()));
  }
}

std::optional<trace::Kind> kind_named(std::string_view name) {
  for (std::size_t i = 0; i < trace::kKindCount; ++i) {
    if (name_of(static_cast<trace::Kind>(i)) == name) return static_cast<trace::Kind>(i);
  }
  return std::nullopt;
}

}  // namespace

PlaneMetadata::PlaneMetadata(shared::RankBuilder& builder, const SpaceIndex& index,
                             const PlaneView& plane, Diagnostics& defects, bool is_ours)
    : builder_(builder), defects_(defects), is_ours_(is_ours) {
  for (const auto entry : plane.stat_metadata)
    guarded(index, defects, entry, [&] { add_stat(entry); });
  for (const auto entry : plane.event_metadata)
    guarded(index, defects, entry, [&] { add_event(entry); });
}

void PlaneMetadata::add_stat(std::string_view entry) {
  const NamedStat named = decode_stat_metadata(entry);
  StatMetadata stat;
  stat.name = named.name;
  stat.key = builder_.intern(named.name);
  stat.tells = trace::role_of_argument(named.name) != trace::ArgumentRole::kNone;
  if (is_ours_) {
    give_own_role(named.description, stat, builder_);
  } else {
    give_role(kProfilerRoles, stat);
  }
  stats_.set(named.id, stat);
}

EventMetadata PlaneMetadata::named(std::string_view name, std::string_view display_name) {
  EventMetadata made;
  const std::string_view shown = display_name.empty() ? name : display_name;
  made.name = builder_.intern(shown);
  if (!display_name.empty() && name != display_name) made.long_name = builder_.intern(name);
  made.host_kind = kind_of_host_event(shown);
  made.stream_kind = kind_of_stream_event(shown, trace::Kind::kKernel);
  made.stream_kind_is_named = made.stream_kind != trace::Kind::kKernel;
  return made;
}

void PlaneMetadata::add_event(std::string_view bytes) {
  const Entry entry = decode_entry(bytes);
  std::string_view name;
  std::string_view display_name;
  std::vector<std::string_view> stats;
  protozero::pbf_reader field(entry.value.data(), entry.value.size());
  while (field.next()) {
    switch (static_cast<std::uint32_t>(field.tag_and_type())) {
      case bytes_field(EventMetadataField::kName):
        name = text_of(field.get_view());
        break;
      case bytes_field(EventMetadataField::kDisplayName):
        display_name = text_of(field.get_view());
        break;
      case bytes_field(EventMetadataField::kStats):
        // Every event of this name gets them all.
        if (stats.size() == kMaxMetadataStats) {
          defects_.add(kRepeatedText);
          field.skip();
        } else {
          stats.push_back(text_of(field.get_view()));
        }
        break;
      default:
        field.skip();
    }
  }
  EventMetadata made = named(name, display_name);
  made.stats = std::move(stats);
  if (is_ours_) note_own_facts(made);
  events_.set(entry.id, std::move(made));
}

void PlaneMetadata::note_own_facts(EventMetadata& made) {
  std::erase_if(made.stats, [&](std::string_view bytes) {
    const StatValue value = decode_stat(bytes);
    const StatMetadata* known = stats_.find(value.metadata_id);
    if (known == nullptr) return false;
    const std::string_view word = text(value);
    if (known->name == kKindStat) {
      made.kind = kind_named(word);
    } else if (known->name == kCategoryStat) {
      made.category = builder_.intern(word);
    } else if (known->name == kShapeStat) {
      made.shape = word == "counter"   ? trace::Shape::kCounter
                   : word == "instant" ? trace::Shape::kInstant
                                       : trace::Shape::kSpan;
    } else {
      return false;
    }
    return true;
  });
}

const EventMetadata& PlaneMetadata::event(std::int64_t id) {
  const EventMetadata* known = events_.find(id);
  if (known == nullptr) {
    EventMetadata made = named("event metadata " + std::to_string(id), {});
    made.is_missing = true;
    events_.set(id, std::move(made));
    known = events_.find(id);
  }
  if (known->is_missing) defects_.add(kUnknownEventName, Place::none(), std::to_string(id));
  return *known;
}

std::string_view PlaneMetadata::text(const StatValue& value) {
  if (value.type != StatValue::Type::kRef) return value.text;
  const StatMetadata* named = stats_.find(static_cast<std::int64_t>(value.number));
  return named == nullptr ? std::string_view() : named->name;
}

StringId PlaneMetadata::text_id(const StatValue& value) {
  if (value.type != StatValue::Type::kRef) return builder_.intern(value.text);
  const StatMetadata* named = stats_.find(static_cast<std::int64_t>(value.number));
  return named == nullptr ? kEmptyString : named->key;
}

const PlaneFacts::Fact* PlaneFacts::find(std::string_view name) const {
  const auto found = std::ranges::find(facts, name, &Fact::name);
  return found == facts.end() ? nullptr : &*found;
}

std::optional<std::int64_t> PlaneFacts::integer(std::string_view name) const {
  const Fact* fact = find(name);
  if (fact == nullptr) return std::nullopt;
  const StatValue& value = fact->value;
  if (value.type == StatValue::Type::kSigned) return static_cast<std::int64_t>(value.number);
  if (value.type == StatValue::Type::kUnsigned && value.number >> 63 == 0) {
    return static_cast<std::int64_t>(value.number);
  }
  return std::nullopt;
}

std::string PlaneFacts::text(std::string_view name) const {
  if (const auto number = integer(name)) return std::to_string(*number);
  const Fact* fact = find(name);
  return fact == nullptr ? std::string() : std::string(fact->text);
}

PlaneFacts facts_of(const SpaceIndex& index, const PlaneView& plane, Diagnostics& defects) {
  PlaneFacts out;
  if (plane.stats.empty()) return out;
  shared::RowsById<std::string_view> names;
  Diagnostics told_elsewhere;
  for (const std::string_view bytes : plane.stat_metadata) {
    guarded(index, told_elsewhere, bytes, [&] {
      const NamedStat named = decode_stat_metadata(bytes);
      names.set(named.id, named.name);
    });
  }
  for (const std::string_view bytes : plane.stats) {
    guarded(index, defects, bytes, [&] {
      const StatValue value = decode_stat(bytes);
      const std::string_view* name = names.find(value.metadata_id);
      if (name == nullptr) return;
      std::string_view text = value.text;
      if (value.type == StatValue::Type::kRef) {
        const auto* meant = names.find(static_cast<std::int64_t>(value.number));
        if (meant != nullptr) text = *meant;
      }
      out.facts.push_back({*name, value, text});
    });
  }
  return out;
}

}  // namespace lockstep::formats::xspace
