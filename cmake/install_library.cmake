# liblockstep for C++ programs of others: what reads traces and answers questions of them, without the
# reports, the command line and its signal handlers.
#
# Targets lockstep_shared and lockstep_static, both made of the objects that the program is made of;
# nothing is compiled twice. They and their headers, CMake package and pkg-config file are the install
# component "library", which 'cmake --install' alone leaves out and 'make install' adds.

get_property(members GLOBAL PROPERTY LOCKSTEP_LIBRARIES)
list(FILTER members INCLUDE REGEX "^lockstep_(base|io|trace|algo|formats|analysis)(_|$)")
list(REMOVE_ITEM members lockstep_io_ending_signals)

set(objects)
foreach(member IN LISTS members)
  get_target_property(type ${member} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    list(APPEND objects $<TARGET_OBJECTS:${member}>)
  endif()
endforeach()

add_library(lockstep_static STATIC EXCLUDE_FROM_ALL ${objects})
add_library(lockstep_shared SHARED EXCLUDE_FROM_ALL ${objects})
set_target_properties(lockstep_static lockstep_shared PROPERTIES
  OUTPUT_NAME lockstep
  LINKER_LANGUAGE CXX
  ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})

# No interface stays the same from one minor version to the next before 1.0.
set(lockstep_soversion ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(version_script ${CMAKE_CURRENT_LIST_DIR}/liblockstep.map)
set_target_properties(lockstep_shared PROPERTIES
  VERSION ${PROJECT_VERSION}
  SOVERSION ${lockstep_soversion}
  LINK_DEPENDS ${version_script})
target_link_options(lockstep_shared PRIVATE
  LINKER:--version-script=${version_script} LINKER:--as-needed)
if(NOT LOCKSTEP_SANITIZE)  # whose own names are found in the program
  target_link_options(lockstep_shared PRIVATE LINKER:-z,defs)
endif()
target_link_libraries(lockstep_shared PRIVATE
  fmt::fmt simdjson::simdjson lockstep_isal lockstep_sqlite lockstep_zstd Threads::Threads
  lockstep_hardening)

# Where the test of the installed library runs, everything that it installs is built before.
if(LOCKSTEP_TESTS AND LOCKSTEP_DIST_TEST AND NOT LOCKSTEP_SANITIZE)
  set_target_properties(lockstep_static lockstep_shared PROPERTIES EXCLUDE_FROM_ALL OFF)
endif()

install(TARGETS lockstep_static lockstep_shared
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library EXCLUDE_FROM_ALL
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library EXCLUDE_FROM_ALL)

install(CODE "
  set(source \"${PROJECT_SOURCE_DIR}/src\")
  set(device \"${PROJECT_SOURCE_DIR}/device/include\")
  set(stage \"${PROJECT_BINARY_DIR}/installed_headers\")
  set(target \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}\")
  include(\"${CMAKE_CURRENT_LIST_DIR}/install_headers.cmake\")"
  COMPONENT library EXCLUDE_FROM_ALL)

include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/lockstep)
configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/lockstep-config.cmake.in ${PROJECT_BINARY_DIR}/lockstep-config.cmake
  INSTALL_DESTINATION ${package_folder}
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR
  NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/lockstep-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/lockstep-config.cmake
  ${PROJECT_BINARY_DIR}/lockstep-config-version.cmake
  DESTINATION ${package_folder} COMPONENT library EXCLUDE_FROM_ALL)

set(pkg_config_folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
cmake_path(RELATIVE_PATH PROJECT_SOURCE_DIR OUTPUT_VARIABLE prefix_of_pkg_config
  BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/${pkg_config_folder})
configure_file(${CMAKE_CURRENT_LIST_DIR}/lockstep.pc.in ${PROJECT_BINARY_DIR}/lockstep.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/lockstep.pc
  DESTINATION ${pkg_config_folder} COMPONENT library EXCLUDE_FROM_ALL)
