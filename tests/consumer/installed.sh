#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# An installed copy is whole, works wherever it is moved to, says what it is, refuses what it is not,
# and goes without a trace.
set -euo pipefail

bad=0

complain() {
    echo "$1"
    bad=1
}

# A person's own record of what was installed from this build is not ours to lose.
manifest=$DEED_BUILD_DIR/install_manifest.txt
rm -f kept
[[ ! -e $manifest ]] || mv "$manifest" kept
trap 'if [[ -e kept ]]; then mv kept "$manifest"; fi' EXIT

rm -rf made moved again
cmake --install "$DEED_BUILD_DIR" --prefix "$PWD/made" >install.log
mv made moved
mkdir -p try
(cd try && bash "$DEED_SOURCE_DIR/tests/consumer/try.sh" ../moved)

# ---- what the README shows -----------------------------------------------------------------------

mkdir -p readme
cp "$DEED_SOURCE_DIR/docs/examples/by_hand.c" readme/shop.c
{
    echo 'cmake_minimum_required(VERSION 3.25)'
    echo 'project(shop C)'
    awk '/^```cmake$/ {on = 1; next} /^```$/ {on = 0} on' "$DEED_SOURCE_DIR/README.md"
} >readme/CMakeLists.txt
export CFLAGS=$DEED_CONSUMER_FLAGS CMAKE_PREFIX_PATH=$PWD/moved
if ! cmake -G Ninja -S readme -B readme/build >readme/log 2>&1 ||
    ! ninja -C readme/build shop >>readme/log 2>&1; then
    cat readme/log
    complain "the CMake lines in README.md do not build a program"
fi

# ---- one version everywhere ---------------------------------------------------------------------

pc=$(find moved -name deed.pc)
said=$(PKG_CONFIG_PATH=${pc%/*} pkg-config --modversion deed deed-mocks | sort -u)
said+=" $(moved/bin/deed --version | grep -oE '[0-9]+\.[0-9]+\.[0-9]+')"
for program in mock-provider crashtest simulate; do
    said+=" $(moved/bin/deed $program --version | grep -oE '[0-9]+\.[0-9]+\.[0-9]+')"
done
version=$(sed -nE 's/^#define DEED_VERSION "(.*)"/\1/p' moved/include/deed/base.h)
[[ $said == "$version $version $version $version $version" ]] ||
    complain "deed/base.h says $version; pkg-config, the command and its programs say $said"

# ---- what is preloaded is found where it is installed --------------------------------------------

asan=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
ASAN_OPTIONS=$asan moved/bin/deed crashtest --json --only unharmed --expect 1 -- \
    "$PWD/moved/bin/deed" --ledger new.db init --name new --test >crashtest.json || true # it acts nowhere
seams=$(jq -s '.[-1].seams' crashtest.json)
((seams > 0)) || complain "an installed deed crashtest sees no seams"

# ---- what find_package says no to ---------------------------------------------------------------

# ask VERSION COMPONENTS WORDS: what is asked for is refused, in these words.
ask() {
    mkdir -p ask
    printf '%s\n' 'cmake_minimum_required(VERSION 3.25)' 'project(ask NONE)' \
        "find_package(deed $1 REQUIRED COMPONENTS $2)" >ask/CMakeLists.txt
    if cmake -G Ninja -S ask -B ask/build >ask/log 2>&1; then
        complain "find_package(deed $1 COMPONENTS $2) was not refused"
    elif ! tr -s '\n ' ' ' <ask/log | grep -qF "$3"; then
        cat ask/log
        complain "the refusal of find_package(deed $1 COMPONENTS $2) does not say: $3"
    fi
}

IFS=. read -r major minor _ <<<"$version"
ask "$major.$minor" "deed http" \
    'no component "http" here. Its components are: deed, mocks, deed_static, mocks_static.'
ask "$major.$((minor + 1))" deed "version: $version"

# ---- uninstall ----------------------------------------------------------------------------------

# Of others: a file in a folder everybody uses, and one in a folder that bears our name.
mkdir -p again/lib/pkgconfig again/include/deed
touch again/lib/pkgconfig/other.pc again/include/deed/theirs.h
before=$(find again -not -type d | sort)
cmake --install "$DEED_BUILD_DIR" --prefix "$PWD/again" >install.log
cmake --build "$DEED_BUILD_DIR" --target uninstall >uninstall.log
after=$(find again -not -type d | sort)
diff <(echo "$before") <(echo "$after") || complain "uninstall did not leave what was there before ('<')"
left=$(find again -type d -path '*deed*')
[[ $left == again/include/deed ]] || complain "uninstall left the folders: $left"
if cmake --build "$DEED_BUILD_DIR" --target uninstall >uninstall.log 2>&1; then
    complain "a second uninstall did not say that there is nothing to remove"
fi
exit $bad
