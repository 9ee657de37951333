#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cuarbiter install and uninstall, in root file systems of their own.
# shellcheck disable=SC1091,SC2016,SC2154
. "$(dirname "$0")/../fixtures/images.sh"
need_files
need_root bullseye
cuarbiter=$files/cuarbiter
version=$("$cuarbiter" --version | sed -n 's/^cuarbiter //p')
root=$tmp/root
copy_root bullseye "$root"
state() { (cd "$root" && find . -path ./dev -prune -o -printf '%p %m %l %s\n' | sort); }
preload() { cat "$root/etc/ld.so.preload" 2>/dev/null; }
entry=/opt/cuarbiter/$version/libcuarbiter.so

before=$(state)
got=$("$cuarbiter" install --root "$root" --dry-run)
like "$got" "*would write *$entry*would add*" '--dry-run says what would be done'
that '--dry-run does nothing' "$(state)" "$before"

"$cuarbiter" install --root "$root" >/dev/null
that 'install: exit code' $? 0
that 'the entry' "$(preload)" "$entry"
that 'the link' "$(readlink "$root/opt/cuarbiter/current")" "$version"
that 'the folder' "$(ls "$root/opt/cuarbiter/$version")" 'cuarbiter
cuarbiter-answer
libcuarbiter.so'
like "$(chroot "$root" cat /proc/self/maps 2>&1; chroot "$root" env LD_TRACE_LOADED_OBJECTS=1 /bin/true)" \
    "*$entry*" 'programs have it mapped'
that 'programs say nothing' "$(chroot "$root" /bin/sh -c true 2>&1)" ''
after=$(state)
rm "$root/etc/ld.so.preload"
that '--dry-run, the files are there: says what is left to do' "$("$cuarbiter" install --root "$root" --dry-run)" \
    "would add    $entry to /etc/ld.so.preload
would link   /opt/cuarbiter/current -> $version"
"$cuarbiter" install --root "$root" >/dev/null
that 'again: nothing to do' "$("$cuarbiter" install --root "$root")" "version $version is installed already"
that 'again: nothing changes' "$(state)" "$after"

got=$("$cuarbiter" uninstall --root "$root" --dry-run)
like "$got" '*would take the entry out*would remove */opt/cuarbiter/*' 'uninstall --dry-run'
that 'does nothing' "$(state)" "$after"
"$cuarbiter" uninstall --root "$root" >/dev/null
that 'uninstall: exit code' $? 0
that 'everything is as it was' "$(state)" "$before"
that 'again: nothing to do' "$("$cuarbiter" uninstall --root "$root")" 'nothing is installed'

# The target's loader runs what the target brings: as nobody, and without capabilities.
if command -v gcc >/dev/null; then
    gcc -shared -fPIC -O1 -x c -o "$root/rights.so" - <<END
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
__attribute__((constructor)) static void tell(void)
{
    struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2] = {{0}};
    int fd = open("/tmp/rights", O_WRONLY | O_CREAT | O_TRUNC, 0666);

    syscall(SYS_capget, &head, data);
    dprintf(fd, "%d %x %d\n", (int)getuid(), data[0].permitted | data[1].permitted,
            prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
    close(fd);
}
END
    echo /rights.so >"$root/etc/ld.so.preload"
    "$cuarbiter" install --root "$root" >/dev/null
    that "install: the rights of the target's loader" "$(cat "$root/tmp/rights")" '65534 0 1'
    "$cuarbiter" uninstall --root "$root" >/dev/null
    rm -f "$root/tmp/rights"
    chmod 700 "$root"
    "$cuarbiter" install --root "$root" >/dev/null
    that 'in a root that others may not enter' "$(cat "$root/tmp/rights")" '0 0 1'
    "$cuarbiter" uninstall --root "$root" >/dev/null
    chmod 755 "$root"
    rm -f "$root/rights.so" "$root/etc/ld.so.preload" "$root/tmp/rights"
fi

