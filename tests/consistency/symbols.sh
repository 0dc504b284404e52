#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What a library shows is what its headers declare and what its list in packaging/ says; what it shares
# between its files starts deed__ (or deed_crash__, deed_mock__, deed_world__), as in a static library those names
# meet the host's.
#
# The lists have the form of Debian's symbols files, and the Debian packages are built with them. A
# new function, or a new minor version, is written into them by
#   UPDATE=1 ctest --preset dev -R consistency.symbols
# A function that is gone, or was renamed, is a break: docs/reference/versions.md.
set -euo pipefail

bad=0
version=$(sed -nE 's/^#define DEED_VERSION "(.*)"/\1/p' "$DEED_SOURCE_DIR/include/deed/base.h")
IFS=. read -r major minor _ <<<"$version"

complain() {
    echo "$1"
    bad=1
}

# Names that start with two underscores are the compiler's and the sanitizers'.
defined_in() {
    nm "$@" --defined-only --format=posix | awk '$2 ~ /^[A-Z]$/ && $1 !~ /^_/ {print $1}' | sort -u
}

declared_in() {
    cat "$@" | tr '\n' ' ' | grep -oE 'DEED_API[^(;]*[ *]deed_[a-z0-9_]+\(' |
        grep -oE 'deed_[a-z0-9_]+\($' | tr -d '(' | sort -u
}

# The list that is right now; what it says about since when stays as it is in the old one, $1.
write_list() {
    local old=$1 package=$2 exported=$3 promised=$4 symbol since
    # Before 1.0 a program works with the minor version it was built with.
    echo "$package.so.$major ${package}$major #MINVER#, ${package}$major (<< $major.$((minor + 1))~)"
    for symbol in $exported; do
        since=$(awk -v symbol="$symbol@Base" '$1 == symbol {print $2}' "$old")
        echo " $symbol@Base ${since:-$version}"
    done
    for symbol in $promised; do
        echo "# declared, not there yet: $symbol"
    done
}

# compare_library NAME "headers" folders-of-objects...
compare_library() {
    local name=$1 headers=$2 list=$DEED_SOURCE_DIR/packaging/$1.symbols declared ours exported
    shift 2
    declared=$(declared_in $headers)
    mapfile -t objects < <(find "$@" -name '*.o')
    ours=$(defined_in "${objects[@]}")

    # Only ours: a coverage build exports some of the compiler's own names.
    exported=$(comm -12 <(defined_in -D "$DEED_BUILD_DIR/$name.so") <(echo "$ours"))
    undeclared=$(comm -23 <(echo "$exported") <(echo "$declared"))
    [[ -z $undeclared ]] || complain "$name exports what no header declares: $undeclared"
    foreign=$(comm -23 <(echo "$ours") <(echo "$declared") | grep -vE '^deed(_crash|_mock|_world)?__' || true)
    [[ -z $foreign ]] ||
        complain "$name: shared between files, but neither static, nor declared in a header, nor deed__: $foreign"

    touch -a "$list"
    write_list "$list" "$name" "$exported" "$(comm -13 <(echo "$exported") <(echo "$declared"))" >"$name.new"
    if [[ -n ${UPDATE:-} ]]; then
        cp "$name.new" "$list"
    else
        diff -u "$list" "$name.new" || complain "packaging/$name.symbols is not what $name exports and its \
headers declare; if that is meant: UPDATE=1 ctest --preset dev -R consistency.symbols"
    fi
}

include=$DEED_SOURCE_DIR/include/deed
compare_library libdeed "$(echo "$include"/*.h "$include"/ext/*.h)" \
    "$DEED_BUILD_DIR"/{core,stores,system}
compare_library libdeed-mocks "$(echo "$include"/mock/*.h)" \
    "$DEED_BUILD_DIR/mocks/CMakeFiles/deed_mocks_objects.dir" # beside it lie programs
for name in libdeed libdeed-mocks; do
    readelf -d "$DEED_BUILD_DIR/$name.so" | grep -qF "soname: [$name.so.$major]" ||
        complain "$name.so does not call itself $name.so.$major"
done

# Which library has which functions, as the guide tells it: by the first words of their names.
page=$DEED_SOURCE_DIR/docs/guide/linking.md
told=$(grep '^| `libdeed-mocks` |' "$page" | grep -oE '`deed_[a-z]+_\*`' | tr -d '`*' | sort)
there=$(sed -nE 's/^ (deed_[a-z]+_).*/\1/p' "$DEED_SOURCE_DIR/packaging/libdeed-mocks.symbols" | sort -u)
[[ $told == "$there" ]] ||
    complain "docs/guide/linking.md: functions of libdeed-mocks start with $told; there are $there"
both=$(sed -nE 's/^ (deed_[a-z]+_).*/\1/p' "$DEED_SOURCE_DIR/packaging/libdeed.symbols" |
    grep -xFf <(echo "$there") || true)
[[ -z $both ]] || complain "names like those of libdeed-mocks are in libdeed: $both"
exit $bad
