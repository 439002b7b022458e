// The options of a command, each as one record: what it is called, what it does, what may be given
// to it, and where that goes. Parsing, --help, the tables of the reference pages, the man pages and
// the completions of shells are all made from these records.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lockstep::cli {

// Where a value goes. A bool is a flag, a vector takes every value, the others take one; without a
// target an option asks for help.
using OptionTarget = std::variant<std::monostate, bool*, std::string*, std::optional<std::string>*,
                                  std::vector<std::string>*, double*, std::optional<double>*,
                                  std::uint32_t*, std::optional<std::uint32_t>*, std::uint64_t*>;

// What a shell offers for a value that is none of a few words.
enum class Completion { kNothing, kFile, kFolder };

// Empty where `text` can be the value; otherwise why not, which is shown after the option's name.
using ValueCheck = std::string (*)(const std::string& text);

struct Option {
  std::string names;  // "-o,--output"; a positional argument has no dash
  OptionTarget target = {};
  std::string value = {};         // what stands for the value in help: "FILE"
  std::string help = {};          // one line
  std::string default_text = {};  // follows the help as "(default 10)"
  std::string details = {};       // Markdown, where the reference has more to say than the help
  std::string group = {};         // options of a group stand in a table of their own
  std::vector<std::string> words = {};  // the values that there are, or that stand out
  Completion completion = Completion::kNothing;
  ValueCheck check = nullptr;
  bool is_given = false;  // set by parsing
};

// In the order of the help; --help is the first.
class OptionTable {
 public:
  OptionTable();
  void add(Option option) { options_.push_back(std::move(option)); }
  [[nodiscard]] const std::vector<Option>& options() const { return options_; }
  [[nodiscard]] std::vector<Option>& options() { return options_; }

 private:
  std::vector<Option> options_;
};

// "-o,--output" as "-o" and "--output".
[[nodiscard]] std::vector<std::string_view> names_of(const Option& option);
[[nodiscard]] bool is_positional(const Option& option);
[[nodiscard]] bool takes_value(const Option& option);

}  // namespace lockstep::cli
