# What every target of ours is compiled with. Third-party and generated code does not link
# lockstep_warnings.

# Said here, because an older compiler stops somewhere inside a header with a message that tells
# nobody what is wrong. tests/compiler_version_test.py holds the two sentences.
set(LOCKSTEP_OLDEST_GNU 12)
set(LOCKSTEP_OLDEST_CLANG 16)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU"
    AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS LOCKSTEP_OLDEST_GNU)
  message(FATAL_ERROR
    "lockstep needs g++ ${LOCKSTEP_OLDEST_GNU} or newer; ${CMAKE_CXX_COMPILER} is "
    "g++ ${CMAKE_CXX_COMPILER_VERSION}. Name a newer one with -DCMAKE_CXX_COMPILER=g++-12 in an "
    "empty build folder.")
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang"
    AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS LOCKSTEP_OLDEST_CLANG)
  message(FATAL_ERROR
    "lockstep needs clang ${LOCKSTEP_OLDEST_CLANG} or newer; ${CMAKE_CXX_COMPILER} is "
    "clang ${CMAKE_CXX_COMPILER_VERSION}. Name a newer one with -DCMAKE_CXX_COMPILER=clang++-19 in "
    "an empty build folder.")
endif()

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
  # g++ 13 warns of a vector that grows as if it had no memory (its bug 107852).
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,13>>:-Wno-stringop-overflow>
  # In a file of several sources every one but the last looks like a header. Of headers that were compiled
  # beforehand g++ does not know any more that they are the system's: it warns of strings that it inlines.
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:${LOCKSTEP_UNITY}>>:-Wno-subobject-linkage;-Wno-array-bounds;-Wno-stringop-overflow>
  # clang blames us for what std::stable_sort of libstdc++ 12 uses inside; g++ still warns of ours.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>
  $<$<BOOL:${LOCKSTEP_WERROR}>:-Werror>)

# What users run makes little of a memory error: lockstep_hardening is for the libraries, the program
# and the shared library, and tests/hardening_test.py reads from their files that it took hold.
# Sanitizers have checks of their own, which FORTIFY would hide from them, and a debug build is not
# optimised, as FORTIFY asks for. -U first: some compilers define the macro themselves.
include(CheckCXXCompilerFlag)
include(CheckPIESupported)
check_pie_supported(LANGUAGES CXX)
add_library(lockstep_hardening INTERFACE)
if(NOT LOCKSTEP_SANITIZE AND NOT LOCKSTEP_FUZZ)
  set(optimised "$<CONFIG:Release,RelWithDebInfo,MinSizeRel>")
  target_compile_options(lockstep_hardening INTERFACE
    "$<${optimised}:-fstack-protector-strong;-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=3>")
  # Not on every processor.
  foreach(flag IN ITEMS -fstack-clash-protection -fcf-protection)
    string(MAKE_C_IDENTIFIER "LOCKSTEP_HAS${flag}" has_flag)
    check_cxx_compiler_flag(${flag} ${has_flag})
    if(${has_flag})
      target_compile_options(lockstep_hardening INTERFACE "$<${optimised}:${flag}>")
    endif()
  endforeach()
  target_link_options(lockstep_hardening INTERFACE
    "$<${optimised}:LINKER:-z,relro;LINKER:-z,now;LINKER:-z,noexecstack>")
endif()

# Code is position independent for the shared library, and nobody replaces functions of ours at load
# time: calls inside a file may be inlined, as clang does anyway.
add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-semantic-interposition>)

# Assertion messages name files relative to the source tree, wherever it was built.
add_compile_options(-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)

if(LOCKSTEP_SANITIZE)
  add_compile_options(-fsanitize=${LOCKSTEP_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${LOCKSTEP_SANITIZE})
endif()

if(LOCKSTEP_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "LOCKSTEP_FUZZ needs clang: use the preset 'asan'.")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# The linker sees all types of all files, which no compilation does. Not optimised: only the types matter.
# tests/odr_check_test.py plants a type that is two.
set(LOCKSTEP_ODR_COMPILE_OPTIONS -O0 -g0 -flto -fno-fat-lto-objects)
# -g0: g++ 12 fails on what -g asks of the linker.
set(LOCKSTEP_ODR_LINK_OPTIONS -O0 -g0 -flto=auto -Werror=odr -Werror=lto-type-mismatch)
if(LOCKSTEP_ODR_CHECK)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    message(FATAL_ERROR "LOCKSTEP_ODR_CHECK needs g++: use the preset 'odr'.")
  endif()
  set(CMAKE_AR ${CMAKE_CXX_COMPILER_AR})
  set(CMAKE_RANLIB ${CMAKE_CXX_COMPILER_RANLIB})
  add_compile_options(${LOCKSTEP_ODR_COMPILE_OPTIONS})
  add_link_options(${LOCKSTEP_ODR_LINK_OPTIONS})
endif()
