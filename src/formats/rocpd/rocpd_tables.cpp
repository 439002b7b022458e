// Finding of sessions and reading of their info tables.
#include "formats/rocpd/rocpd_tables.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/letters.h"
#include "formats/rocm/rocm_records.h"

namespace lockstep::formats::rocpd {
namespace {

// Tables that no other profiler has. RPD has a rocpd_string and a rocpd_metadata of its own.
constexpr std::array<std::string_view, 5> kTellingTables = {
    "rocpd_kernel_dispatch", "rocpd_region", "rocpd_info_agent", "rocpd_info_process",
    "rocpd_memory_copy"};

std::string first_filled(const sqlite::SqliteScan& row, std::initializer_list<int> columns) {
  for (const int column : columns) {
    if (!row.text(column).empty()) return std::string(row.text(column));
  }
  return {};
}

void read_metadata(sqlite::SqliteFile& file, SessionFacts& session) {
  sqlite::SqliteScan row = file.scan(session.table("rocpd_metadata"), {"tag", "value"});
  while (row.next()) {
    if (row.text(0) == "schema_version") session.schema_version = row.text(1);
    if (row.text(0) == "guid") session.guid = row.text(1);
  }
}

void read_node(sqlite::SqliteFile& file, SessionFacts& session) {
  sqlite::SqliteScan row =
      file.scan(session.table("rocpd_info_node"), {"machine_id", "hostname", "hash", "id"});
  if (!row.next()) return;
  session.node = first_filled(row, {0, 1, 2, 3});
  session.hostname = row.text(1);
}

void read_processes(sqlite::SqliteFile& file, SessionFacts& session) {
  sqlite::SqliteScan row =
      file.scan(session.table("rocpd_info_process"), {"id", "pid", "command", "environment"});
  while (row.next()) {
    const std::int64_t id = row.integer(0);
    session.processes.push_back({id, row.integer(1, id), std::string(row.text(2))});
    if (!session.rank) session.rank = rocm::rank_of_environment(row.text(3));
  }
}

void read_agents(sqlite::SqliteFile& file, SessionFacts& session) {
  sqlite::SqliteScan row =
      file.scan(session.table("rocpd_info_agent"),
                {"id", "type", "type_index", "logical_index", "product_name", "user_name", "name"});
  while (row.next()) {
    AgentRow agent;
    agent.id = row.integer(0);
    agent.is_gpu = row.text(1) == "GPU";
    agent.index = row.integer(2, row.integer(3, agent.id));
    agent.name = first_filled(row, {4, 5, 6});
    session.agents.push_back(std::move(agent));
  }
}

bool all_tell_ranks(const std::vector<SessionFacts>& sessions) {
  std::set<std::int64_t> ranks;
  return std::ranges::all_of(sessions, [&](const SessionFacts& session) {
    return session.rank && ranks.insert(*session.rank).second;
  });
}

}  // namespace

std::vector<std::string> session_suffixes(const std::vector<std::string>& tables) {
  std::vector<std::string> suffixes;
  std::set<std::string> seen;
  for (const std::string& table : tables) {
    for (const std::string_view base : kTellingTables) {
      if (!sqlite::is_same_name(std::string_view(table).substr(0, base.size()), base)) continue;
      const std::string suffix = table.substr(base.size());
      if (!suffix.empty() && suffix.front() != '_') continue;
      if (seen.insert(in_small_letters(suffix)).second) suffixes.push_back(suffix);
    }
  }
  return suffixes;
}

SessionFacts read_session_facts(sqlite::SqliteFile& file, std::string suffix) {
  SessionFacts session;
  session.suffix = std::move(suffix);
  read_metadata(file, session);
  read_node(file, session);
  read_processes(file, session);
  read_agents(file, session);
  return session;
}

std::vector<std::vector<SessionFacts>> grouped_by_rank(std::vector<SessionFacts> sessions) {
  const bool by_rank = sessions.size() > 1 && all_tell_ranks(sessions);
  std::vector<std::vector<SessionFacts>> groups;
  std::map<std::string, std::size_t> places;  // in groups, by node
  for (SessionFacts& session : sessions) {
    std::size_t place = groups.size();
    if (!by_rank) place = places.try_emplace(session.node, place).first->second;
    if (place == groups.size()) groups.emplace_back();
    groups[place].push_back(std::move(session));
  }
  if (by_rank) std::ranges::sort(groups, {}, [](const auto& group) { return *group[0].rank; });
  return groups;
}

}  // namespace lockstep::formats::rocpd
