# SPDX-License-Identifier: Apache-2.0
# What the tests of all products have in common.

# Tests are compiled once and run for moments: what the compiler would spend on speed and on the description of
# types is most of the time of a whole build. (-g1 keeps lines of the source in reports.)
if(NOT LISLE_SANITIZE)
  add_compile_options($<$<CONFIG:RelWithDebInfo>:-O1> $<$<CONFIG:RelWithDebInfo>:-g1>)
endif()

# lisle_choose_one(result name entry...): one of the entries, which depends on the name alone: of many tests,
# each entry has its share.
function(lisle_choose_one result name)
  string(MD5 digest ${name})
  string(SUBSTRING ${digest} 0 6 digest)
  math(EXPR index "0x${digest} % (${ARGC} - 2)")
  list(GET ARGN ${index} entry)
  set(${result} ${entry} PARENT_SCOPE)
endfunction()

# lisle_build_for_long_tests(group label...): a group of programs that only long tests run. They are not built with the rest:
# the first of those tests builds them all.
function(lisle_build_for_long_tests group)
  add_custom_target(${group})
  add_test(NAME build.${group} COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --target ${group})
  set_tests_properties(build.${group} PROPERTIES LABELS "${ARGN};long" TIMEOUT 900 FIXTURES_SETUP ${group})
endfunction()
# lisle_belongs_to(group program test...): the program, and the tests that run it.
function(lisle_belongs_to group program)
  set_target_properties(${program} PROPERTIES EXCLUDE_FROM_ALL ON)
  add_dependencies(${group} ${program})
  set_tests_properties(${ARGN} PROPERTIES FIXTURES_REQUIRED ${group})
endfunction()

# Limits in seconds. A test of a few dozen short jobs ends in seconds; under a sanitizer, on a loaded machine, it takes
# minutes.
set(few_minutes 120)
set(some_minutes 300)
if(LISLE_SANITIZE)
  set(few_minutes 600)
  set(some_minutes 1500)
endif()

find_package(GTest REQUIRED)
include(GoogleTest)

# lisle_add_test_folders(): every sub-folder that has a list of tests.
macro(lisle_add_test_folders)
  file(GLOB folders CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} */CMakeLists.txt)
  foreach(file IN LISTS folders)
    get_filename_component(folder ${file} DIRECTORY)
    add_subdirectory(${folder})
  endforeach()
endmacro()
