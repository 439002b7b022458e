// The program: signals, the command line, and the last word on what nobody caught.
#include <exception>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include "cli/command_line.h"
#include "cli/console.h"
#include "io/byte_sink.h"
#include "io/standard_streams.h"

namespace {

constexpr const char* kNoMemory =
    "there is not enough memory for this input; a machine or container with more may read it";

// A thread that cannot be started is short of memory, or of the number that the caller may have.
bool is_shortage(const std::system_error& error) {
  return error.code() == std::errc::resource_unavailable_try_again ||
         error.code() == std::errc::not_enough_memory;
}

lockstep::ExitCode our_fault(const std::exception& error) {
  lockstep::complain(std::string("something went wrong inside lockstep (") + error.what() +
                     "); please report it with the command that you ran");
  return lockstep::ExitCode::kInternal;
}

lockstep::ExitCode run(const std::vector<std::string>& words) {
  try {
    return lockstep::run_command_line(words);
  } catch (const std::bad_alloc&) {
    lockstep::complain(kNoMemory);
  } catch (const std::system_error& error) {
    if (!is_shortage(error)) return our_fault(error);
    lockstep::complain(kNoMemory);
  } catch (const std::exception& error) {
    return our_fault(error);
  }
  return lockstep::ExitCode::kUnusable;
}

}  // namespace

int main(int argc, char** argv) {
  lockstep::occupy_standard_descriptors();
  lockstep::remove_unfinished_outputs_on_signal();
  return static_cast<int>(run({argv + 1, argv + argc}));
}
