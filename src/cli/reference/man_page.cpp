// Sections of man pages.
#include "cli/reference/man_page.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/letters.h"

namespace lockstep::cli::reference {
namespace {

constexpr std::string_view kExamples = "Examples:\n";
constexpr std::string_view kPageSuffix = ".md";

std::string roff_letters(std::string_view text, bool is_line_start) {
  std::string out;
  for (const char c : text) {
    if (is_line_start && (c == '.' || c == '\'')) out += "\\&";
    is_line_start = c == '\n';
    switch (c) {
      case '\\':
        out += "\\e";
        break;
      case '-':
        out += "\\-";
        break;
      case '\'':
        out += "\\(aq";
        break;
      case '^':
        out += "\\(ha";
        break;
      case '~':
        out += "\\(ti";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string man_reference(std::string_view page) {
  return fmt::format("\\fBlockstep\\-{}\\fR(1)", roff_text(page));
}

// Both take the code or link that `text` begins with and return its length, 0 where it is none.
std::size_t add_code(std::string_view text, std::string& out) {
  const std::size_t end = text.find('`', 1);
  if (end == std::string_view::npos) return 0;
  out += fmt::format("\\fB{}\\fR", roff_letters(text.substr(1, end - 1), false));
  return end + 1;
}

std::size_t add_link(std::string_view text, std::string& out) {
  const std::size_t words_end = std::min(text.find_first_of("[]", 1), text.size());
  const std::size_t end = text.find(')', words_end);
  if (!text.substr(words_end).starts_with("](") || end == std::string_view::npos) return 0;
  const std::string_view target = text.substr(words_end + 2, end - words_end - 2);
  out += target.ends_with(kPageSuffix)
             ? man_reference(target.substr(0, target.size() - kPageSuffix.size()))
             : roff_letters(text.substr(1, words_end - 1), false);
  return end + 1;
}

std::string man_title(std::string_view page, std::string_view one_line) {
  std::string title(page);
  std::ranges::transform(title, title.begin(), capital_letter);
  return fmt::format(
      ".\\\" Made by 'make reference' from the records of the options. Do not edit.\n"
      ".TH {} 1 \"\" \"lockstep {}\" \"User Commands\"\n"
      ".SH NAME\n{} \\- {}\n",
      roff_text(title), LOCKSTEP_VERSION, roff_text(page), roff_text(one_line));
}

// Paragraphs are parted by empty lines.
std::string man_paragraphs(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find("\n\n"), text.size());
    out += fmt::format("{}{}\n", out.empty() ? "" : ".PP\n", roff_text(text.substr(0, end)));
    text.remove_prefix(std::min(end + 2, text.size()));
  }
  return out;
}

// A record says it without a capital, as a table does.
std::string as_sentence(std::string text) {
  if (!text.empty()) text.front() = capital_letter(text.front());
  return text;
}

std::string man_option(const Option& option) {
  std::string out = ".TP\n";
  bool is_first = true;
  for (const std::string_view name : names_of(option)) {
    out += fmt::format("{}\\fB{}\\fR", is_first ? "" : ", ", roff_text(name));
    is_first = false;
  }
  if (takes_value(option)) out += fmt::format(" \\fI{}\\fR", roff_text(option.value));
  out +=
      "\n" + roff_of_markdown(as_sentence(option.details.empty() ? option.help : option.details));
  if (!option.default_text.empty()) {
    out += fmt::format(". Default {}", roff_text(option.default_text));
  }
  return out + ".\n";
}

std::string man_options(const CommandRecord& record) {
  std::string out = ".SH OPTIONS\n";
  for (const std::string& group : groups_of(record)) {
    if (!group.empty()) out += fmt::format(".SS Of {}\n", roff_text(group));
    for (const Option& option : options_of(record, group)) out += man_option(option);
  }
  return out;
}

std::string man_exit_status(bool has_finding) {
  std::string out = ".SH EXIT STATUS\n.TP\n0\nDone.\n";
  if (has_finding) out += ".TP\n1\nWhat the command was asked to fail on was found.\n";
  return out +
         ".TP\n2\nThe command line does not make sense.\n"
         ".TP\n3\nAn input cannot be used, or an output cannot be written.\n"
         ".TP\n4\nOur fault: please report it.\n";
}

bool may_find(const CommandRecord& record) {
  return std::ranges::any_of(record.table.options(), [](const Option& option) {
    return option.names.starts_with("--fail-on");
  });
}

std::string man_examples(std::string_view examples) {
  std::string out = ".SH EXAMPLES\n.EX\n";
  while (!examples.empty()) {
    const std::size_t end = std::min(examples.find('\n'), examples.size());
    const std::string_view line = examples.substr(0, end);
    out += roff_text(line.substr(std::min(line.find_first_not_of(' '), line.size()))) + "\n";
    examples.remove_prefix(std::min(end + 1, examples.size()));
  }
  return out + ".EE\n";
}

// The others of its family, or all that stand at the top.
std::string man_see_also(const CommandRecord& record, std::span<const CommandRecord> records) {
  std::string out = ".SH SEE ALSO\n\\fBlockstep\\fR(1)";
  const std::string own = record.name();
  const std::string family = own.substr(0, own.find(' '));
  for (const CommandRecord& other : records) {
    const std::string name = other.name();
    const bool is_near = own == family ? !name.contains(' ') || name.starts_with(own + " ")
                                       : name.starts_with(family);
    if (is_near && name != own) out += ",\n" + man_reference(page_name(name));
  }
  return out + "\n";
}

std::string man_command_list(const std::vector<const CommandRecord*>& commands) {
  std::string out = ".SH COMMANDS\n";
  for (const CommandRecord* record : commands) {
    out += fmt::format(".TP\n{}\n{}.\n", man_reference(page_name(record->name())),
                       roff_text(as_sentence(std::string(record->command->one_line()))));
  }
  return out;
}

}  // namespace

std::string roff_text(std::string_view text) { return roff_letters(text, true); }

std::string roff_of_markdown(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t plain = std::min(text.find_first_of("`["), text.size());
    out += roff_letters(text.substr(0, plain), out.empty());
    text.remove_prefix(plain);
    if (text.empty()) break;
    const std::size_t length = text.front() == '`' ? add_code(text, out) : add_link(text, out);
    if (length == 0) out += text.front();  // a sign that means itself
    text.remove_prefix(std::max<std::size_t>(1, length));
  }
  return out;
}

std::string command_man_page(const CommandRecord& record, std::span<const CommandRecord> records) {
  const Subcommand& command = *record.command;
  const std::string_view help = command.long_help();
  const std::size_t examples = std::min(help.find(kExamples), help.size());
  std::string out = man_title("lockstep-" + page_name(command.name()), command.one_line()) +
                    fmt::format(".SH SYNOPSIS\n\\fBlockstep {}\\fR {}\n.SH DESCRIPTION\n{}",
                                roff_text(command.name()), roff_text(command.arguments()),
                                man_paragraphs(help.substr(0, examples)));
  if (record.members.empty()) {
    out += man_options(record) + man_exit_status(may_find(record));
  } else {
    std::vector<const CommandRecord*> members;
    for (const CommandRecord& other : records) {
      if (other.name().starts_with(record.name() + " ")) members.push_back(&other);
    }
    out += man_command_list(members);
  }
  if (examples < help.size()) out += man_examples(help.substr(examples + kExamples.size()));
  return out + man_see_also(record, records);
}

std::string program_man_page(std::span<const CommandRecord> records) {
  std::vector<const CommandRecord*> commands;
  for (const CommandRecord& record : records) commands.push_back(&record);
  return man_title("lockstep", "say where execution on accelerators falls out of step") +
         ".SH SYNOPSIS\n\\fBlockstep\\fR \\fICOMMAND\\fR INPUT... [options]\n"
         ".br\n\\fBlockstep help\\fR [\\fICOMMAND\\fR]\n"
         ".br\n\\fBlockstep \\-\\-version\\fR\n"
         ".SH DESCRIPTION\n"
         "Reads execution traces of accelerators (GPU, NPU, TPU) and says where execution falls\n"
         "out of step. The format of an input is found from its content; gzip and zstd are read\n"
         "as they are.\n" +
         man_command_list(commands) + man_exit_status(true) +
         ".SH ENVIRONMENT\n"
         ".TP\nNO_COLOR\nNo colour, also on a terminal.\n"
         ".TP\nCOLUMNS\nThe width of the text where standard output is no terminal.\n";
}

}  // namespace lockstep::cli::reference
