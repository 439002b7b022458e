// Whether SQLite lacks memory, or only says so: it has the same code for an allocation that failed
// and for a damaged row that claims gigabytes, which it never tries to allocate.
#pragma once

#include <string>

namespace lockstep::formats::sqlite {

// Lets failed allocations of SQLite be noticed from now on. It changes how the library is set up
// for the whole process, so that a program does it, before it starts threads or opens a database;
// without it, SQLite is believed.
void watch_sqlite_memory();

// SQLite's code of a failed allocation, as the exception that it is elsewhere. Returns where the
// code is another one, or the file is to blame.
void throw_if_out_of_memory(int code);

// What a code says in words, where throw_if_out_of_memory returned.
std::string sqlite_reason(int code);

}  // namespace lockstep::formats::sqlite
