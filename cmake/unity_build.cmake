# With LOCKSTEP_UNITY sources are compiled several at once, and the headers of the C++ library that most of them
# include are compiled beforehand. Most of the time that a source takes goes into headers, so that a build from
# nothing takes less than half of the time; a change takes longer. All presets that CI and users build do so; dev
# and clang, for daily work, do not.
#
# unity_groups.py chooses sources that share no name of their own. It reads them when CMake is configured, and
# CMake is configured again when one of them changes, which takes seconds.

find_package(Python3 COMPONENTS Interpreter)
set(LOCKSTEP_UNITY_SIZE 16 CACHE STRING "Most sources that LOCKSTEP_UNITY compiles at once")

# Sources, seen from the top, that do not share a file with others although no name clashes. The scan has names of
# its own in a header that is compiled once for each instruction set. LLVM's demangler is somebody else's. The others are where readers spend their time:
# g++ inlines less in large files, which made them up to a tenth slower.
set(LOCKSTEP_COMPILED_ALONE
  src/base/demangle.cpp
  src/formats/chrome_json/parse/event_parser.cpp
  src/formats/chrome_json/scan/structural_scan.cpp
  src/formats/perfetto/decode/annotation_decoder.cpp
  src/formats/perfetto/decode/track_event_decoder.cpp
  src/formats/perfetto/map/track_event_mapper.cpp
  src/formats/perfetto/perfetto_reader.cpp
  src/formats/perfetto/wire/packet_reader.cpp
  src/formats/xspace/read/event_judge.cpp
  src/formats/xspace/read/plane_metadata.cpp
  src/formats/xspace/read/plane_reader.cpp
  src/formats/xspace/read/wire_stream.cpp
  src/formats/xspace/write/xspace_rewriter.cpp)

function(lockstep_unity_build target)
  if(NOT LOCKSTEP_UNITY OR NOT Python3_Interpreter_FOUND)
    return()
  endif()
  set(sources ${ARGN})
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source NORMALIZE OUTPUT_VARIABLE path)
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE place)
    if(place IN_LIST LOCKSTEP_COMPILED_ALONE OR NOT EXISTS ${path})  # generated ones are not there yet
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
      list(REMOVE_ITEM sources ${source})
    endif()
  endforeach()
  execute_process(
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/cmake/unity_groups.py
            ${LOCKSTEP_UNITY_SIZE} ${sources}
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
    OUTPUT_VARIABLE lines
    OUTPUT_STRIP_TRAILING_WHITESPACE
    COMMAND_ERROR_IS_FATAL ANY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${sources})
  string(REPLACE "\n" ";" lines "${lines}")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "^([0-9]+) (.*)$" parts "${line}")
    set_source_files_properties(${CMAKE_MATCH_2} PROPERTIES UNITY_GROUP ${CMAKE_MATCH_1})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# Sources with compiler options of their own need SKIP_PRECOMPILE_HEADERS. The headers of other libraries are not
# among these: macros of those who use them change what they hold.
function(lockstep_precompile_headers target)
  if(NOT LOCKSTEP_UNITY)
    return()
  endif()
  if(NOT TARGET lockstep_common_headers)
    set(source ${PROJECT_BINARY_DIR}/common_headers/nothing.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "\n")
    add_library(lockstep_common_headers OBJECT ${source})
    target_link_libraries(lockstep_common_headers PRIVATE lockstep_hardening lockstep_warnings)
    target_precompile_headers(lockstep_common_headers PRIVATE
      <algorithm> <array> <charconv> <cmath> <cstddef> <cstdint> <filesystem> <functional> <limits> <map> <memory>
      <optional> <span> <string> <string_view> <tuple> <unordered_map> <utility> <vector>)
  endif()
  target_precompile_headers(${target} REUSE_FROM lockstep_common_headers)
endfunction()
