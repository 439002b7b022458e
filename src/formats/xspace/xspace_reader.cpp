// Reading of a whole XSpace: its clock, its ranks, then plane after plane.
#include "formats/xspace/xspace_reader.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>
#include <protozero/pbf_reader.hpp>

#include "base/column.h"
#include "base/json_quote.h"
#include "formats/shared/rank_builder.h"
#include "formats/shared/time_guess.h"
#include "formats/xspace/read/plane_reader.h"
#include "formats/xspace/read/space_index.h"
#include "formats/xspace/read/stat_arguments.h"
#include "formats/xspace/read/text_allowance.h"
#include "formats/xspace/read/xspace_sniff.h"
#include "formats/xspace/xspace_defects.h"
#include "formats/xspace/xspace_fields.h"

namespace lockstep::formats::xspace {
namespace {

constexpr std::string_view kFormatName = "xspace";

// A column grows by moving pages, so that a large file is not copied as it comes in.
struct Bytes {
  Column<char> room;
  std::size_t size = 0;
};

Result<Bytes> read_all(io::ByteSource& source, const shared::ReadOptions& options) {
  Bytes bytes;
  while (true) {
    const std::size_t step = std::max({options.chunk_bytes, bytes.size / 2, std::size_t{1}});
    bytes.room.reserve(bytes.size + step);
    LOCKSTEP_ASSIGN_OR_RETURN(const std::size_t got,
                              source.read({bytes.room.data() + bytes.size, step}));
    bytes.size += got;
    if (options.on_progress) options.on_progress(source.raw_bytes_read());
    if (got == 0) return bytes;
  }
}

std::string json_list(const std::vector<std::string>& items) {
  std::string out = "[";
  for (const std::string& item : items) {
    if (out.size() > 1) out += ", ";
    out += item;
  }
  return out + "]";
}

// The absolute start of an event; nothing for aggregates and damaged ones.
std::optional<std::int64_t> offset_of(std::string_view bytes) {
  std::int64_t offset = 0;
  try {
    protozero::pbf_reader field(bytes.data(), bytes.size());
    while (field.next()) {
      const auto type = static_cast<std::uint32_t>(field.tag_and_type());
      if (type == varint_field(EventField::kOccurrences)) return std::nullopt;
      if (type == varint_field(EventField::kOffsetPs)) {
        offset = field.get_int64();
      } else {
        field.skip();
      }
    }
  } catch (const protozero::exception&) {
    return std::nullopt;
  }
  return offset;
}

void first_times(const LineView& line, WideTime base, std::vector<WideTime>& times) {
  constexpr std::size_t kOfOneLine = 16;
  const std::size_t limit = std::min(shared::kTimesForOrigin, times.size() + kOfOneLine);
  try {
    protozero::pbf_reader field(line.bytes.data(), line.bytes.size());
    while (times.size() < limit &&
           field.next(static_cast<protozero::pbf_tag_type>(LineField::kEvents),
                      protozero::pbf_wire_type::length_delimited)) {
      const protozero::data_view view = field.get_view();
      if (const auto offset = offset_of({view.data(), view.size()})) {
        times.push_back(base + *offset);
      }
    }
  } catch (const protozero::exception&) {
    // Said when the events are read.
  }
}

class SpaceReader {
 public:
  SpaceReader(std::string_view bytes, const std::string& path, const shared::ReadOptions& options,
              trace::Trace& trace)
      : bytes_(bytes),
        path_(path),
        options_(options),
        trace_(trace),
        index_(bytes),
        allowance_(bytes.size()) {}

  Status read();

 private:
  // What lockstep wrote about a rank.
  struct OwnRank {
    const PlaneView* plane = nullptr;
    PlaneFacts facts;
  };

  [[nodiscard]] Status refuse_foreign() const;
  void find_clock();
  void find_ranks();
  void read_rank(std::int64_t number, const OwnRank* own);
  void set_own_rank(RankContext& context, const OwnRank& own);
  void read_own_steps(RankContext& context, const PlaneView& plane);
  void choose_clock(RankContext& context, const std::vector<const PlaneView*>& planes);
  void read_planes(RankContext& context, const std::vector<const PlaneView*>& planes);
  void note_facts(RankContext& context);
  [[nodiscard]] bool has_room_for(const PlaneFacts::Fact& fact);

