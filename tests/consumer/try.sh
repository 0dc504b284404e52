#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A stranger's programs, built against an installed copy of deed and run: each header by itself, C and
# C++, with pkg-config and with CMake, shared and static, and by the lines of docs/guide/linking.md.
#
#   tests/consumer/try.sh [PREFIX]     a tree made by `cmake --install`; without it: the system's
#
# Works in the current folder. DEED_CONSUMER_FLAGS go to every compiler: a copy with a sanitizer in it
# needs programs that have it too.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
page=$here/../../docs/guide/linking.md
prefix=${1:-}
headers=/usr/include
if [[ -n $prefix ]]; then
    prefix=$(cd "$prefix" && pwd)
    headers=$prefix/include
    pc=$(find "$prefix" -name deed.pc)
    export PKG_CONFIG_PATH=${pc%/*} CMAKE_PREFIX_PATH=$prefix
    export LD_LIBRARY_PATH=${pc%/pkgconfig/*}
fi
export CC=${CC:-gcc} CXX=${CXX:-g++}
read -ra flags <<<"-Wall -Wextra -Wpedantic -Werror ${DEED_CONSUMER_FLAGS:-}"
work=$PWD

say() {
    echo "--- $*"
}

# A program that has to end well, in an empty folder of its own.
run() {
    rm -rf "$work/run"
    mkdir "$work/run"
    "$@" "$work/run"
}

# Shared form: it needs libdeed.so. Static form: it must not.
demand_form() {
    local needed=no
    ! readelf -d "$2" | grep -q 'NEEDED.*libdeed' || needed=yes
    if [[ $1 == shared && $needed == no ]] || [[ $1 == static && $needed == yes ]]; then
        echo "$2 is not what was asked for: $1" >&2
        return 1
    fi
}

mkdir -p headers
(cd "$headers" && find deed -name '*.h' | sort) >headers/list
sed 's/.*/#include <&>/' headers/list >headers/every_header.h

say "each of $(wc -l <headers/list) headers by itself, as C11 and as C++17"
while read -r header; do
    echo "#include <$header>" >headers/alone.c
    cp headers/alone.c headers/alone.cc
    "$CC" -std=c11 "${flags[@]}" -fsyntax-only -I"$headers" headers/alone.c
    "$CXX" -std=c++17 "${flags[@]}" -fsyntax-only -I"$headers" headers/alone.cc
done <headers/list

say "each macro that stands for a value"
{
    cat headers/every_header.h
    (cd "$headers" && sed -nE 's/^#define (DEED_[A-Z0-9_]+) .*[^\\]$/\1/p' $(cat "$work/headers/list")) |
        grep -vE '^DEED_(API|MUST_CHECK|BEGIN_DECLS|END_DECLS)$' |
        sed -E 's/.*/char have_&[sizeof(&) > 0 ? 1 : -1];/'
} >headers/macros.c
"$CC" -std=c11 "${flags[@]}" -fsyntax-only -I"$headers" headers/macros.c

say "pkg-config"
shared=$(pkg-config --cflags --libs deed-mocks)
static="$(pkg-config --cflags deed-mocks) -l:libdeed-mocks.a -l:libdeed.a -Wl,--as-needed \
$(pkg-config --static --libs deed-mocks)"
for form in shared static; do
    "$CC" -std=c11 "${flags[@]}" -Iheaders "$here/host/host.c" -o "c-$form" ${!form}
    "$CXX" -std=c++17 "${flags[@]}" -Iheaders "$here/host/host.cc" -o "cc-$form" ${!form}
    demand_form $form "c-$form"
    demand_form $form "cc-$form"
    run "./c-$form"
    run "./cc-$form"
done

say "CMake"
export CFLAGS=${flags[*]} CXXFLAGS=${flags[*]}
for form in "" _static; do
    cmake -G Ninja -S "$here/host" -B "cmake$form" -D form=$form -D every_header="$work/headers" >cmake.log ||
        { cat cmake.log && exit 1; }
    ninja -C "cmake$form" --quiet
    demand_form "$([[ -n $form ]] && echo static || echo shared)" "cmake$form/host-c"
    run "cmake$form/host-c"
    run "cmake$form/host-cc"
done

say "the lines of docs/guide/linking.md"
mkdir -p page
cp "$here/../../docs/examples/by_hand.c" page/shop.c
cp "$here/host/host.c" page/shop_test.c
cp headers/every_header.h page/
cd page
grep '^cc ' "$page" >lines.sh
[[ $(wc -l <lines.sh) == 4 ]] || { echo "the page shows $(wc -l <lines.sh) lines for cc, not 4" >&2 && exit 1; }
cc() {
    "$CC" ${DEED_CONSUMER_FLAGS:-} "$@"
}
sed 's/^/    /' lines.sh
source lines.sh
demand_form shared shop
demand_form static shop-static
demand_form static shop-test-static
run ./shop-test
run ./shop-test-static
{
    echo 'cmake_minimum_required(VERSION 3.25)'
    echo 'project(shop C)'
    awk '/^```cmake$/ {on = 1; next} /^```$/ {on = 0} on' "$page"
} >CMakeLists.txt
CFLAGS=${DEED_CONSUMER_FLAGS:-} cmake -G Ninja -S . -B cmake >cmake.log || { cat cmake.log && exit 1; }
ninja -C cmake --quiet
run cmake/shop-test
for shop in ./shop ./shop-static cmake/shop; do
    rm -f shop.db*
    PATH=${prefix:+$prefix/bin:}$PATH deed --ledger shop.db init --name shop >init.log
    "$shop" shop.db | tail -n 1 | grep -qx 'pay-17 is confirmed, applied'
done
say "all of it works"
