# SPDX-License-Identifier: Apache-2.0
# Half of what compiling a file of Lisle costs is reading the C++ library's headers: targets of many files, and targets
# that are compiled alike, read them once. Every file includes what it uses all the same, which the sanitized builds
# prove: they go without, unless LISLE_TOGETHER asks for haste.
# (ccache keeps the results with CCACHE_SLOPPINESS=pch_defines,time_macros.)
option(LISLE_PRECOMPILE "Read the C++ library's headers once for many files" ON)
if(LISLE_SANITIZE AND NOT LISLE_TOGETHER)
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

# GCC looks for memory that it can use again whenever it has used some more: a tenth of its time, for a few hundred
# megabytes that a machine has.
add_compile_options("$<$<COMPILE_LANG_AND_ID:CXX,GNU>:SHELL:--param ggc-min-heapsize=500000>")

# lisle_hide_names(target [LONG|COLD]): for code whose names no user sees. The common headers are read once for all such
# targets, and once for those that are LONG, and for those that are COLD: see there.
function(lisle_hide_names target)
  set(headers lisle_headers)
  if("LONG" IN_LIST ARGN)
    set(headers lisle_long_headers)
    lisle_is_long(${target})
  elseif("COLD" IN_LIST ARGN)
    set(headers lisle_cold_headers)
    lisle_is_cold(${target})
  endif()
  target_compile_options(${target} PRIVATE -fvisibility=hidden -fvisibility-inlines-hidden)
  if(LISLE_PRECOMPILE)
    if(NOT TARGET ${headers})
      file(WRITE ${PROJECT_BINARY_DIR}/headers.cpp "")
      add_library(${headers} OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/headers.cpp)
      target_compile_options(${headers} PRIVATE -fvisibility=hidden -fvisibility-inlines-hidden)
      target_link_libraries(${headers} PRIVATE lisle_flags)
      lisle_precompile(${headers})
      if("LONG" IN_LIST ARGN)
        lisle_is_long(${headers})
      elseif("COLD" IN_LIST ARGN)
        lisle_is_cold(${headers})
      endif()
    endif()
    target_precompile_headers(${target} REUSE_FROM ${headers})
  endif()
endfunction()

# lisle_compile_together(target): sixteen of its files at a time, which read their headers once: half of the work. One of
# them sees what another includes, or names in an anonymous namespace: clang-tidy and the other presets take each alone.
option(LISLE_TOGETHER "Compile several files of the library as one" OFF)
function(lisle_compile_together target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${LISLE_TOGETHER} UNITY_BUILD_BATCH_SIZE 16)
endfunction()

# lisle_is_long(target): GCC inlines less in what is long, which made collectives of fibers a fifth slower: sixteen files
# of the library that carries messages may be as long as sixteen of those that it does not call long. It takes a third
# more time, so the others do without.
function(lisle_is_long target)
  if(LISLE_TOGETHER)
    target_compile_options(${target} PRIVATE
      "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:SHELL:--param large-unit-insns=160000>")
  endif()
endfunction()

# lisle_is_cold(target): programs that start, watch or describe what others do, and wait most of the time. GCC takes a
# quarter less for them when it does not look for the last percent of their speed.
function(lisle_is_cold target)
  if(NOT LISLE_SANITIZE)
    target_compile_options(${target} PRIVATE "$<$<CONFIG:RelWithDebInfo>:-O1>")
  endif()
endfunction()

# lisle_compile_briefly(file...): files that only read a command's options, with templates of a library: what the
# compiler would spend on their speed is most of their time.
function(lisle_compile_briefly)
  if(NOT LISLE_SANITIZE)
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:RelWithDebInfo>:-O0>")
  endif()
endfunction()

# lisle_link_quickly(target): for programs of tests, of which there are hundreds: gold takes half of the time that GNU's
# other linker takes.
include(CheckLinkerFlag)
check_linker_flag(CXX -fuse-ld=gold LISLE_HAS_GOLD)
function(lisle_link_quickly target)
  if(LISLE_HAS_GOLD)
    target_link_options(${target} PRIVATE -fuse-ld=gold)
  endif()
endfunction()
