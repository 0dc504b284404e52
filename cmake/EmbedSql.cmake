# SPDX-License-Identifier: MIT
# Turns numbered SQL files into one C file, so that the library needs no data path at run time.
# Included, it defines deed_embed_sql(); run as a script (cmake -P), it writes the C file.
#
#   deed_embed_sql(<output.c> DIALECT <name> FILES <NNNN_name.sql>...)
#
# The output defines what stores/migrations.h declares for the dialect.

if(NOT CMAKE_SCRIPT_MODE_FILE)
    set(DEED_EMBED_SQL_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

    function(deed_embed_sql output)
        cmake_parse_arguments(PARSE_ARGV 1 arg "" "DIALECT" "FILES")
        set(folder ${PROJECT_SOURCE_DIR}/migrations/${arg_DIALECT})
        list(TRANSFORM arg_FILES PREPEND ${folder}/ OUTPUT_VARIABLE paths)
        list(JOIN arg_FILES "|" names) # a list would be taken apart on the command line
        add_custom_command(OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${output}
            COMMAND ${CMAKE_COMMAND} -DDIALECT=${arg_DIALECT} -DFOLDER=${folder}
                "-DFILES=${names}" -DOUTPUT=${CMAKE_CURRENT_BINARY_DIR}/${output}
                -P ${DEED_EMBED_SQL_SCRIPT}
            DEPENDS ${paths} ${DEED_EMBED_SQL_SCRIPT}
            COMMENT "Embedding ${arg_DIALECT} migrations"
            VERBATIM)
    endfunction()
    return()
endif()

string(REPLACE "|" ";" files "${FILES}")
set(texts "")
set(rows "")
set(expected 0)
foreach(file IN LISTS files)
    math(EXPR expected "${expected} + 1")
    if(NOT file MATCHES "^([0-9][0-9][0-9][0-9])_([a-z0-9_]+)\\.sql$")
        message(FATAL_ERROR "${file}: a migration is named NNNN_name.sql, name in [a-z0-9_]")
    endif()
    set(digits ${CMAKE_MATCH_1})
    set(name ${CMAKE_MATCH_2})
    string(REGEX REPLACE "^0+" "" number ${digits})
    if(NOT number EQUAL expected)
        message(FATAL_ERROR "${file}: number ${expected} is next; numbers have no gaps")
    endif()

    # Bytes, not a string literal: no escaping to get wrong, and no limit of 4095 characters.
    file(READ ${FOLDER}/${file} hex HEX)
    file(SHA256 ${FOLDER}/${file} sha256)
    string(REGEX REPLACE "(................................)" "\\1\n    " hex "${hex}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
    string(APPEND texts
        "static const unsigned char sql_${digits}[] = {\n    ${bytes}\n    0x00};\n\n")
    string(APPEND rows
        "    {${number}, \"${name}\",\n        \"${sha256}\",\n"
        "        (const char *)sql_${digits}},\n")
endforeach()

file(WRITE ${OUTPUT}
    "/* Written by cmake/EmbedSql.cmake from migrations/${DIALECT}; edits are lost. */\n"
    "#include \"migrations.h\"\n\n"
    "${texts}"
    "const struct deed_migration deed__${DIALECT}_migrations[] = {\n"
    "${rows}"
    "    {0, NULL, NULL, NULL}};\n"
    "const size_t deed__${DIALECT}_migration_count = ${expected};\n")
