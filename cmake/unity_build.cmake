# With LOCKSTEP_UNITY the sources of a library are compiled several at once. Most of the time that a
# source takes goes into the headers that all of them include, so that a build from nothing takes a
# third of the time; a change takes longer. The presets of sanitizers do so: CI builds them once.

# Sources, seen from the top, with names in their unnamed namespaces that other sources of their
# library have too. Errors such as "redefinition of" in this build alone mean: add the file here.
set(LOCKSTEP_COMPILED_ALONE
  src/algo/assignment.cpp
  src/algo/sequences/edit_distance.cpp
  src/algo/statistics/statistics.cpp
  src/algo/statistics/value_bag.cpp
  src/analysis/anomalies/verdict/rest_findings.cpp
  src/analysis/anomalies/verdict/stall_findings.cpp
  src/analysis/anomalies/structure/structure.cpp
  src/analysis/cycles/nest/loop_candidates.cpp
  src/analysis/cycles/nest/loop_cover.cpp
  src/analysis/cycles/nest/loop_growth.cpp
  src/analysis/cycles/nest/loop_level.cpp
  src/analysis/cycles/nest/nest_finder.cpp
  src/analysis/cycles/phases/phases.cpp
  src/analysis/cycles/nest/recurring_passes.cpp
  src/analysis/cycles/nest/sibling_passes.cpp
  src/analysis/kernel_profile/regions/lane_regions.cpp
  src/analysis/kernel_profile/regions/lane_walk.cpp
  src/analysis/kernels/role.cpp
  src/analysis/kernels/role_table.cpp
  src/analysis/kernels/signature.cpp
  src/formats/ascend_sqlite/device_rows.cpp
  src/formats/ascend_sqlite/host_rows.cpp
  src/formats/ascend_text/ascend_text_reader.cpp
  src/formats/ascend_text/communication_json.cpp
  src/formats/chrome_json/dialects/lane_roles.cpp
  src/formats/kernel_profile/other_tools/ikp_buffer.cpp
  src/formats/kernel_profile/other_tools/ikp_json.cpp
  src/formats/kernel_profile/other_tools/proton_buffer.cpp
  src/formats/kernel_profile/other_tools/strided_buffer.cpp
  src/formats/nsys_sqlite/host_rows.cpp
  src/formats/perfetto/decode/track_event_decoder.cpp
  src/formats/sqlite/sqlite_file.cpp
  src/formats/xspace/read/space_index.cpp
  src/formats/xspace/read/space_survey.cpp
  src/io/input.cpp
  src/io/zstd_source.cpp
  src/report/anomalies/anomalies_structure_page.cpp
  src/report/compare/compare_text.cpp
  src/report/compare/compare_xlsx.cpp
  src/report/cycles/cycles_annotate.cpp
  src/report/cycles/cycles_text.cpp
  src/report/cycles/cycles_view.cpp
  src/report/cycles/cycles_xlsx.cpp
  src/report/info/device_text.cpp
  src/report/anomalies/gap_drawing.cpp
  src/report/info/health_text.cpp
  src/report/info/info_text.cpp
  src/report/sinks/json_text.cpp
  src/report/kernel/kernel_json.cpp
  src/report/kernel/kernel_text.cpp
  src/report/kernel/kernel_timeline_text.cpp
  src/report/cycles/loop_tree_text.cpp
  src/report/layout/page.cpp
  src/report/layout/paragraph.cpp
  src/report/layout/quantities.cpp
  src/report/info/source_text.cpp
  src/report/layout/table.cpp)

function(lockstep_unity_build target)
  if(NOT LOCKSTEP_UNITY)
    return()
  endif()
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source NORMALIZE OUTPUT_VARIABLE path)
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    if(path IN_LIST LOCKSTEP_COMPILED_ALONE)
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
endfunction()
