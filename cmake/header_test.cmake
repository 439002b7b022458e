# Target lockstep_headers compiles every header of src/ alone, twice in one file, so that a header
# which needs another one first, or has no include guard, fails to build. The glob is wanted here:
# a header forgotten in a list must not escape the test.

file(GLOB_RECURSE headers
  RELATIVE ${PROJECT_SOURCE_DIR}/src CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.h)
set(sources)
foreach(header IN LISTS headers)
  set(source ${PROJECT_BINARY_DIR}/header_test/${header}.cpp)
  file(CONFIGURE OUTPUT ${source}
    CONTENT "#include \"${header}\"\n#include \"${header}\"\n" @ONLY)
  list(APPEND sources ${source})
endforeach()

if(sources)
  get_property(libraries GLOBAL PROPERTY LOCKSTEP_LIBRARIES)
  add_library(lockstep_headers OBJECT ${sources})
  target_include_directories(lockstep_headers PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(lockstep_headers PRIVATE lockstep_warnings)
  foreach(library IN LISTS libraries)  # not linked, which would build it first
    target_include_directories(lockstep_headers PRIVATE $<TARGET_PROPERTY:${library},INCLUDE_DIRECTORIES>)
    target_compile_definitions(lockstep_headers PRIVATE $<TARGET_PROPERTY:${library},COMPILE_DEFINITIONS>)
  endforeach()
  target_compile_options(lockstep_headers PRIVATE -O0 -g0)  # only what is said matters
endif()
