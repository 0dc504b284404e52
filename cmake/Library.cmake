# SPDX-License-Identifier: MIT
# What the libraries we install have in common.

#   deed_library_properties(<target> <name of the file> <name in the CMake package>)
function(deed_library_properties target output_name export_name)
    set_target_properties(${target} PROPERTIES
        OUTPUT_NAME ${output_name}
        EXPORT_NAME ${export_name}
        LINKER_LANGUAGE C
        ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
        LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
        VERSION ${PROJECT_VERSION}
        SOVERSION ${PROJECT_VERSION_MAJOR}) # what it promises: docs/reference/versions.md
    get_target_property(type ${target} TYPE)
    # A sanitizer's functions are found in the program, not in the library.
    if(type STREQUAL "SHARED_LIBRARY" AND NOT DEED_SANITIZE)
        target_link_options(${target} PRIVATE -Wl,--no-undefined)
    endif()
endfunction()
