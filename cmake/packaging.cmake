# SPDX-License-Identifier: Apache-2.0
# What is installed beside the programs: library, header, pkg-config file and CMake package. All of it can
# be moved as one directory. The build tree has the same shape: bin, include, lib.
include(CMakePackageConfigHelpers)

set_target_properties(mpi_abi PROPERTIES
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib
  EXPORT_NAME mpi)
# Position-independent programs are what thread ranks are made of.
target_compile_options(mpi_abi INTERFACE $<INSTALL_INTERFACE:-fPIC>)

# The C++ interface: the same library, and the language that its headers need.
add_library(lisle_cpp INTERFACE)
set_target_properties(lisle_cpp PROPERTIES EXPORT_NAME cpp)
target_compile_features(lisle_cpp INTERFACE cxx_std_20)
target_link_libraries(lisle_cpp INTERFACE mpi_abi)
# For programs of several files: the compiler reads the interface once for each target that links this, and every
# file of it begins with the interface, whether it says so or not.
add_library(lisle_cpp_precompiled INTERFACE)
set_target_properties(lisle_cpp_precompiled PROPERTIES EXPORT_NAME cpp_precompiled)
target_link_libraries(lisle_cpp_precompiled INTERFACE lisle_cpp)
target_precompile_headers(lisle_cpp_precompiled INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:<lisle/lisle.hpp$<ANGLE-R>>")

install(TARGETS mpi_abi lisle_cpp lisle_cpp_precompiled EXPORT LisleTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# Makefiles link with -lmpi or -lmpich, whatever the compiler wrapper adds: beside our library these names mean
# it, too. In a directory where another MPI has them they stay that one's.
set(library_dir ${CMAKE_INSTALL_LIBDIR})
foreach(name libmpi libmpich)
  set(alias ${name}${CMAKE_SHARED_LIBRARY_SUFFIX})
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
  file(CREATE_LINK libmpi_abi${CMAKE_SHARED_LIBRARY_SUFFIX} ${CMAKE_BINARY_DIR}/lib/${alias} SYMBOLIC)
  install(CODE "
    set(alias \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${library_dir}/${alias}\")
    if(EXISTS \"\${alias}\" AND NOT IS_SYMLINK \"\${alias}\")
      set(target other)
    elseif(IS_SYMLINK \"\${alias}\")
      file(READ_SYMLINK \"\${alias}\" target)
    else()
      set(target libmpi_abi${CMAKE_SHARED_LIBRARY_SUFFIX})
    endif()
    if(target STREQUAL \"libmpi_abi${CMAKE_SHARED_LIBRARY_SUFFIX}\")
      file(CREATE_LINK \${target} \"\${alias}\" SYMBOLIC)
    else()
      message(STATUS \"\${alias} belongs to another MPI and is left alone\")
    endif()")
endforeach()

install(FILES ${CMAKE_BINARY_DIR}/include/mpi.h ${CMAKE_BINARY_DIR}/include/mpix.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# The C++ interface consists of headers only; in the build tree they are where they are installed to.
# Installed ones are system headers to the compiler, by whatever way it finds them: a program's warnings (-Wshadow
# with a global called data) are about the program.
set(interface_folders ${PROJECT_SOURCE_DIR}/cxx/include/lisle)
if(LISLE_TASKS)
  list(APPEND interface_folders ${PROJECT_SOURCE_DIR}/tasks/include/lisle)
endif()
install(DIRECTORY ${interface_folders} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(CODE "
  file(GLOB_RECURSE headers \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}/lisle/*.hpp\")
  foreach(header IN LISTS headers)
    file(READ \"\${header}\" text)
    string(REPLACE \"#pragma once\n\" \"#pragma once\n#pragma GCC system_header\n\" text \"\${text}\")
    file(WRITE \"\${header}\" \"\${text}\")
  endforeach()")
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/include/lisle)
foreach(folder IN LISTS interface_folders)
  file(GLOB entries CONFIGURE_DEPENDS ${folder}/*)
  foreach(entry IN LISTS entries)
    get_filename_component(name ${entry} NAME)
    file(CREATE_LINK ${entry} ${CMAKE_BINARY_DIR}/include/lisle/${name} SYMBOLIC)
  endforeach()
endforeach()

file(RELATIVE_PATH LISLE_PC_TO_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/lisle.pc.in ${CMAKE_BINARY_DIR}/packaging/lisle.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/packaging/lisle.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The names by which projects ask for any MPI, a language each, as Open MPI has them.
function(lisle_install_pkg_config name language procedures)
  configure_file(cmake/mpi.pc.in ${CMAKE_BINARY_DIR}/packaging/${name}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/packaging/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
lisle_install_pkg_config(mpi-c C "")
lisle_install_pkg_config(mpi-cxx C++ "")
if(LISLE_FORTRAN)
  lisle_install_pkg_config(mpi-fort Fortran "-lmpi_fortran ")
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Lisle)
# Files of this name are found by find_package(Lisle) and find_package(lisle).
install(EXPORT LisleTargets NAMESPACE Lisle:: DESTINATION ${package_dir})
configure_package_config_file(cmake/lisle-config.cmake.in ${CMAKE_BINARY_DIR}/packaging/lisle-config.cmake
  INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/packaging/lisle-config-version.cmake
  COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_BINARY_DIR}/packaging/lisle-config.cmake
              ${CMAKE_BINARY_DIR}/packaging/lisle-config-version.cmake
  DESTINATION ${package_dir})
