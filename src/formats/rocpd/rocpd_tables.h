// The sessions of a rocpd database and what each says of itself: node, processes, agents.
//
// A session is what one profiled process wrote: its tables carry a GUID behind their names, and a
// merged database holds several. The plain names are views over all of them and are not read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/sqlite/sqlite_file.h"

namespace lockstep::formats::rocpd {

struct ProcessRow {
  std::int64_t id = 0;
  std::int64_t pid = 0;
  std::string command;
};

struct AgentRow {
  std::int64_t id = 0;
  bool is_gpu = false;
  std::int64_t index = 0;  // among the agents of its type: the number that HIP gives it
  std::string name;
};

struct SessionFacts {
  std::string suffix;  // of the names of its tables: "_00003fdc_92cb_..."
  std::string guid;
  std::string schema_version;
  std::string node;  // machine id, or whatever tells nodes apart
  std::string hostname;
  std::optional<std::int64_t> rank;  // of its process, when the environment tells it
  std::vector<ProcessRow> processes;
  std::vector<AgentRow> agents;

  [[nodiscard]] std::string table(std::string_view base) const {
    return std::string(base) + suffix;
  }
};

// The suffixes of all sessions, in the order of the file.
[[nodiscard]] std::vector<std::string> session_suffixes(const std::vector<std::string>& tables);

[[nodiscard]] SessionFacts read_session_facts(sqlite::SqliteFile& file, std::string suffix);

// Sessions that share a clock and a job: those of one rank, where every session tells a rank of its
// own; else those of one node, because times are counted from the boot of a node.
[[nodiscard]] std::vector<std::vector<SessionFacts>> grouped_by_rank(
    std::vector<SessionFacts> sessions);

}  // namespace lockstep::formats::rocpd
