// The list of them.
#include "cli/reference/reference_files.h"

#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "cli/reference/command_record.h"
#include "cli/reference/completions.h"
#include "cli/reference/man_page.h"
#include "cli/reference/option_page.h"

namespace lockstep::cli::reference {

std::string text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Result<std::vector<ReferenceFile>> reference_files(const std::string& source) {
  const std::vector<CommandRecord> records = command_records();
  std::vector<ReferenceFile> files = {
      {"completions/lockstep.bash", bash_completion(records)},
      {"completions/_lockstep", zsh_completion(records)},
      {"completions/lockstep.fish", fish_completion(records)},
      {"docs/man/lockstep.1", program_man_page(records)},
  };
  for (const CommandRecord& record : records) {
    const std::string name = page_name(record.name());
    files.push_back(
        {fmt::format("docs/man/lockstep-{}.1", name), command_man_page(record, records)});
    if (!record.members.empty()) continue;
    const std::string path = fmt::format("docs/reference/{}.md", name);
    const std::string page = text_of_file(source + "/" + path);
    if (!page.contains(fmt::format("<!-- options: {} -->\n", record.name()))) {
      return input_error(path, fmt::format("has no '<!-- options: {} -->'", record.name()));
    }
    LOCKSTEP_ASSIGN_OR_RETURN(std::string made, with_option_tables(page, records));
    files.push_back({path, std::move(made)});
  }
  return files;
}

}  // namespace lockstep::cli::reference
