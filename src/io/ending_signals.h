// What signals that end the program leave behind.
#pragma once

namespace lockstep::io {

// Removes the temporary files of unfinished outputs when a signal ends the program, then lets the
// signal have its way. Signals that are ignored or handled already stay so, SIGPIPE excepted. A
// file that grows beyond its limit (SIGXFSZ) is a failed write instead. Called once by main, on the
// thread that makes the files.
void remove_unfinished_outputs_on_signal();

}  // namespace lockstep::io
