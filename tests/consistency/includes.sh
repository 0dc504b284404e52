#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# No layer includes what it must not know. The include paths of the build stop most of it; this also
# stops headers of the system and of third parties, which every layer could reach.
set -euo pipefail
cd "$DEED_SOURCE_DIR"

bad=0

complain() {
    echo "$1"
    bad=1
}

# $1 layer, $2 the <headers> it may include, as an extended regular expression.
check_layer() {
    local layer=$1 allowed=$2 file line header
    while IFS=: read -r file line header; do
        case $header in
        '"'*)
            header=${header//\"/}
            [[ -e $layer/$header && $header != *..* ]] ||
                complain "$file:$line: \"$header\" is not a header of $layer/"
            ;;
        '<deed/'*) ;;
        *)
            header=${header//[<>]/}
            [[ $header =~ ^($allowed)$ ]] || complain "$file:$line: $layer/ must not know <$header>"
            ;;
        esac
    done < <(grep -rnoE --include='*.[ch]' '^ *# *include *["<][^">]*[">]' "$layer" |
        sed -E 's/# *include *//; s/: *(["<])/:\1/')
}

iso='(assert|ctype|errno|inttypes|limits|setjmp|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|string)\.h'
posix='(dirent|dlfcn|fcntl|fnmatch|getopt|poll|pthread|sched|semaphore|signal|spawn|strings|time|unistd|wchar|locale)\.h|sys/[a-z]+\.h|linux/[a-z]+\.h'
sockets='sys/socket\.h|sys/un\.h|netinet/[a-z]+\.h|arpa/inet\.h|netdb\.h'

check_layer include 'stdarg\.h|stdio\.h|stdbool\.h|stddef\.h|stdint\.h'
check_layer core "$iso|pthread\.h|jansson\.h|openssl/[a-z0-9]+\.h"
check_layer stores "$iso|$posix|sqlite3\.h|openssl/[a-z0-9]+\.h"
check_layer executors "$iso|$posix|$sockets|curl/curl\.h"
check_layer system "$iso|$posix|openssl/[a-z0-9]+\.h"
# Workers switch stacks, and say so to the sanitizers.
check_layer mocks "$iso|$posix|$sockets|ucontext\.h|sanitizer/[a-z_]+\.h|sqlite3\.h|jansson\.h|openssl/[a-z0-9]+\.h"
check_layer cli "$iso|$posix|jansson\.h"

# Only executors and mocks talk to the outside. (sys/[a-z]+ above would let sockets pass.)
if grep -rnE --include='*.[ch]' "^ *# *include *<($sockets)>" include core stores cli; then
    complain "only executors/ and mocks/ know sockets"
fi
exit $bad
