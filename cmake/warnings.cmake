# SPDX-License-Identifier: Apache-2.0
# The flags of all of Lisle's own code: an interface target, so that installed users never see them.
add_library(lisle_flags INTERFACE)
# (Clang's -Wconversion would ask for signs, too, which GCC's leaves out in C++.)
target_compile_options(lisle_flags INTERFACE -Wall -Wextra -Wpedantic -Wconversion
  $<$<CXX_COMPILER_ID:GNU>:-Wshadow=local> $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-sign-conversion>
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual>)
if(LISLE_SANITIZE)
  # Not of targets with BEGINS_BEFORE_SANITIZER: ThreadSanitizer calls them before it can be told of functions.
  set(instrumented -fsanitize=${LISLE_SANITIZE})
  if(LISLE_SANITIZE STREQUAL "thread")
    set(instrumented $<$<NOT:$<BOOL:$<TARGET_PROPERTY:BEGINS_BEFORE_SANITIZER>>>:-fsanitize=thread>)
  endif()
  target_compile_options(lisle_flags INTERFACE ${instrumented} -fno-omit-frame-pointer)
  target_link_options(lisle_flags INTERFACE -fsanitize=${LISLE_SANITIZE})
endif()
