# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# post NAME KEY BODY: an effect request, in bash alone. Fails unless the answer says that it is done.
post() {
    local status=
    exec 3<>"/dev/tcp/127.0.0.1/${DEED_MOCK_URL##*:}" || return 1
    printf 'POST /effects/%s HTTP/1.1\r\nHost: mock\r\nIdempotency-Key: %s\r\nContent-Length: %s\r\n\r\n%s' \
        "$1" "$2" "${#3}" "$3" >&3
    read -r -t 1 status <&3 || true
    exec 3<&-
    [[ $status == 'HTTP/1.1 20'[01]* ]]
}
