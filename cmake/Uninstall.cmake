# SPDX-License-Identifier: MIT
# Removes what the last `cmake --install` of this build put where, and those folders of it that bear
# our name. Other folders (bin, lib, share) are everybody's and stay. Runs in the build folder.
if(NOT EXISTS install_manifest.txt)
    message(FATAL_ERROR "Nothing to uninstall: ${CMAKE_CURRENT_BINARY_DIR} has no "
        "install_manifest.txt, so nothing was installed from here, or it was removed already.")
endif()
file(STRINGS install_manifest.txt files)

set(folders "")
foreach(file IN LISTS files)
    set(path $ENV{DESTDIR}${file})
    if(EXISTS ${path} OR IS_SYMLINK ${path})
        message(STATUS "Removing: ${path}")
        file(REMOVE ${path})
        if(EXISTS ${path} OR IS_SYMLINK ${path})
            message(FATAL_ERROR "${path} cannot be removed; what comes after it is still there. "
                "Try again with the rights you installed it with.")
        endif()
    endif()
    cmake_path(GET path PARENT_PATH folder)
    while(folder MATCHES "/deed(/|$)" AND NOT folder STREQUAL "$ENV{DESTDIR}")
        list(APPEND folders ${folder})
        cmake_path(GET folder PARENT_PATH folder)
    endwhile()
endforeach()

list(REMOVE_DUPLICATES folders)
list(SORT folders ORDER DESCENDING) # the inner ones first
foreach(folder IN LISTS folders)
    file(GLOB left LIST_DIRECTORIES true ${folder}/*)
    if(IS_DIRECTORY ${folder} AND left STREQUAL "")
        file(REMOVE_RECURSE ${folder})
    endif()
endforeach()
file(REMOVE install_manifest.txt)
