# SPDX-License-Identifier: MIT
# What is installed: the libraries, the headers, a package for find_package and one for pkg-config.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/deed)

install(TARGETS deed EXPORT deed-targets FILE_SET HEADERS)
if(TARGET deed_static)
    install(TARGETS deed_static) # for people who link by hand; the package knows the shared one
endif()
install(EXPORT deed-targets NAMESPACE deed:: DESTINATION ${package_dir})

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/deed-config.cmake.in
    ${PROJECT_BINARY_DIR}/deed-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/deed-config-version.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES
    ${PROJECT_BINARY_DIR}/deed-config.cmake
    ${PROJECT_BINARY_DIR}/deed-config-version.cmake
    DESTINATION ${package_dir})

configure_file(${CMAKE_CURRENT_LIST_DIR}/deed.pc.in ${PROJECT_BINARY_DIR}/deed.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/deed.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
