# SPDX-License-Identifier: Apache-2.0
# Debug information of what is installed, and __FILE__, name sources from the root of the tree, and what the build wrote as
# if it lay in build/release: builds at two places give the same bytes, also after they are stripped, since the identifier
# of a build is made of all of it. gdb finds the sources when it starts in the root; elsewhere `directory ROOT` tells it.
option(LISLE_RELATIVE_PATHS "Leave the places of sources and build out of what is installed" OFF)

# lisle_leave_out_places(): for the targets of this folder and of those in it. (A path to the library in the build would leave
# its length behind in what is installed.)
function(lisle_leave_out_places)
  set(CMAKE_BUILD_RPATH_USE_ORIGIN ON PARENT_SCOPE)
  if(LISLE_RELATIVE_PATHS)
    # Of several that fit, compilers take the last.
    add_compile_options(-ffile-prefix-map=${PROJECT_SOURCE_DIR}=. -ffile-prefix-map=${PROJECT_BINARY_DIR}=./build/release)
  endif()
endfunction()
