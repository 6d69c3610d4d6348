# `cmake --install`: the command, and the libraries with their headers for find_package(Pollux COMPONENTS ...).
# Two install components: `runtime` (the command and its documents) and `development`.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(pollux_libraries core proto ipc audit services echo ledger groupware)
foreach(library ${pollux_libraries})
  install(TARGETS pollux_${library} EXPORT PolluxTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
  get_target_property(source_dir pollux_${library} SOURCE_DIR)
  install(DIRECTORY ${source_dir}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
endforeach()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Pollux)
install(EXPORT PolluxTargets NAMESPACE pollux:: DESTINATION ${package_dir} COMPONENT development)
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/PolluxConfig.cmake.in ${PROJECT_BINARY_DIR}/PolluxConfig.cmake
  INSTALL_DESTINATION ${package_dir})
# While the major version is 0, a new minor version may break what was built on the one before.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/PolluxConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/PolluxConfig.cmake ${PROJECT_BINARY_DIR}/PolluxConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT development)

install(TARGETS pollux RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/docs/commands.md
              ${PROJECT_SOURCE_DIR}/docs/configuration.md ${PROJECT_SOURCE_DIR}/deploy/examples/pollux.toml
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
