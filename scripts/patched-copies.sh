# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Copies of the tree in which a patch of tests/mutants breaks one rule at a time. Sourced by
# scripts/mutants and scripts/self-test, which set `tree` and `work`, stand in `tree`, and say what is
# built and run in a copy. The tree itself is never touched; each copy keeps its build, without
# sanitizers, from one run to the next.

copies=2                            # work side by side
# shellcheck disable=SC2154
export GIT_CEILING_DIRECTORIES=$work # git apply shall not take the copies for a part of our repository

# Makes copy $1 equal to the tree; files that are equal keep their time, so that little is rebuilt.
sync_copy() {
    local copy=$work/$1/tree file
    mkdir -p "$copy"
    while IFS= read -r -d '' file; do
        if ! cmp -s "$file" "$copy/$file"; then
            mkdir -p "$copy/$(dirname "$file")"
            cp "$file" "$copy/$file"
        fi
    done < <(find . \( -path ./build -o -path ./.git \) -prune -o -type f -print0)
    while IFS= read -r -d '' file; do
        [[ -e $file ]] || rm "$copy/$file"
    done < <(cd "$copy" && find . -type f -print0)
}

# configure_copy COPY CMAKE-OPTION...
configure_copy() {
    local copy=$1
    shift
    # shellcheck disable=SC2154
    cmake -G Ninja -S "$work/$copy/tree" -B "$work/$copy/build" \
        -DDEED_SQLITE_SOURCE_DIR="$tree/build/sqlite-source" "$@" >"$work/$copy/configure.log"
}

# build_targets COPY TARGET...
build_targets() {
    local copy=$1
    shift
    ninja -C "$work/$copy/build" -j 1 "$@" >"$work/$copy/build.log" 2>&1
}

# break_copy COPY PATCH, and mend_copy COPY PATCH
break_copy() {
    git -C "$work/$1/tree" apply -C2 "$2" 2>"$work/$1/apply.log"
}

mend_copy() {
    git -C "$work/$1/tree" apply -R -C2 "$2"
}

# in_all_copies COMMAND ARG...: runs COMMAND COPY ARG... for each of them, side by side.
in_all_copies() {
    local command=$1 copy pid pids=()
    shift
    mkdir -p "$work"
    for ((copy = 0; copy < copies; copy++)); do
        "$command" "$copy" "$@" &
        pids+=($!)
    done
    for pid in "${pids[@]}"; do
        wait "$pid"
    done
}

# for_each_in_a_copy PROGRAM ITEM...: runs PROGRAM --one ITEM, each in the copy that
# DEED_MUTANT_COPY names.
for_each_in_a_copy() {
    local program=$1
    shift
    printf '%s\0' "$@" | xargs -0 -n 1 -P "$copies" \
        --process-slot-var=DEED_MUTANT_COPY "$program" --one
}
