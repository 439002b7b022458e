# Every library from outside, found once. tools/install_deps.sh names the packages.
#
#   fmt::fmt  simdjson::simdjson  CLI11::CLI11  nlohmann_json::nlohmann_json  Threads::Threads
#   lockstep_isal  lockstep_zstd  lockstep_xxhash  lockstep_protozero  lockstep_utf8proc
#   lockstep_sqlite  lockstep_xlsxwriter
# and for tests only:
#   GTest::gtest  GTest::gmock  GTest::gtest_main  rapidcheck  benchmark::benchmark
#   protobuf::libprotobuf

set(CMAKE_THREAD_PREFER_PTHREAD ON)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(simdjson REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(PkgConfig REQUIRED)

# A library that ships only a pkg-config file.
function(lockstep_pkg_config_target target module)
  pkg_check_modules(${target} REQUIRED IMPORTED_TARGET ${module})
  add_library(${target} INTERFACE)
  target_link_libraries(${target} INTERFACE PkgConfig::${target})
endfunction()

# A library that is used through its headers alone.
function(lockstep_header_only_target target header)
  find_path(${target}_INCLUDE_DIR ${header} REQUIRED)
  mark_as_advanced(${target}_INCLUDE_DIR)
  add_library(${target} INTERFACE)
  target_include_directories(${target} SYSTEM INTERFACE ${${target}_INCLUDE_DIR})
endfunction()

# A library that is linked by its name: its pkg-config file asks for the development files of zlib,
# which the shared object brings itself.
function(lockstep_plain_target target header library)
  lockstep_header_only_target(${target} ${header})
  find_library(${target}_LIBRARY ${library} REQUIRED)
  mark_as_advanced(${target}_LIBRARY)
  target_link_libraries(${target} INTERFACE ${${target}_LIBRARY})
endfunction()

lockstep_pkg_config_target(lockstep_isal libisal)
lockstep_pkg_config_target(lockstep_zstd libzstd)
lockstep_pkg_config_target(lockstep_utf8proc libutf8proc)
lockstep_pkg_config_target(lockstep_sqlite sqlite3)

# Targets with the property LOCKSTEP_HOLDS_ZSTD have zstd inside. Where there is no static library of
# it, they need the shared one.
find_library(LOCKSTEP_ZSTD_ARCHIVE libzstd.a HINTS ${lockstep_zstd_LIBRARY_DIRS})
mark_as_advanced(LOCKSTEP_ZSTD_ARCHIVE)
if(LOCKSTEP_ZSTD_ARCHIVE)
  set(is_inside $<BOOL:$<TARGET_PROPERTY:LOCKSTEP_HOLDS_ZSTD>>)
  set_target_properties(lockstep_zstd PROPERTIES INTERFACE_LINK_LIBRARIES
    "$<IF:${is_inside},${LOCKSTEP_ZSTD_ARCHIVE},PkgConfig::lockstep_zstd>")
endif()

lockstep_header_only_target(lockstep_protozero protozero/pbf_reader.hpp)
lockstep_header_only_target(lockstep_xxhash xxhash.h)
target_compile_definitions(lockstep_xxhash INTERFACE XXH_INLINE_ALL)
lockstep_plain_target(lockstep_xlsxwriter xlsxwriter.h xlsxwriter)

# Stands in the tree: no distribution has its headers in a package of their own.
add_library(lockstep_llvm_demangle INTERFACE)
target_include_directories(lockstep_llvm_demangle SYSTEM INTERFACE
  ${PROJECT_SOURCE_DIR}/third_party/llvm-demangle/include)

if(LOCKSTEP_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck CONFIG REQUIRED)
  find_package(benchmark REQUIRED)
  find_package(Protobuf REQUIRED)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
endif()
