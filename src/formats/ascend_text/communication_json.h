// communication.json: how long each collective and each send or receive took, and what of it was
// transit, wait and idle; and communication_matrix.json, which sums the same by pairs of ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "formats/shared/rank_builder.h"
#include "io/byte_source.h"

namespace lockstep::formats::ascend_text {

struct CommunicationOp {
  std::string name;   // "hcom_allReduce__586_0_1"
  std::string group;  // behind the @
  std::optional<WideTime> start;
  std::optional<WideTime> elapse;
  std::optional<WideTime> transit;
  std::optional<WideTime> wait;
  std::optional<WideTime> idle;
  std::optional<std::int64_t> bytes;
};

struct CommunicationFile {
  std::vector<CommunicationOp> ops;  // in the order of the file, sums left out
  bool is_damaged = false;           // JSON that ends too early or is none; ops are those before
};

// The whole of a text file; an error when it is beyond all measure.
inline constexpr std::size_t kMaxTextBytes = std::size_t{1} << 30;
[[nodiscard]] Result<std::string> read_text(io::ByteSource& bytes, const std::string& path,
                                            std::size_t max_bytes = kMaxTextBytes);

[[nodiscard]] CommunicationFile parse_communication(const std::string& json);

// Fills in the collectives of the rank: by name and group, the n-th of the file for the n-th on the
// timeline. Times are not compared: the file writes them on another grid. Returns how many were
// found.
std::uint64_t describe_collectives(trace::Trace& trace, std::size_t first_row,
                                   const std::vector<CommunicationOp>& ops,
                                   Diagnostics& diagnostics);

// Gives the lanes of groups the names that the groups have for all ranks.
void name_lanes_by_group(trace::Trace& trace, std::size_t first_row);

// Makes events of them, where there is nothing better: one lane a group. Returns how many.
std::uint64_t add_as_events(shared::RankBuilder& rank, const std::string& process,
                            const std::vector<CommunicationOp>& ops);

// How many links communication_matrix.json has; nothing when it is no such JSON.
[[nodiscard]] std::optional<std::uint64_t> count_links(const std::string& json);

// The JSON without spaces; nothing when it is none.
[[nodiscard]] std::optional<std::string> minified(const std::string& json);

}  // namespace lockstep::formats::ascend_text
