# What `cmake --install` puts where: headers, both libraries in both forms, the tool, CMake and pkg-config files, man page, completions.
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/pliant)
# Headers of the runtime, and those of the lab where it is built.
pliant_header_list(headers runtime)

# pliant_install_library(NAME EXPORTED set): shared and static form of a library, as pliant::EXPORTED and pliant::EXPORTED-static.
function(pliant_install_library name exported set)
  set_target_properties(${name} PROPERTIES EXPORT_NAME ${exported})
  set_target_properties(${name}-static PROPERTIES EXPORT_NAME ${exported}-static)
  install(TARGETS ${name} ${name}-static EXPORT ${set}
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT ${set} NAMESPACE pliant:: DESTINATION ${package_folder})
endfunction()

# pliant_install_pc(NAME): cmake/NAME.pc.in, found from its own place so that an installed tree may be moved.
function(pliant_install_pc name)
  file(RELATIVE_PATH PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  string(REGEX REPLACE "/$" "" PC_PREFIX ${PC_PREFIX})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

if(TARGET pliant)
  pliant_install_library(pliant pliant pliantTargets)
  pliant_install_pc(pliant)
endif()
if(TARGET pliant-lab)
  pliant_install_library(pliant-lab lab pliantLabTargets)
  pliant_install_pc(pliant-lab)
  pliant_header_list(lab_headers lab)
  list(APPEND headers ${lab_headers} pliant.h)
endif()
if(TARGET pliant-python)
  install(TARGETS pliant-python LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT python EXCLUDE_FROM_ALL)
endif()
if(TARGET pliant-tool)
  install(TARGETS pliant-tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(DIRECTORY scenes/ DESTINATION ${CMAKE_INSTALL_DATADIR}/pliant/scenes OPTIONAL)
  install(FILES ${PROJECT_BINARY_DIR}/manual/pliant.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${PROJECT_BINARY_DIR}/manual/pliant.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME pliant)
  install(FILES ${PROJECT_BINARY_DIR}/manual/_pliant DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${PROJECT_BINARY_DIR}/manual/pliant.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

list(TRANSFORM headers PREPEND ${PROJECT_SOURCE_DIR}/include/pliant/)
install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/pliant)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md" PATTERN "*.json" PATTERN "*.png" PATTERN "*.webp")

configure_package_config_file(cmake/pliantConfig.cmake.in pliantConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(pliantConfigVersion.cmake VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/pliantConfig.cmake ${PROJECT_BINARY_DIR}/pliantConfigVersion.cmake DESTINATION ${package_folder})