# What would wait for ever: a pipe that the target's loader reads, a lock that somebody keeps.
[ ! -e "$root/etc/ld.so.cache" ] || mv "$root/etc/ld.so.cache" "$tmp/ld.so.cache"
mkfifo "$root/etc/ld.so.cache"
got=$(timeout 60 "$cuarbiter" install --root "$root" 2>&1)
that 'a pipe for a cache: exit code' $? 1
like "$got" "*the target's loader did not end within 10 seconds*" 'a pipe for a cache: says so'
rm "$root/etc/ld.so.cache"
[ ! -e "$tmp/ld.so.cache" ] || mv "$tmp/ld.so.cache" "$root/etc/ld.so.cache"
exec 9<"$root/etc"
flock 9
got=$(timeout 60 "$cuarbiter" install --root "$root" 2>&1)
that 'a lock that somebody keeps: exit code' $? 1
like "$got" '*install: /etc: another process keeps it locked*' 'a lock that somebody keeps: says so'
exec 9<&-
that 'nothing was changed' "$(state)" "$before"

umask 077
"$cuarbiter" install --root "$root" >/dev/null
umask 022
that 'a strict umask locks nobody out' "$(find "$root/opt/cuarbiter" "$root/etc/ld.so.preload" \
    ! -type l ! -perm -0444 -print)" ''
"$cuarbiter" uninstall --root "$root" >/dev/null

# Another product's preload file.
cp "$fixtures/libstandin.so" "$root/usr/lib/other.so"
printf '# mine\n/usr/lib/other.so\n' >"$root/etc/ld.so.preload"
"$cuarbiter" install --root "$root" >/dev/null
that 'an entry of others stays, before it' "$(preload)" "# mine
/usr/lib/other.so
$entry"
"$cuarbiter" uninstall --root "$root" >/dev/null
that 'and stays alone' "$(preload)" '# mine
/usr/lib/other.so'
printf '/usr/lib/other.so:%s # both' "$entry" >"$root/etc/ld.so.preload"
"$cuarbiter" uninstall --root "$root" >/dev/null
that 'an entry among others is taken out' "$(preload)" '/usr/lib/other.so:# both'
rm "$root/etc/ld.so.preload"

mkdir "$root/opt/cuarbiter"
echo mine >"$root/opt/cuarbiter/notes"
"$cuarbiter" install --root "$root" >/dev/null
like "$("$cuarbiter" uninstall --root "$root")" '*stays*
removed' 'uninstall names what is not its own'
like "$("$cuarbiter" uninstall --root "$root")" '*stays*
nothing is installed' 'uninstall, only what is not its own'
that 'and leaves it' "$(cat "$root/opt/cuarbiter/notes")" mine
rm -r "$root/opt/cuarbiter"
mkdir -p "$root/opt/cuarbiter/.new/lib"
echo cut >"$root/opt/cuarbiter/.new/cuarbiter-answer"
that 'uninstall takes what an interrupted install left' "$("$cuarbiter" uninstall --root "$root"; ls "$root/opt")" removed

printf '#!/bin/sh\n' >"$root/lib/ld-linux.so.2"
chmod +x "$root/lib/ld-linux.so.2"
like "$("$cuarbiter" install --root "$root" --dry-run)" "*would add    /opt/cuarbiter/$version/?LIB/libcuarbiter.so to *" '--dry-run, a 32-bit loader too'
rm "$root/lib/ld-linux.so.2"
mkdir "$tmp/renamed"
cp "$cuarbiter" "$tmp/renamed/other"
like "$("$tmp/renamed/other" install --root "$root" 2>&1)" 'cuarbiter: install: *this command is not called cuarbiter' 'a command of another name: why'

# Links in the root mean what they mean in there.
mkdir "$tmp/outside" "$root/elsewhere"
rmdir "$root/opt" && ln -s /elsewhere "$root/opt"
"$cuarbiter" install --root "$root" >/dev/null
that 'a link stays inside the root' "$(ls "$root/elsewhere")" cuarbiter
"$cuarbiter" uninstall --root "$root" >/dev/null
rm "$root/opt" && mkdir "$root/opt" && rmdir "$root/elsewhere"
before=$(state)

