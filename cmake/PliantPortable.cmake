# What a portable package holds (scripts/wheel): the extension and the command once, for every processor of x86-64-v2, and the
# library for several instruction sets in the folders where glibc's loader looks for the best one that the processor has:
#
#   pliant/lib/libpliant.so.0.1                              x86-64-v2
#   pliant/lib/glibc-hwcaps/x86-64-v3/libpliant.so.0.1       AVX2, FMA
#   pliant/lib/glibc-hwcaps/x86-64-v4/libpliant.so.0.1       AVX-512
#
# Nothing in the code chooses; Python and the command get the same library, hence the same bytes.
set(soname $<TARGET_SONAME_FILE_NAME:pliant>)
install(FILES $<TARGET_FILE:pliant> DESTINATION pliant/lib RENAME ${soname} COMPONENT python
        PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
foreach(variant ${PLIANT_VARIANTS})
  string(REGEX MATCH "^([^=]+)=(.+)$" matched ${variant})
  if(NOT matched)
    message(FATAL_ERROR "PLIANT_VARIANTS: expected LEVEL=FILE, got '${variant}'")
  endif()
  install(FILES ${CMAKE_MATCH_2} DESTINATION pliant/lib/glibc-hwcaps/${CMAKE_MATCH_1} RENAME ${soname} COMPONENT python
          PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
endforeach()
set_target_properties(pliant_core PROPERTIES INSTALL_RPATH "$ORIGIN/lib" INSTALL_RPATH_USE_LINK_PATH OFF)

# The command lies in the package, beside its library; a script calls it.
set_target_properties(pliant_cli PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")
add_dependencies(pliant_python pliant_cli)
install(TARGETS pliant_cli RUNTIME DESTINATION pliant/bin COMPONENT python)
if(SKBUILD_SCRIPTS_DIR)
  install(PROGRAMS ${PROJECT_SOURCE_DIR}/packaging/wheel/pliant DESTINATION ${SKBUILD_SCRIPTS_DIR} COMPONENT python)
endif()
