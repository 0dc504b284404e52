#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A store of a third party can be tested with our suite: libdeed is installed into a folder, and the
# example is built elsewhere, as its CMakeLists.txt says, and passes. A store that breaks the contract
# does not.
set -uo pipefail

rm -rf installed theirs
cmake --install "$DEED_BUILD_DIR" --prefix "$PWD/installed" >installed.log || { cat installed.log; exit 1; }
cp -r "$DEED_SOURCE_DIR/docs/examples/store" theirs

# A library with sanitizers needs a program with the same ones, and the same compiler.
setting() {
    sed -n "s/^$1:[A-Z]*=//p" "$DEED_BUILD_DIR/CMakeCache.txt"
}
sanitize=$(setting DEED_SANITIZE)
build() {
    cmake -S theirs -B theirs/build -G Ninja -DCMAKE_BUILD_TYPE=Debug \
        -DCMAKE_C_COMPILER="$(setting CMAKE_C_COMPILER)" \
        -DCMAKE_PREFIX_PATH="$PWD/installed" -DDEED_SOURCE="$DEED_SOURCE_DIR" \
        -DCMAKE_C_FLAGS="${sanitize:+-fsanitize=$sanitize}" >build.log 2>&1 &&
        cmake --build theirs/build >>build.log 2>&1
}

build || { cat build.log; exit 1; }
CMOCKA_TEST_ABORT=1 theirs/build/counting_store_test >test.log 2>&1 || { cat test.log; exit 1; }
grep -q 'PASSED *\] [1-9][0-9]* test' test.log || { echo "no test was run"; cat test.log; exit 1; }

# It tells committed what it never wrote.
sed -i 's/^    return counting->inner->write(counting->inner->self, ops, count, err);/    (void)err;\n    for (size_t i = 0; i < count; i++) {\n        ops[i].rc = DEED_OK;\n        ops[i].fate = DEED_FATE_COMMITTED;\n    }\n    return DEED_OK;/' theirs/counting_store.c
grep -q DEED_FATE_COMMITTED theirs/counting_store.c || { echo "the store was not broken"; exit 1; }
build || { cat build.log; exit 1; }
if CMOCKA_TEST_ABORT=1 theirs/build/counting_store_test >test.log 2>&1; then
    echo "a store that forgets everything passes the suite"
    exit 1
fi
grep -q 'error: Failure!' test.log || { echo "it failed otherwise than by a test:"; cat test.log; exit 1; }
