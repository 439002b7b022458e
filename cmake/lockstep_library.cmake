# The five shapes a target of this tree has: library, test program, program, fuzz target, generated protobuf.

include(GoogleTest)

# lockstep_library(<name> SOURCES ... DEPENDS ... [TESTS ...] [TEST_DEPENDS ...])
#
# A folder of src/ as one static library: target lockstep_<name>, alias lockstep::<name>. A slash
# in the name becomes an underscore in the target. Includes are written from src/: "base/result.h".
# Without any .cpp among SOURCES it is a header-only library. DEPENDS are complete target names.
# TESTS become the program lockstep_<name>_test; each of its tests is known to ctest as
# <name>/<Suite>.<Test>. Tests find the source tree by the macro LOCKSTEP_SOURCE_DIR.
function(lockstep_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS;TESTS;TEST_DEPENDS")
  lockstep_check_arguments(lockstep_library "${name}")
  string(REPLACE "/" "_" id ${name})
  set(target lockstep_${id})

  set(compiled ${arg_SOURCES})
  list(FILTER compiled INCLUDE REGEX "\\.cpp$")
  if(compiled)
    add_library(${target} STATIC ${arg_SOURCES})
    target_link_libraries(${target} PUBLIC ${arg_DEPENDS}
      PRIVATE lockstep_hardening lockstep_warnings)
    target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/src)
    lockstep_unity_build(${target} ${compiled})
    lockstep_precompile_headers(${target})
  else()
    add_library(${target} INTERFACE ${arg_SOURCES})
    target_link_libraries(${target} INTERFACE ${arg_DEPENDS})
    target_include_directories(${target} INTERFACE ${PROJECT_SOURCE_DIR}/src)
  endif()
  add_library(lockstep::${id} ALIAS ${target})
  set_property(GLOBAL APPEND PROPERTY LOCKSTEP_LIBRARIES ${target})

  if(LOCKSTEP_TESTS AND arg_TESTS)
    lockstep_test_program(${target}_test ${name} SOURCES ${arg_TESTS} DEPENDS ${target} ${arg_TEST_DEPENDS})
  endif()
endfunction()

# lockstep_test_program(<target> <name> SOURCES ... DEPENDS ...)
#
# A program of GoogleTest, with GoogleMock; each of its tests is known to ctest as <name>/<Suite>.<Test>.
function(lockstep_test_program target name)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "SOURCES;DEPENDS")
  lockstep_check_arguments(lockstep_test_program "${target}")
  add_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE
    ${arg_DEPENDS} GTest::gtest GTest::gmock GTest::gtest_main lockstep_warnings)
  target_compile_definitions(${target} PRIVATE LOCKSTEP_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  lockstep_test_options(${target})
  lockstep_precompile_test_headers(${target})
  lockstep_unity_build(${target} ${arg_SOURCES})
  lockstep_discover_tests(${target} ${name})
endfunction()

# lockstep_discover_tests(<target> <name> [<property> <value> ...])
#
# Makes each test of a program of GoogleTest known to ctest as <name>/<Suite>.<Test>. Property tests
# get the same cases in every run; `make property` runs them with others.
function(lockstep_discover_tests target name)
  gtest_discover_tests(${target}
    TEST_PREFIX ${name}/
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT 300 ENVIRONMENT RC_PARAMS=seed=1 ${ARGN})
endfunction()

function(lockstep_test_options target)
  # What is tested is optimised; the tests themselves would only take longer to compile.
  target_compile_options(${target} PRIVATE $<$<NOT:$<CONFIG:RelWithDebInfo>>:-O0>)
  # For the same reason only what is tested is watched for undefined behaviour.
  if(LOCKSTEP_SANITIZE MATCHES undefined)
    target_compile_options(${target} PRIVATE -fno-sanitize=undefined)
  endif()
endfunction()

# Half of the time that a test takes to compile goes into these headers: compiled once for all tests. Macros of
# the libraries that a test uses do not matter to them.
function(lockstep_precompile_test_headers target)
  if(NOT TARGET lockstep_test_headers)
    set(source ${PROJECT_BINARY_DIR}/test_headers/main.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "int main() {}\n")
    add_executable(lockstep_test_headers ${source})
    target_link_libraries(lockstep_test_headers PRIVATE GTest::gtest GTest::gmock rapidcheck lockstep_warnings)
    lockstep_test_options(lockstep_test_headers)
    target_precompile_headers(lockstep_test_headers PRIVATE <gmock/gmock.h> <gtest/gtest.h> <rapidcheck.h>)
  endif()
  target_precompile_headers(${target} REUSE_FROM lockstep_test_headers)
endfunction()

# lockstep_program(<name> SOURCES ... DEPENDS ...)
#
# A program for users: stands at the top of the build folder and is installed to bin/. It looks for
# shared objects in ../lib beside itself first, which is how the binary tarball carries its own.
function(lockstep_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS")
  lockstep_check_arguments(lockstep_program "${name}")
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PRIVATE ${arg_DEPENDS} lockstep_hardening lockstep_warnings)
  target_link_options(${name} PRIVATE LINKER:--enable-new-dtags)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
    INSTALL_RPATH "$ORIGIN/../lib"
    BUILD_WITH_INSTALL_RPATH ON)
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# lockstep_fuzz_target(<name> SOURCES ... DEPENDS ...)
#
# SOURCES define LLVMFuzzerTestOneInput. With LOCKSTEP_FUZZ this is the libFuzzer program
# <build>/fuzz/<name>; lockstep_fuzz are all of them. In every other build it is a program without
# libFuzzer. Either replays the seeds of tests/fuzz/corpus/<name>/ as a test, so that an input which
# once crashed is tried under each preset.
if(LOCKSTEP_FUZZ)
  add_custom_target(lockstep_fuzz)
endif()

function(lockstep_fuzz_target name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS")
  lockstep_check_arguments(lockstep_fuzz_target "${name}")
  set(target lockstep_fuzz_${name})
  set(seeds ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name})

  add_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE ${arg_DEPENDS} lockstep_warnings)
  if(LOCKSTEP_FUZZ)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
    add_dependencies(lockstep_fuzz ${target})
    set_target_properties(${target} PROPERTIES
      OUTPUT_NAME ${name}
      RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzz)
    add_test(NAME fuzz_replay/${name} COMMAND ${target} -runs=0 ${seeds})
  else()
    target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests/fuzz_replay.cpp)
    add_test(NAME fuzz_replay/${name} COMMAND ${target} ${seeds})
  endif()
  set_tests_properties(fuzz_replay/${name} PROPERTIES TIMEOUT 300)
endfunction()

# lockstep_proto_library(<name> <file.proto>)
#
# Code that protoc generates from one file, for tests: target lockstep_<name>, header
# "<file>.pb.h". Generated code is not held to our warnings.
function(lockstep_proto_library name file)
  set(target lockstep_${name})
  add_library(${target} STATIC)
  protobuf_generate_cpp(sources headers ${file})
  target_sources(${target} PRIVATE ${sources} ${headers})
  target_include_directories(${target} SYSTEM PUBLIC ${CMAKE_CURRENT_BINARY_DIR})
  target_link_libraries(${target} PUBLIC protobuf::libprotobuf)
  lockstep_test_options(${target})
endfunction()

macro(lockstep_check_arguments function name)
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${function}(${name}): unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_SOURCES)
    message(FATAL_ERROR "${function}(${name}): SOURCES is missing")
  endif()
endmacro()