# What the target's loader does not take changes nothing.
mkdir "$tmp/bad"
cp "$files"/* "$tmp/bad/"
refuses() { # NAME
    got=$("$tmp/bad/cuarbiter" install --root "$root" 2>&1)
    that "$1: exit code" $? 1
    like "$got" 'cuarbiter: install: *nothing was changed' "$1: says why"
    that "$1: nothing is changed" "$(state)" "$before"
}
head -c 4096 "$files/libcuarbiter.so" >"$tmp/bad/libcuarbiter.so"
refuses 'a damaged shim'
cp "$files/libcuarbiter.so" "$tmp/bad/libcuarbiter.so"
printf '\267' | dd of="$tmp/bad/libcuarbiter.so" bs=1 seek=18 conv=notrunc 2>/dev/null
refuses 'a shim of another architecture'
if command -v gcc >/dev/null; then
    echo 'int cua_absent(void); int cua_x(void) { return cua_absent(); }' |
        gcc -shared -fPIC -Wl,-z,now -x c - -o "$tmp/bad/libcuarbiter.so"
    refuses 'a shim that the loader cannot bind'
fi
mv "$root/lib64" "$root/lib64-away" 2>/dev/null || mv "$root/usr/lib64" "$root/usr/lib64-away"
got=$("$cuarbiter" install --root "$root" 2>&1)
that 'no glibc in the root: exit code' $? 1
like "$got" '*ld-linux*No such file*' 'no glibc in the root: says why'
mv "$root/lib64-away" "$root/lib64" 2>/dev/null || mv "$root/usr/lib64-away" "$root/usr/lib64"
that 'no glibc in the root: nothing is changed' "$(state)" "$before"

"$cuarbiter" install --root / 2>/dev/null
that 'this machine itself: only with --yes' $? 2
"$cuarbiter" install 2>/dev/null
that 'no root named: usage' $? 2
got=$("$cuarbiter" install --root "$tmp/none" 2>&1)
that 'a root that is not there' $? 2

# In a container that is being built: the root is this one.
mkdir "$root/from"
cp "$files"/* "$root/from/"
chroot "$root" /from/cuarbiter install --root / --yes >/dev/null
that 'inside, with --yes' "$(preload)" "$entry"
chroot "$root" /from/cuarbiter uninstall --root / --yes >/dev/null
rm -r "$root/from"
that 'inside: everything is as it was' "$(state)" "$before"

# Another user's own root file system, without root's rights.
if setpriv --reuid 65534 --regid 65534 --clear-groups unshare --user true 2>/dev/null; then
    cp -a "$roots/bullseye" "$tmp/own"
    that 'not root, in a root of root: says what it may not' "$(setpriv --reuid 65534 --regid 65534 \
        --clear-groups "$cuarbiter" install --root "$tmp/own" 2>&1)" "cuarbiter: install: /opt/cuarbiter: Permission denied
cuarbiter: install: $tmp/own: nothing was changed"
    chown -R 65534:65534 "$tmp/own"
    setpriv --reuid 65534 --regid 65534 --clear-groups "$cuarbiter" install --root "$tmp/own" >/dev/null
    that 'not root: the entry' "$(cat "$tmp/own/etc/ld.so.preload")" "$entry"
    setpriv --reuid 65534 --regid 65534 --clear-groups "$cuarbiter" uninstall --root "$tmp/own" >/dev/null
    that 'not root: all of it goes' "$(ls "$tmp/own/opt")" ''
else
    missing 'not root' 'no user namespaces here'
fi

# 32-bit programs get a library that ld.so loads without a warning.
mini=$tmp/mini.c
echo 'int main(void) { return 0; }' >"$mini"
if gcc -m32 "$mini" -o "$root/bin/mini32" 2>/dev/null || gcc-12 -m32 "$mini" -o "$root/bin/mini32" 2>/dev/null; then
    mkdir -p "$root/lib32"
    cp -L /lib/ld-linux.so.2 "$root/lib/ld-linux.so.2"
    cp -L "$(dirname "$(ldd "$root/bin/mini32" | sed -n 's/.*libc.so.6 => \([^ ]*\).*/\1/p')")/libc.so.6" "$root/lib32/"
    chroot "$root" /bin/mini32
    that '32-bit: the program runs' $? 0
    "$cuarbiter" install --root "$root" >/dev/null
    that '32-bit: the entry says $LIB' "$(preload)" "/opt/cuarbiter/$version/\$LIB/libcuarbiter.so"
    that '32-bit: no word' "$(chroot "$root" /bin/mini32 2>&1)" ''
    like "$(chroot "$root" env LD_TRACE_LOADED_OBJECTS=1 /bin/true)" '*/libcuarbiter.so*' \
        '32-bit: 64-bit programs have the shim'
    "$cuarbiter" install --root "$root" >/dev/null && "$cuarbiter" uninstall --root "$root" >/dev/null
    that '32-bit: all of it goes' "$(ls "$root/opt")" ''
    rm "$root/lib/ld-linux.so.2" "$root/bin/mini32" && rm -r "$root/lib32"
