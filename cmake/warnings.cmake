# SPDX-License-Identifier: Apache-2.0
# The flags of all of Lisle's own code: an interface target, so that installed users never see them.
add_library(lisle_flags INTERFACE)
target_compile_options(lisle_flags INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow=local
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual>)
if(LISLE_SANITIZE)
  target_compile_options(lisle_flags INTERFACE -fsanitize=${LISLE_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(lisle_flags INTERFACE -fsanitize=${LISLE_SANITIZE})
endif()
