#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Calls that have a better one, with its name; and in core/ those that would reach the machine.
set -euo pipefail
cd "$DEED_SOURCE_DIR"

bad=0

# $1 a function, $2 what to call instead, then the folders.
ban() {
    local function=$1 instead=$2
    shift 2
    # A call, not a member or a longer name; comments start with * or /* and are passed over.
    if grep -rnE --include='*.[ch]' "(^|[^a-zA-Z0-9_>.\"])$function\(" "$@" |
        grep -vE '^[^:]*:[0-9]*: *(\*|/\*)'; then
        echo "    $function: $instead"
        bad=1
    fi
}

product=(include core stores executors mocks cli)
ban strcpy "memcpy with a length that was checked" "${product[@]}"
ban strcat "write at a known offset, or snprintf" "${product[@]}"
ban sprintf "snprintf" "${product[@]}"
ban strtok "strtok_r, or strcspn" "${product[@]}"
ban atoi "strtol with a check of its end" "${product[@]}"
ban gmtime "gmtime_r" "${product[@]}"
ban localtime "times are UTC: gmtime_r" "${product[@]}"
ban system "posix_spawn" "${product[@]}"
ban popen "posix_spawn with a pipe" "${product[@]}"
ban alloca "an array of a known size, or the allocator" "${product[@]}"

ban malloc "the ledger's allocator" core
ban calloc "the ledger's allocator" core
ban realloc "the ledger's allocator" core
ban free "the ledger's allocator" core
ban getenv "an option: core reads no environment" core
ban time "the ledger's clock" core
ban clock_gettime "the ledger's clock" core
ban printf "an error or a result: the library prints nothing" core
ban fprintf "an error or a result: the library prints nothing" core
ban fopen "core reads no files" core
ban abort "DEED_E_MISUSE or DEED_E_CHECK: the library does not kill its host" core stores executors
ban exit "a return code: the library does not kill its host" core stores executors
exit $bad