  std::string_view bytes_;
  const std::string& path_;
  const shared::ReadOptions& options_;
  trace::Trace& trace_;
  SpaceIndex index_;
  SpaceClock clock_;
  Diagnostics defects_;
  std::map<std::int64_t, OwnRank> own_ranks_;
  std::unordered_map<std::int64_t, std::vector<const PlaneView*>> planes_of_rank_;
  TextAllowance allowance_;
};

Status SpaceReader::refuse_foreign() const {
  const bool is_damaged = index_.diagnostics().has_loss();
  if (is_damaged && is_mangled(bytes_)) return mangled_error(path_);
  const bool has_planes = std::ranges::any_of(
      index_.planes(), [](const PlaneView& plane) { return !plane.name.empty(); });
  if (!has_planes) return input_error(path_, "is an XSpace without any named plane");
  return {};
}

void SpaceReader::find_clock() {
  clock_.is_ours = std::ranges::any_of(
      index_.planes(), [](const PlaneView& plane) { return plane.sort == PlaneSort::kRank; });
  for (const PlaneView& plane : index_.planes()) {
    if (plane.sort != PlaneSort::kEnvironment) continue;
    const PlaneFacts facts = facts_of(index_, plane, defects_);
    if (facts.find(kProfileStartTime) == nullptr) continue;
    const auto start = facts.integer(kProfileStartTime);
    if (start && (clock_.is_ours || shared::is_since_1970(*start))) {
      if (!clock_.start_ns) clock_.start_ns = start;
    } else {
      defects_.add(kBadProfileStart, Place::none(), facts.text(kProfileStartTime));
    }
  }
}

// Files of the profilers hold one rank; those that lockstep wrote may hold several.
void SpaceReader::find_ranks() {
  for (const PlaneView& plane : index_.planes()) {
    std::int64_t rank = 0;
    if (clock_.is_ours && plane.sort != PlaneSort::kFacts &&
        plane.sort != PlaneSort::kEnvironment) {
      PlaneFacts facts = facts_of(index_, plane, defects_);
      rank = facts.integer(kRankStat).value_or(0);
      if (plane.sort == PlaneSort::kRank) own_ranks_.try_emplace(rank, &plane, std::move(facts));
    }
    planes_of_rank_[rank].push_back(&plane);
  }
}

Status SpaceReader::read() {
  LOCKSTEP_RETURN_IF_ERROR(refuse_foreign());
  find_clock();
  find_ranks();
  if (own_ranks_.empty()) read_rank(0, nullptr);
  for (const auto& [number, own] : own_ranks_) read_rank(number, &own);
  trace_.diagnostics.absorb(index_.diagnostics(), path_);
  trace_.diagnostics.absorb(defects_, path_);
  return {};
}

void SpaceReader::read_rank(std::int64_t number, const OwnRank* own) {
  shared::RankBuilder builder(trace_, path_, kFormatName, options_.keep_arguments);
  RankContext context{builder, index_, clock_, defects_, {}, allowance_, {}, 0, own != nullptr};
  const std::vector<const PlaneView*>& planes = planes_of_rank_[number];
  if (own != nullptr) {
    set_own_rank(context, *own);
  } else {
    choose_clock(context, planes);
  }
  read_planes(context, planes);
  if (own != nullptr) {
    read_own_steps(context, *own->plane);
  } else {
    note_facts(context);
  }
  builder.finish();
  context.flows.join(builder, defects_);
}

void SpaceReader::choose_clock(RankContext& context, const std::vector<const PlaneView*>& planes) {
  std::vector<WideTime> times;
  bool is_epoch = clock_.start_ns.has_value();
  for (const PlaneView* plane : planes) {
    if (plane->sort == PlaneSort::kFacts || plane->sort == PlaneSort::kEnvironment) continue;
    for (const LineView& line : plane->lines) {
      if (shared::is_since_1970(line.timestamp_ns)) is_epoch = true;
      first_times(line, clock_.base_of(line.timestamp_ns), times);
    }
  }
  context.builder.set_origin(shared::choose_origin(times),
                             is_epoch ? Clock::kEpoch : Clock::kSession);
}

void SpaceReader::set_own_rank(RankContext& context, const OwnRank& own) {
  Clock clock = Clock::kUnknown;
  for (const Clock known : {Clock::kEpoch, Clock::kBoot, Clock::kSession}) {
    if (own.facts.text(kClockStat) == name_of(known)) clock = known;
  }
  if (clock != Clock::kEpoch) context.clock.start_ns = std::nullopt;
  const std::int64_t origin = own.facts.integer(kOriginStat).value_or(0);
  context.builder.set_origin(WideTime{origin} * kPicosecondsPerNanosecond, clock);
  trace::Rank& rank = context.builder.rank();
  rank.number = own.facts.integer(kRankNumberStat);
  if (rank.number) rank.number_from = trace::RankEvidence::kMetadata;
  for (const PlaneFacts::Fact& fact : own.facts.facts) {
    if (!fact.name.starts_with(kMetadataStatPrefix) || !has_room_for(fact)) continue;
    rank.metadata.push_back(
        {std::string(fact.name.substr(kMetadataStatPrefix.size())), std::string(fact.text)});
  }
}

void SpaceReader::read_own_steps(RankContext& context, const PlaneView& plane) {
  PlaneMetadata metadata(context.builder, index_, plane, defects_, true);
  for (const LineView& line : plane.lines) {
    try {
      protozero::pbf_reader field(line.bytes.data(), line.bytes.size());
      while (field.next(static_cast<protozero::pbf_tag_type>(LineField::kEvents),
                        protozero::pbf_wire_type::length_delimited)) {
        protozero::pbf_reader event(field.get_view());
        std::int64_t id = 0;
        std::int64_t start = 0;
        std::int64_t duration = 0;
        while (event.next()) {
          switch (static_cast<std::uint32_t>(event.tag_and_type())) {
            case varint_field(EventField::kMetadataId):
              id = event.get_int64();
              break;
            case varint_field(EventField::kOffsetPs):
              start = event.get_int64();
              break;
            case varint_field(EventField::kDurationPs):
              duration = event.get_int64();
              break;
            default:
              event.skip();
          }
        }
        const WideTime absolute = context.clock.base_of(line.timestamp_ns) + start;
        const auto begin = context.builder.relative(absolute);
        const auto end = context.builder.relative(absolute + duration);
        if (!begin || !end || *end < *begin) continue;
        context.builder.add_step(metadata.event(id).name, *begin, *end);
      }
    } catch (const protozero::exception&) {
      defects_.add(kDamagedRecord, index_.place_of(line.bytes.data()));
    }
  }
}

void SpaceReader::read_planes(RankContext& context, const std::vector<const PlaneView*>& planes) {
  for (const PlaneView* plane : planes) {
    const auto add_part = [&](trace::SourcePart::Use use, std::uint64_t records,
                              std::string_view note) {
      if (!context.is_ours) {
        context.builder.add_part(use, std::string(plane->name), records, std::string(note));
      }
    };
    switch (plane->sort) {
      case PlaneSort::kEnvironment:
        add_part(trace::SourcePart::Use::kUsed, 0, "start of the profile");
        continue;
      case PlaneSort::kRank:
        continue;
      case PlaneSort::kFacts:
        add_part(trace::SourcePart::Use::kUnused, 0, why_unused(plane->name));
        continue;
      default:
        break;
    }
    const std::uint64_t events = PlaneReader(context, *plane).read();
    add_part(trace::SourcePart::Use::kUsed, events, {});
  }
}

// Counted when there is none.
bool SpaceReader::has_room_for(const PlaneFacts::Fact& fact) {
  constexpr std::size_t kQuotes = 8;
  if (allowance_.take(fact.name.size() + fact.text.size() + kQuotes)) return true;
  defects_.add(kRepeatedText);
  return false;
}

void SpaceReader::note_facts(RankContext& context) {
  shared::RankBuilder& builder = context.builder;
  std::vector<trace::Metadata>& metadata = builder.rank().metadata;
  const auto add_texts = [&](std::string_view key, const std::vector<std::string_view>& texts) {
    if (texts.empty()) return;
    std::vector<std::string> items;
    for (const std::string_view text : texts) items.push_back(quoted_json(text));
    metadata.push_back({std::string(key), json_list(items)});
  };
  add_texts("hostnames", index_.hostnames());
  add_texts("errors", index_.errors());
  add_texts("warnings", index_.warnings());
  for (const PlaneView& plane : index_.planes()) {
    if (plane.name == "/host:__ScopeRangeCallStack__" || plane.stats.empty()) continue;
    std::string object;
    for (const PlaneFacts::Fact& fact : facts_of(index_, plane, defects_).facts) {
      if (!has_room_for(fact)) continue;
      object += (object.empty() ? "" : ", ") + quoted_json(fact.name) + ": " +
                json_of(fact.value, fact.text);
    }
    metadata.push_back({std::string(plane.name), "{" + object + "}"});
  }
  if (!context.aggregates.empty()) {
    metadata.push_back({"aggregated_events", json_list(context.aggregates)});
  }
  if (context.aggregate_count > 0) {
    const bool is_whole = context.aggregates.size() == context.aggregate_count;
    builder.add_part(trace::SourcePart::Use::kUnused, "aggregated events", context.aggregate_count,
                     is_whole ? "sums without times; kept in the metadata"
                              : fmt::format("sums without times; {} are kept in the metadata",
                                            context.aggregates.size()));
  }
  if (!clock_.start_ns) {
    builder.add_part(trace::SourcePart::Use::kMissing, std::string(kTaskEnvironment), 0,
                     "start of the profile");
  }
}

Status read(io::ByteSource& source, const std::string& path, const shared::ReadOptions& options,
            trace::Trace& trace) {
  LOCKSTEP_ASSIGN_OR_RETURN(const Bytes bytes, read_all(source, options));
  return SpaceReader({bytes.room.data(), bytes.size}, path, options, trace).read();
}

}  // namespace

shared::Format xspace_format() { return {"xspace", sniff, read}; }

}  // namespace lockstep::formats::xspace
