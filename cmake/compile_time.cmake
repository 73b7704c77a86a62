# SPDX-License-Identifier: Apache-2.0
# Half of what compiling a file of Lisle costs is reading the C++ library's headers: targets of many files read
# them once. Every file includes what it uses all the same, which the sanitized builds prove: they go without.
# (ccache keeps the results with CCACHE_SLOPPINESS=pch_defines,time_macros.)
option(LISLE_PRECOMPILE "Read the C++ library's headers once for each target" ON)
if(LISLE_SANITIZE)
  set(LISLE_PRECOMPILE OFF)
endif()
set(LISLE_COMMON_HEADERS <algorithm> <array> <atomic> <chrono> <cstdint> <cstring> <functional> <map> <memory> <mutex>
  <optional> <span> <string> <string_view> <unordered_map> <utility> <vector>)

# lisle_precompile(target [header...]): the common headers, and those named.
function(lisle_precompile target)
  if(LISLE_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE ${LISLE_COMMON_HEADERS} ${ARGN})
  endif()
endfunction()

# lisle_compile_together(target): eight of its files at a time, which read their headers once: half of the work. One of
# them sees what another includes, or names in an anonymous namespace: clang-tidy and the other presets take each alone.
option(LISLE_TOGETHER "Compile several files of the library as one" OFF)
function(lisle_compile_together target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${LISLE_TOGETHER} UNITY_BUILD_BATCH_SIZE 8)
endfunction()

# lisle_compile_briefly(file...): files that only read a command's options, with templates of a library: what the
# compiler would spend on their speed is most of their time.
function(lisle_compile_briefly)
  if(NOT LISLE_SANITIZE)
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:RelWithDebInfo>:-O0>")
  endif()
endfunction()
