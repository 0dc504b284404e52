#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs the packages in build/package as apt does it, runs the command, builds a stranger's programs
# against libdeed-dev, removes the packages, and looks for what they left behind. It changes the system
# it runs in, so it runs where scripts/fresh-root made one to be thrown away.
set -euo pipefail
cd "$(dirname "$0")/../.."

if [[ ${DEED_FRESH_ROOT:-} != 1 ]]; then
    echo "tests/consumer/package.sh installs and purges packages: run scripts/fresh-root --package" >&2
    exit 2
fi
export DEBIAN_FRONTEND=noninteractive
ours=(deed deed-mocks libdeed0 libdeed-mocks0 libdeed-dev)

fail() {
    echo "$1" >&2
    exit 1
}

install() {
    apt-get install --quiet=2 --yes --no-install-recommends "$@" >/tmp/apt.log 2>&1 || {
        cat /tmp/apt.log
        fail "apt-get cannot install: $*"
    }
}

# Files with our name, but for the checkout and what apt and dpkg remember of any package.
named_deed() {
    find / \( -path /proc -o -path /dev -o -path /sys -o -path /deed -o -path /var/log -o -path /tmp \
        -o -path /var/cache \) -prune -o -name '*deed*' -print | sort
}

apt-get update --quiet=2 >/dev/null
before=$(named_deed)

echo "--- the command, and what it pulls in"
install ./build/package/{deed,libdeed0,libdeed-mocks0}_*.deb
[[ $(deed --version) == "deed $(dpkg-query --show --showformat='${Version}' deed)" ]] ||
    fail "deed --version says: $(deed --version)"
deed --ledger /tmp/shop.db init --name shop
deed --ledger /tmp/shop.db record pay-1 --kind payment --target acme --body '{}'
deed --ledger /tmp/shop.db check
if deed mock-provider --version 2>/tmp/deed.log; then
    fail "a program of the crash kit runs without its package"
fi
grep -q 'package deed-mocks' /tmp/deed.log || fail "its package is not named: $(cat /tmp/deed.log)"

echo "--- deed-mocks, the programs of the crash kit"
install ./build/package/deed-mocks_*.deb
[[ $(deed mock-provider --version) == "$(deed --version)" ]] ||
    fail "deed mock-provider --version says: $(deed mock-provider --version)"

echo "--- libdeed-dev, with nothing but compilers beside it"
install ./build/package/libdeed-dev_*.deb gcc g++ libc6-dev pkg-config cmake ninja-build
mkdir -p /tmp/try
(cd /tmp/try && /deed/tests/consumer/try.sh)

echo "--- and away"
files=$(dpkg --listfiles "${ours[@]}" | grep -v ':$' | sort -u | while read -r path; do
    [[ ! -f $path && ! -L $path ]] || echo "$path"
done)
[[ $(wc -l <<<"$files") -gt 30 ]] || fail "these cannot be all the files of the packages: $files"
apt-get purge --quiet=2 --yes "${ours[@]}" >/tmp/apt.log 2>&1 || {
    cat /tmp/apt.log
    fail "apt-get cannot remove the packages"
}
while read -r path; do
    [[ ! -e $path && ! -L $path ]] || fail "$path is still there"
done <<<"$files"
after=$(named_deed)
[[ $after == "$before" ]] || fail "left behind: $(comm -13 <(echo "$before") <(echo "$after"))"
echo "--- $(wc -l <<<"$files") files came and went"
