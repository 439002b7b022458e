// The error that stops a command, and the value-or-error that carries it across folder borders.
//
// A record that is merely bad is a Diagnostic (base/diagnostics.h), never an Error. No exception
// crosses a folder border: libraries that throw are wrapped where they are called.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace lockstep {

// What kind of failure this is; it decides the exit code of the program.
enum class ErrorCode {
  kUsage,     // the words of the command line do not make sense
  kInput,     // the input cannot be used
  kOutput,    // the output cannot be written
  kInternal,  // our fault
};

// What happened, where, and what to do next. `where` and `hint` may be empty.
struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;
  std::string where;
  std::string hint;

  // One sentence for people: "WHERE: MESSAGE. HINT".
  [[nodiscard]] std::string text() const;
};

[[nodiscard]] Error input_error(std::string where, std::string message, std::string hint = {});
[[nodiscard]] Error output_error(std::string where, std::string message, std::string hint = {});
[[nodiscard]] Error usage_error(std::string message, std::string hint = {});

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  [[nodiscard]] T& value() & { return std::get<0>(state_); }
  [[nodiscard]] const T& value() const& { return std::get<0>(state_); }
  [[nodiscard]] T&& value() && { return std::get<0>(std::move(state_)); }
  [[nodiscard]] const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

// Success, or the error.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : error_(std::move(error)) {}

  [[nodiscard]] bool ok() const { return !error_.has_value(); }
  [[nodiscard]] const Error& error() const { return *error_; }

 private:
  std::optional<Error> error_;
};

}  // namespace lockstep

#define LOCKSTEP_CONCAT_INNER(a, b) a##b
#define LOCKSTEP_CONCAT(a, b) LOCKSTEP_CONCAT_INNER(a, b)

// Leaves the enclosing function with the error of `expr`, if it has one.
#define LOCKSTEP_RETURN_IF_ERROR(expr)                          \
  do {                                                          \
    if (auto lockstep_status = (expr); !lockstep_status.ok()) { \
      return lockstep_status.error();                           \
    }                                                           \
  } while (false)

// Declares `lhs` with the value of `expr`, or leaves with its error.
#define LOCKSTEP_ASSIGN_OR_RETURN(lhs, expr) \
  LOCKSTEP_ASSIGN_OR_RETURN_INNER(LOCKSTEP_CONCAT(lockstep_result_, __LINE__), lhs, expr)
#define LOCKSTEP_ASSIGN_OR_RETURN_INNER(result, lhs, expr) \
  auto result = (expr);                                    \
  if (!result.ok()) return result.error();                 \
  lhs = std::move(result).value()
