# Target lockstep_headers compiles every source and header of src/ alone, so that one which needs another one first
# fails to build: where several sources are compiled at once, and common headers beforehand, nothing would tell.
# A source includes its own header first; headers without a source are compiled by themselves. The glob is wanted
# here: a file forgotten in a list must not escape.

file(GLOB_RECURSE headers
  RELATIVE ${PROJECT_SOURCE_DIR}/src CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.h)
file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.cpp)
list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
list(FILTER sources EXCLUDE REGEX "_avx[0-9]+\\.cpp$")  # need instructions that the others may not use

foreach(header IN LISTS headers)
  string(REGEX REPLACE "\\.h$" ".cpp" own ${PROJECT_SOURCE_DIR}/src/${header})
  if(own IN_LIST sources)
    file(STRINGS ${own} first LIMIT_COUNT 1 REGEX "^#include")
    if(first STREQUAL "#include \"${header}\"")
      continue()
    endif()
  endif()
  set(source ${PROJECT_BINARY_DIR}/header_test/${header}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${header}\"\n" @ONLY)
  list(APPEND sources ${source})
endforeach()

get_property(libraries GLOBAL PROPERTY LOCKSTEP_LIBRARIES)
add_library(lockstep_headers OBJECT ${sources})
target_include_directories(lockstep_headers PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(lockstep_headers PRIVATE lockstep_warnings)
# Headers of others are not held to our warnings, whoever names them.
target_include_directories(lockstep_headers SYSTEM PRIVATE ${PROJECT_SOURCE_DIR}/third_party/llvm-demangle/include)
foreach(library IN LISTS libraries)  # not linked, which would build it first
  target_include_directories(lockstep_headers PRIVATE $<TARGET_PROPERTY:${library},INCLUDE_DIRECTORIES>)
  target_compile_definitions(lockstep_headers PRIVATE $<TARGET_PROPERTY:${library},COMPILE_DEFINITIONS>)
endforeach()
target_compile_options(lockstep_headers PRIVATE -O0 -g0)  # only what is said matters
