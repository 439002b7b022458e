# What every target of ours is compiled with. Third-party and generated code does not link
# lockstep_warnings.

add_library(lockstep_warnings INTERFACE)
target_compile_options(lockstep_warnings INTERFACE
  -Wall
  -Wextra
  -Wpedantic
  -Wshadow
  -Wconversion
  -Wno-sign-conversion
  -Wnon-virtual-dtor
  -Wold-style-cast
  -Woverloaded-virtual
  -Wcast-align
  -Wcast-qual
  -Wextra-semi
  -Wformat=2
  -Wimplicit-fallthrough
  -Wundef
  -Wunused
  $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond>
  $<$<CXX_COMPILER_ID:GNU>:-Wlogical-op>
  # g++ 12 warns of overlaps inside std::string that cannot be (its bug 105651).
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
  # clang blames us for what std::stable_sort of libstdc++ 12 uses inside; g++ still warns of ours.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>
  $<$<BOOL:${LOCKSTEP_WERROR}>:-Werror>)

# Assertion messages name files relative to the source tree, wherever it was built.
add_compile_options(-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)

if(LOCKSTEP_SANITIZE)
  add_compile_options(-fsanitize=${LOCKSTEP_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${LOCKSTEP_SANITIZE})
endif()

if(LOCKSTEP_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "LOCKSTEP_FUZZ needs clang: use the preset 'fuzz'.")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
