#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Where cuarbiter is installed, a 32-bit program's loader has nothing to complain about.
# shellcheck source=tests/fixtures/lib.sh
. "$(dirname "$0")/../fixtures/lib.sh"

[ "$(id -u)" = 0 ] || cannot 'not root'
[ "$(uname -m)" = x86_64 ] || cannot 'no 32-bit programs of this kind here'
unshare -m true 2>/dev/null || cannot 'no mount namespaces here'
cat >"$tmp/program.c" <<'C'
#include <stdio.h>
#include <string.h>

int main(void)
{
    char line[4096];
    FILE *maps = fopen("/proc/self/maps", "re");
    int shims = 0;

    while (maps && fgets(line, sizeof(line), maps))
        shims += strstr(line, "libcuarbiter.so") != NULL;
    printf("%d bits, %s\n", (int)sizeof(void *) * 8, shims ? "preloaded" : "bare");
    return 0;
}
C
gcc -m32 -o "$tmp/program32" "$tmp/program.c" 2>/dev/null || skip 'gcc -m32 does not work'
gcc -m64 -o "$tmp/program64" "$tmp/program.c"

install_files "$tmp/cuarbiter"
root=$tmp/root
mkdir -p "$root/bin" "$root/etc" "$root/proc" "$root/tmp"
cp "$tmp/program32" "$tmp/program64" /bin/true "$root/bin"
# Every program's loader and libraries, under the names that they ask for.
for program in "$root"/bin/*; do
    ldd "$program" | sed -n 's/.*[[:space:]]\(\/[^ ]*\) (0x.*/\1/p'
done | sort -u | while read -r library; do
    mkdir -p "$root${library%/*}"
    cp -L "$library" "$root$library"
done

inside() {
    # shellcheck disable=SC2016
    unshare -m sh -c 'mount --rbind /proc "$1/proc" && exec chroot "$@"' sh "$root" "$@" 2>&1
}

is "$(inside /bin/program32)" '32 bits, bare' '32 bits, before'
"$tmp/cuarbiter/cuarbiter" install --root "$root" >"$tmp/log" 2>&1 && code=0 || code=$?
is "$code" 0 "installs: $(tail -n 1 "$tmp/log")"
like "$(inside /bin/program64)" '64 bits, preloaded' '64 bits'
like "$(inside /bin/program32)" '32 bits, *' '32 bits'
is "$(inside /bin/program32 | wc -l)" 1 '32 bits: the loader is silent'
finish
