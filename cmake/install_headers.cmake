# Installs the headers of liblockstep: those that a program asks for, and those that they include.
#
# `source` is src/, `device` the folder of the headers for kernels, `stage` a folder to work in, `target`
# the folder "include". In the tree a header is included from src/: "base/result.h". Installed it is
# "lockstep/base/result.h", so that one -I is enough and no short name of ours stands in the way of a
# program's own.
cmake_policy(VERSION 3.25)

# Not from the inside of readers: what loads, what they share, what writes.
set(globs
  base/text.h
  trace/*.h
  analysis/*.h
  formats/input/*.h
  formats/shared/*.h
  formats/*_writer.h
  formats/kernel_profile/kernel_profile_formats.h)
# With these a program would need the headers of other libraries.
set(other_libraries "#include <(CLI|fmt|isa-l|nlohmann|protozero|simdjson|sqlite3|xlsxwriter|xxhash|zstd)")

set(waiting)
foreach(glob IN LISTS globs)
  file(GLOB_RECURSE found RELATIVE ${source} ${source}/${glob})
  foreach(header IN LISTS found)
    file(STRINGS ${source}/${header} outside REGEX "${other_libraries}")
    if(NOT header MATCHES "/test_[^/]*$|_for_test\\.h$" AND NOT outside)
      list(APPEND waiting ${header})
    endif()
  endforeach()
endforeach()

set(done)
while(waiting)
  list(POP_FRONT waiting header)
  if(header IN_LIST done)
    continue()
  endif()
  list(APPEND done ${header})
  file(READ ${source}/${header} text)
  if(text MATCHES "${other_libraries}")
    message(FATAL_ERROR "${header} is installed and includes a header of another library")
  endif()
  string(REGEX MATCHALL "#include \"[^\"]+" includes "${text}")
  foreach(include IN LISTS includes)
    string(REPLACE "#include \"" "" name ${include})
    if(EXISTS ${source}/${name})
      list(APPEND waiting ${name})
      string(REPLACE "#include \"${name}\"" "#include \"lockstep/${name}\"" text "${text}")
    elseif(NOT EXISTS ${device}/${name})
      message(FATAL_ERROR "${header} includes ${name}, which is nowhere")
    endif()
  endforeach()
  # Written only where it has changed: who includes it is not compiled again for nothing.
  set(before)
  if(EXISTS ${stage}/lockstep/${header})
    file(READ ${stage}/lockstep/${header} before)
  endif()
  if(NOT text STREQUAL before)
    file(WRITE ${stage}/lockstep/${header} "${text}")
  endif()
endwhile()

# Headers that are no longer there.
file(GLOB_RECURSE staged RELATIVE ${stage}/lockstep ${stage}/lockstep/*)
list(REMOVE_ITEM staged ${done})
foreach(header IN LISTS staged)
  file(REMOVE ${stage}/lockstep/${header})
endforeach()

list(LENGTH done count)
message(STATUS "Installing: ${count} headers in $ENV{DESTDIR}${target}/lockstep")
file(INSTALL DESTINATION ${target} TYPE DIRECTORY MESSAGE_NEVER FILES ${stage}/lockstep)