else
    missing '32-bit programs' 'no 32-bit compiler here'
fi

# Under a running program that opens libcuda only afterwards.
need_drivers 535.261.03 555.58.02
lay_out "$root" 535.261.03 555.58.02
cp "$built/later" "$programs/init-linked" "$root/bin/"
mkfifo "$tmp/in" "$tmp/out"
begin() { # COMMAND...
    in_root "$root" 555.58.02 "$@" /bin/later <"$tmp/in" >"$tmp/out" 2>"$tmp/err" &
    exec 3>"$tmp/in" 4<"$tmp/out"
    read -r _ <&4
}
end() {
    echo go >&3
    cat <&4
    exec 3>&- 4<&-
    wait
}
begin
that 'without it the loader takes the wrong one' "$(word cuInit "$(end)")" 803
"$cuarbiter" install --root "$root" >/dev/null
begin
that 'installed' "$(word cuInit "$(end)")" 100
that 'installed, linked program' "$(word cuInit "$(in_root "$root" 555.58.02 \
    /bin/init-linked)")" 100
begin
# Another version: the same files under another number.
mkdir -p "$root/opt/cuarbiter/0.0.1"
mv "$root/opt/cuarbiter/$version"/* "$root/opt/cuarbiter/0.0.1/"
rmdir "$root/opt/cuarbiter/$version"
ln -s 0.0.1 "$root/opt/cuarbiter/$version"
that 'a program started before' "$(word cuInit "$(end)")" 100
rm "$root/opt/cuarbiter/$version"
echo /opt/cuarbiter/0.0.1/libcuarbiter.so >"$root/etc/ld.so.preload"
ln -sfn 0.0.1 "$root/opt/cuarbiter/current"
begin
"$cuarbiter" install --root "$root" >/dev/null
that 'upgrade: the entry is the new one alone' "$(preload)" "$entry"
that 'upgrade under a running program' "$(word cuInit "$(end)")" 100
begin
that 'upgrade: a new program' "$(word cuInit "$(end)")" 100
begin
"$cuarbiter" uninstall --root "$root" >/dev/null
that 'uninstall takes every version' "$(ls "$root/opt")" ''
that 'uninstall under a running program: it gets what ld.so finds' "$(word cuInit "$(end)")" 803
# /opt may be another file system than /etc: its folder must be on disk before the entry names it.
strace -f -y -e trace=syncfs -o "$tmp/calls" "$cuarbiter" install --root "$root" >/dev/null 2>&1
case $(cat "$tmp/calls") in
'') missing 'what install flushes' 'no strace here' ;;
*) like "$(cat "$tmp/calls")" '*syncfs(*/opt/cuarbiter/*>) = 0*' 'what install flushes' ;;
esac
"$cuarbiter" uninstall --root "$root" >/dev/null
# Copied into one folder, as packages and COPY do it, and replaced there by another build.
mkdir "$root/flat"
cp "$files"/* "$root/flat/"
begin env LD_PRELOAD=/flat/libcuarbiter.so:/libstandin.so
for file in cuarbiter-answer cuarbiter libcuarbiter.so; do
    cp "$files/$file" "$root/flat/new"
    printf x >>"$root/flat/new"
    mv "$root/flat/new" "$root/flat/$file"
done
that 'another build in the same folder, under a running program' "$(word cuInit "$(end)")" 100
finish
