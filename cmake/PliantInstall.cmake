include(CMakePackageConfigHelpers)

install(TARGETS pliant EXPORT pliantTargets)
install(TARGETS pliant_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/pliant DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES include/pliant.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(PLIANT_SHARED)  # for programs in C; what a static library needs is told by the package of CMake alone
  # Relative to the file, so that an installation can be moved.
  file(RELATIVE_PATH pliant_prefix_of_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  configure_file(cmake/pliant.pc.in ${CMAKE_CURRENT_BINARY_DIR}/pliant.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/pliant.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
install(EXPORT pliantTargets NAMESPACE pliant:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/pliant)
configure_package_config_file(cmake/pliantConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/pliantConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/pliant)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/pliantConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/pliantConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/pliantConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/pliant)
