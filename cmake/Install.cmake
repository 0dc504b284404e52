# SPDX-License-Identifier: MIT
# What is installed, all of it: the libraries, their headers, what finds them (CMake, pkg-config), the
# command and what it prints about itself. Packages install what this installs (packaging/).
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/deed)
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# ---- libraries ----------------------------------------------------------------------------------

# One component of the CMake package for each library, and one file of targets for each component, so
# that who asks for one needs nothing of the others.
set(package_components "")
foreach(target deed deed_mocks deed_static deed_mocks_static)
    if(TARGET ${target})
        get_target_property(component ${target} EXPORT_NAME)
        list(APPEND package_components ${component})
        install(TARGETS ${target} EXPORT deed-targets-${component} FILE_SET HEADERS)
        install(EXPORT deed-targets-${component} NAMESPACE deed:: DESTINATION ${package_dir})
    endif()
endforeach()

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/deed-config.cmake.in
    ${PROJECT_BINARY_DIR}/deed-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/deed-config-version.cmake
    COMPATIBILITY SameMinorVersion) # docs/reference/versions.md
install(FILES
    ${PROJECT_BINARY_DIR}/deed-config.cmake
    ${PROJECT_BINARY_DIR}/deed-config-version.cmake
    DESTINATION ${package_dir})

# A .pc file finds the tree it lies in, so that the tree may be moved, or installed with --prefix.
set(pc_prefix ${CMAKE_INSTALL_PREFIX})
set(pc_libdir ${CMAKE_INSTALL_FULL_LIBDIR})
set(pc_includedir ${CMAKE_INSTALL_FULL_INCLUDEDIR})
if(NOT IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR} AND NOT IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR})
    file(RELATIVE_PATH up /${pkgconfig_dir} /)
    string(REGEX REPLACE "/$" "" up "${up}")
    set(pc_prefix "\${pcfiledir}/${up}")
    set(pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
    set(pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
foreach(name deed deed-mocks)
    configure_file(${CMAKE_CURRENT_LIST_DIR}/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${pkgconfig_dir})
endforeach()

# ---- the command --------------------------------------------------------------------------------

install(TARGETS deed_cli)
install(FILES # of the configuration, for editors, and of what --json prints
    docs/reference/config.schema.json
    docs/reference/output.schema.json
    DESTINATION ${CMAKE_INSTALL_DATADIR}/deed)
if(TARGET deed_pages) # its manual and the completion of bash, as it prints them
    install(FILES ${PROJECT_BINARY_DIR}/deed.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES ${PROJECT_BINARY_DIR}/deed.bash RENAME deed
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
endif()

# ---- programs of the crash kit ------------------------------------------------------------------

# `deed NAME` runs deed-NAME, which lies beside it. Their options are in their --help; the manual is
# that of the command.
foreach(program mock-provider crashtest simulate)
    string(REPLACE "-" "_" target deed_${program})
    install(TARGETS ${target})
    file(WRITE ${PROJECT_BINARY_DIR}/deed-${program}.1 ".so man1/deed.1\n")
    if(TARGET deed_pages)
        install(FILES ${PROJECT_BINARY_DIR}/deed-${program}.1
            DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    endif()
endforeach()

# What deed-crashtest preloads into the program it tests; it looks for it here.
install(TARGETS deed_crashtest_preload DESTINATION ${CMAKE_INSTALL_LIBDIR}/deed)

# ---- and back -----------------------------------------------------------------------------------

# Not where a tree that holds ours has an `uninstall` of its own.
if(PROJECT_IS_TOP_LEVEL)
    add_custom_target(uninstall
        COMMAND ${CMAKE_COMMAND} -P ${CMAKE_CURRENT_LIST_DIR}/Uninstall.cmake
        WORKING_DIRECTORY ${PROJECT_BINARY_DIR} VERBATIM)
endif()
