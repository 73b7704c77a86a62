# SPDX-License-Identifier: Apache-2.0
# What people read at the terminal: manual pages and completion, which the commands themselves are asked for, and the
# documents and examples. All of it lies in share/ of the build tree as it does in an installation.
set(share ${CMAKE_BINARY_DIR}/share)
set(tools ${PROJECT_SOURCE_DIR}/tools)
add_custom_target(lisle_manual ALL)
if(NOT CMAKE_CROSSCOMPILING) # commands of another machine cannot be asked here
  set(commands lislerun lisle-info)
  foreach(optional lisle-task lisle_tiles)
    if(TARGET ${optional})
      list(APPEND commands ${optional})
    endif()
  endforeach()
  add_custom_command(OUTPUT ${share}/stamp
    COMMAND ${Python3_EXECUTABLE} ${tools}/generate_manual.py ${CMAKE_BINARY_DIR}/bin ${share}/man ${PROJECT_VERSION}
    COMMAND ${Python3_EXECUTABLE} ${tools}/generate_completion.py ${CMAKE_BINARY_DIR}/bin ${share}
    COMMAND ${CMAKE_COMMAND} -E touch ${share}/stamp
    DEPENDS ${tools}/generate_manual.py ${tools}/generate_completion.py ${tools}/commands.py ${commands}
            ${PROJECT_SOURCE_DIR}/mpi/src/wrapper/compiler_wrapper.sh.in
    COMMENT "Writing manual pages and completion")
  add_custom_target(lisle_manual_pages DEPENDS ${share}/stamp)
  add_dependencies(lisle_manual lisle_manual_pages)
  foreach(folder man bash-completion zsh)
    install(DIRECTORY ${share}/${folder} DESTINATION ${CMAKE_INSTALL_DATADIR})
  endforeach()
endif()

# Documents keep their places, so that the links between them lead somewhere.
set(documents ${CMAKE_INSTALL_DATADIR}/doc/lisle)
install(FILES README.md CHANGELOG.md CONTRIBUTING.md LICENSE DESTINATION ${documents})
foreach(folder docs mpi/docs cxx/docs tasks/docs tiles/docs)
  install(DIRECTORY ${folder}/ DESTINATION ${documents}/${folder} FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.png")
endforeach()
foreach(product mpi cxx tasks tiles packaging)
  install(FILES ${product}/README.md DESTINATION ${documents}/${product})
endforeach()
install(DIRECTORY examples DESTINATION ${documents} PATTERN "CMakeLists.txt" EXCLUDE PATTERN "vscode" EXCLUDE)
file(MAKE_DIRECTORY ${share}/doc/lisle)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/examples ${share}/doc/lisle/examples SYMBOLIC)

# For environment modules (Tcl's and Lmod): it finds the prefix from its own place.
configure_file(cmake/modulefile.in ${CMAKE_BINARY_DIR}/packaging/modulefile @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/packaging/modulefile DESTINATION ${CMAKE_INSTALL_DATADIR}/modulefiles/lisle
  RENAME ${PROJECT_VERSION})
