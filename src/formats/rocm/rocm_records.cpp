// Tables of ROCm's words, and the making of arguments.
#include "formats/rocm/rocm_records.h"

#include <charconv>

#include <fmt/format.h>
#define SIMDJSON_EXCEPTIONS 0
#include <simdjson.h>

#include "formats/shared/simdjson_shortage.h"
#include "formats/shared/time_guess.h"

namespace lockstep::formats::rocm {

const DiagnosticKind kDanglingId{
    "dangling_id", Severity::kDataLoss,
    "A record names a kernel, agent, process or string that the file does not hold; it was kept "
    "under the bare number."};

namespace {

struct Domain {
  std::string_view prefix;
  trace::Kind kind;
};

// Domains of host records; the first prefix that fits counts. Calls of libraries above the runtime
// are operators of the host, as ATen's are.
constexpr std::array<Domain, 10> kDomains = {{
    {"HIP_", trace::Kind::kRuntimeCall},
    {"HSA_", trace::Kind::kRuntimeCall},
    {"MARKER_", trace::Kind::kAnnotation},
    {"RCCL_", trace::Kind::kHostOp},
    {"ROCDECODE_", trace::Kind::kHostOp},
    {"ROCJPEG_", trace::Kind::kHostOp},
    {"OMPT", trace::Kind::kHostOp},
    {"MEMORY_ALLOCATION", trace::Kind::kHostOp},
    {"SCRATCH_MEMORY", trace::Kind::kOverhead},
    {"KFD_", trace::Kind::kOverhead},
}};

// In the order in which they are believed.
constexpr std::array<std::string_view, 6> kRankVariables = {
    "RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID"};

// How many groups of `group` work-items cover `items`.
std::int64_t covering(std::int64_t items, std::int64_t group) {
  return group <= 0 || items <= 0 ? items : items / group + (items % group == 0 ? 0 : 1);
}

}  // namespace

trace::Kind kind_of_rocm_domain(std::string_view domain) {
  for (const Domain& known : kDomains) {
    if (domain.starts_with(known.prefix)) return known.kind;
  }
  return trace::Kind::kHostOp;
}

std::string_view kernel_of_symbol(std::string_view symbol) {
  if (symbol.ends_with(".kd")) symbol.remove_suffix(3);
  return symbol;
}

Clock rocm_clock(WideTime origin) {
  return shared::is_since_1970(origin / kPicosecondsPerNanosecond) ? Clock::kEpoch : Clock::kBoot;
}

std::string json_member(std::string_view object, std::string_view key) {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  std::string_view text;
  if (object.empty()) return {};  // a null of a table has no address
  const auto failure = shared::unless_short(parser.parse(object.data(), object.size()).get(root));
  if (failure != simdjson::SUCCESS) return {};
  if (root[key].get_string().get(text) != simdjson::SUCCESS) return {};
  return std::string(text);
}

std::optional<std::int64_t> rank_of_environment(std::string_view environment) {
  for (const std::string_view variable : kRankVariables) {
    const std::string text = json_member(environment, variable);
    std::int64_t rank = 0;
    const char* const last = text.data() + text.size();
    const auto [end, failure] = std::from_chars(text.data(), last, rank);
    if (!text.empty() && failure == std::errc() && end == last && rank >= 0) return rank;
  }
  return std::nullopt;
}

Extent groups_of(const Extent& work_items, const Extent& group) {
  return {covering(work_items[0], group[0]), covering(work_items[1], group[1]),
          covering(work_items[2], group[2])};
}

void ArgumentList::integer(std::string_view key, std::int64_t value) {
  arguments_.push_back(trace::Argument::integer(builder_.intern(key), value));
}

void ArgumentList::text(std::string_view key, std::string_view value) {
  arguments_.push_back(trace::Argument::string(builder_.intern(key), builder_.intern(value)));
}

void ArgumentList::extent(std::string_view key, const Extent& value) {
  const std::string json = fmt::format("[{}, {}, {}]", value[0], value[1], value[2]);
  arguments_.push_back(trace::Argument::json(builder_.intern(key), builder_.intern(json)));
}

void ArgumentList::give_to(trace::EventId event) {
  builder_.set_arguments(event, arguments_);
  arguments_.clear();
}

}  // namespace lockstep::formats::rocm
