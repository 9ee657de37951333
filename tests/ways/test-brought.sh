#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A program of CUDA 13 on a host of CUDA 12 ends in 35, and no file there helps. With a driver that was
# brought it runs: beside the shim, in a container, for a user without rights; and only where it may.
# Machines, drivers and the CUDA runtime are fakes.
# shellcheck source=tests/fixtures/images.sh disable=SC1091,SC2154
. "$(dirname "$0")/../fixtures/images.sh"
. "$(dirname "$0")/../fixtures/brought.sh"
need_tool setpriv
chmod 755 "$tmp"
kmd=535.161.07 list=535,550,570,575,580,590
lib=/usr/lib/$(uname -m)-linux-gnu
export XDG_RUNTIME_DIR="$tmp/run" XDG_DATA_HOME="$tmp/nobody"
unset CUARBITER_DRIVERS CUARBITER_POLICY CUARBITER_TRIAL CUARBITER_LOG

# The machine, as far as the image sees it: no cuda-compat.
machine() { # GPU [MAKE-ROOT-ARGUMENT...]
    machine=$tmp/machine gpu=$1
    shift
    rm -rf "$machine" "$tmp/run"
    mkdir -m 700 "$tmp/run"
    make_root "$machine" --kmd "$kmd" --gpu "$gpu" --host-umd "$kmd" "$@" >/dev/null
}

# Fresh files, and nothing brought.
fresh() {
    rm -rf "${home:-$tmp/dist}" "$tmp/run"
    home=$tmp/dist
    mkdir -m 700 "$tmp/run"
    install_files "$home"
}

# "CODE VERSION" of what the program gets; the log at info is in $tmp/log.
major=13 as='' path=''
run() { # [VARIABLE=VALUE...]
    # Not in $as: the one of coreutils 9.10 ends what it has started as the first process of a namespace.
    timeout 20 $as env "$@" CUARBITER_SYSROOT="$machine" FAKE_ROOT="$machine" LD_LIBRARY_PATH="${path:+$path:}$machine$lib" \
        CUARBITER_LOG=info ${shim_on:+LD_PRELOAD="$home/libcuarbiter.so"} "$tmp/app/program" \
        "$tmp/app/libcudart.so.$major" 2>"$tmp/log" | sed 's,/[^ ]*/libcuda\.so\.,,'
}
bare() { shim_on='' run CUARBITER_LOG=info; }
shimmed() { shim_on=1 run "$@"; }

fresh
machine 'NVIDIA A100-SXM4-80GB'
is "$(bare)" "35 $kmd" 'bare: 35'
is "$(shimmed)" "35 $kmd" 'and with the shim, as nothing there serves the program'
mkdir "$tmp/logs"
is "$(shimmed CUARBITER_LOG_FILE="$tmp/logs")" "35 $kmd" 'a log folder'
like "$("$home/cuarbiter" summary "$tmp/logs" | tr -s '\n ' ' ')" \
    '*1 process on 1 host, no driver there has their CUDA: cuarbiter driver add 580.95.05; 580.95.05 runs on kernel driver 535.161.07 and NVIDIA A100*' \
    'from which summary names the driver to bring'
bring 590.48.01 "branches=$list"
is "$(shimmed)" '0 590.48.01' 'with a driver that was brought it runs'
like "$(cat "$tmp/log")" '*info: newer-brought: *590.48.01*' 'the log says that it was brought'
like "$(cat "$tmp/log")" "*590.48.01 (added by 'cuarbiter driver add') instead of $lib/libcuda.so.$kmd*" 'and in whose place'
like "$(cat "$tmp/log")" '*has the CUDA that is needed.*The program'\''s CUDA is 13.0 (libcudart.so.13)*' \
    'and by which CUDA of the program'
is "$(shimmed)" '0 590.48.01' 'again'
is "$(grep -c 'info: trial:' "$tmp/log")" 1 'by the answer that was kept'
is "$(bare)" "35 $kmd" 'without the shim nothing has changed'

# A program of which nothing shows the CUDA, in an image of CUDA 13.
${CC:-cc} -shared -fPIC -DMAJOR=12 -o "$tmp/app/libcudart.so.own" "$tmp/runtime.c" -ldl
major=own
is "$(shimmed)" "0 $kmd" 'a program of which nothing shows the CUDA'
is "$(shimmed CUDA_VERSION=13.1.0)" '0 590.48.01' 'the same in an image of CUDA 13'
like "$(cat "$tmp/log")" '*Only the image declares CUDA 13.1 (CUDA_VERSION): the program may need less.*' \
    'the log says that this rests on the image alone'
major=13

# Off.
is "$(shimmed CUARBITER_DRIVERS=no)" "35 $kmd" 'CUARBITER_DRIVERS=no'
is "$(shimmed CUARBITER_DRIVERS=yes)" '0 590.48.01' 'CUARBITER_DRIVERS=yes'
is "$(shimmed CUARBITER_DRIVERS=nope)" "35 $kmd" 'a value that is none counts as no'
like "$(cat "$tmp/log")" '*warn: bad-value: CUARBITER_DRIVERS=nope*' 'and is warned of'
is "$(shimmed CUARBITER_TRIAL=never)" "35 $kmd" 'nothing is taken untried'
is "$(shimmed CUARBITER_POLICY=off)" "35 $kmd" 'CUARBITER_POLICY=off'
is "$(shimmed CUARBITER_POLICY=host)" "35 $kmd" 'CUARBITER_POLICY=host'
is "$(shimmed CUARBITER_POLICY=newest)" '0 590.48.01' 'newest, as auto'
is "$(shimmed CUARBITER_POLICY=report)" "35 $kmd" 'report changes nothing'
like "$(cat "$tmp/log")" '*auto would take *590.48.01*' 'and says what auto would do'

# Never, each with a reason.
refuses() { # NAME SENTENCE
    is "$(shimmed)" "35 $kmd" "$1"
    like "$(cat "$tmp/log")" "*$2*" "$1: why"
}
machine 'NVIDIA GeForce RTX 4090'
refuses 'a GeForce' 'added is not used: 590.48.01 is newer than *not support forward compatibility'
machine 'Tesla V100-SXM2-16GB'
refuses 'a V100, which 590 has dropped' 'added is not used: 590.48.01 supports compute capability 7.5 and later'
machine 'NVIDIA A100-SXM4-80GB'
is "$(shimmed CUDA_VISIBLE_DEVICES=MIG-GPU-1/1/0)" "35 $kmd" 'a part of a GPU'
major=12
is "$(shimmed)" "0 $kmd" 'a program of CUDA 12 has the host'\''s driver'
major=13
kmd=560.35.03
machine 'NVIDIA A100-SXM4-80GB'
refuses 'a kernel driver that its list lacks' 'added is not used: 590.48.01 does not run on kernel driver branch 560'
kmd=535.161.07
fresh
machine 'NVIDIA A100-SXM4-80GB'
bring 590.48.01 "branches=$list,cuinit=803"
refuses 'one whose trial answers 803' 'added is not used: cuInit of 590.48.01 answered 803'
fresh
bring 580.95.05 nonote
refuses 'one without a note, of which nobody has reported a run' 'added is not used: neither a note in 580.95.05'
fresh
bring 590.48.01 "branches=$list"
: >"$home/drivers/590.48.01/libcuda.so.590.48.01"
refuses 'an empty one' 'added is not used: 590.48.01: empty'

# Which of several; and what a bundled one changes.
fresh
for version in 595.45.04 590.48.01 580.65.06; do bring $version "branches=$list"; done
is "$(shimmed)" '0 580.65.06' 'of several the lowest CUDA'
is "$(shimmed CUDA_VERSION=13.1.0)" '0 590.48.01' 'that is not earlier than the image'\''s'
is "$(shimmed CUDA_VERSION=13.4.0)" '0 595.45.04' 'else the highest'
path=$home/drivers/595.45.04
is "$(shimmed)" '0 595.45.04' 'one that the loader finds by itself is its choice'
path=''
machine 'NVIDIA A100-SXM4-80GB' --compat "580.82.07,branches=$list"
is "$(shimmed)" '0 580.82.07' 'a bundled one goes first'

# What all trials of one program take is bounded, however many drivers hang; the next program asks the next.
machine 'NVIDIA A100-SXM4-80GB'
fresh
for version in 580.65.06 590.48.01; do bring $version "branches=$list,hang"; done
bring 595.45.04 "branches=$list"
for first in 580.65.06 590.48.01; do
    begin=$(date +%s%N)
    is "$(shimmed CUARBITER_TRIAL_TIMEOUT=3)" "35 $kmd" "two that hang: $first is asked"
    took=$((($(date +%s%N) - begin) / 1000000))
    if [ $took -ge 2900 ] && [ $took -lt 5900 ]; then
        ok "two that hang: the limit of one trial is that of all"
    else
        not_ok "two that hang: the limit of one trial is that of all" "$took ms of 3000"
    fi
    like "$(cat "$tmp/log")" "*info: trial: *$first: no answer in 3 s*info: trial: *: this process has used up its time for trying drivers*" 'the others are not'
    like "$(cat "$tmp/log")" '*added is not used: cuInit of 580.65.06 gave no answer in a child process.*' 'and the first was tried'
done
is "$(shimmed CUARBITER_TRIAL_TIMEOUT=3)" '0 595.45.04' 'two that hang: the third program has the one that works'

# Folders of drivers that were removed, or are none, count for nothing.
machine 'NVIDIA A100-SXM4-80GB'
fresh
bring 590.48.01 "branches=$list"
for minor in $(seq 300); do mkdir "$home/drivers/600.$minor"; done
is "$(shimmed)" '0 590.48.01' 'among 300 folders without a driver'

# What works pays nothing for a store.
machine 'NVIDIA A100-SXM4-80GB'
if tracing 'the store is not looked at where the host'\''s driver serves'; then
    looks() { # MAJOR: how often a file of the store is named
        major=$1
        mv "$home/cuarbiter-answer" "$home/untraced"
        printf '#!/bin/sh\nexec %s -f -qq -o %s/traced %s/untraced\n' "$(command -v strace)" "$tmp" "$home" \
            >"$home/cuarbiter-answer"
        chmod 755 "$home/cuarbiter-answer"
        shimmed >/dev/null
        mv "$home/untraced" "$home/cuarbiter-answer"
        grep -c /drivers "$tmp/traced"
        major=13
    }
    is "$(looks 12)" 0 'the store is not looked at where the host'\''s driver serves'
    like "$(looks 13)" '[1-9]*' 'and is where it does not'
fi

# Whose it is.
fresh
bring 590.48.01 "branches=$list"
chmod g+w "$home/drivers"
is "$(shimmed)" "35 $kmd" 'a store that others can write'
chmod g-w "$home/drivers"
chmod o+w "$home/drivers/590.48.01/manifest.json"
is "$(shimmed)" "35 $kmd" 'a file in it that others can write'
chmod o-w "$home/drivers/590.48.01/manifest.json"
"$home/cuarbiter" driver remove 590.48.01 >/dev/null
is "$(shimmed)" "35 $kmd" 'one that was removed'
bring 590.48.01 "branches=$list"
is "$(shimmed)" '0 590.48.01' 'and is there again'
if [ "$(id -u)" != 0 ]; then
    ok 'other owners # SKIP not root'
    finish
fi
chown -R 1000:1000 "$home/drivers"
is "$(shimmed)" "35 $kmd" "a store of another owner than the shim's"
chown -R 1000:1000 "$home"
is "$(shimmed)" "35 $kmd" "outside a container root does not use another user's"
as='unshare -pf'
is "$(shimmed)" '0 590.48.01' "in a container root does, if it is the shim's owner's"
chown -R 1001:1001 "$home/drivers"
is "$(shimmed)" "35 $kmd" "and not a third user's"
chown -R 1000:1000 "$home/drivers"
for user in 1000 1001; do
    as="setpriv --reuid $user --regid $user --clear-groups"
    rm -rf "$tmp/run"
    mkdir -m 700 "$tmp/run"
    chown $user "$tmp/run"
    is "$(shimmed)" '0 590.48.01' "user $user"
done
as='setpriv --reuid 1001 --regid 1001 --clear-groups'

# A user's own.
mkdir -p "$tmp/user/cuarbiter"
mv "$home/drivers" "$tmp/user/cuarbiter/"
chown -R 1001:1001 "$tmp/user"
is "$(shimmed)" "35 $kmd" 'without the store'
is "$(shimmed XDG_DATA_HOME="$tmp/user")" '0 590.48.01' "a user's own store"
as='setpriv --reuid 1000 --regid 1000 --clear-groups'
chown 1000 "$tmp/run"
is "$(shimmed XDG_DATA_HOME="$tmp/user")" "35 $kmd" "which is no other user's"
as='unshare -Urpf'
chown 0 "$tmp/run"
chown -R 0:0 "$tmp/user" "$home"
is "$(shimmed XDG_DATA_HOME="$tmp/user")" '0 590.48.01' 'in a user namespace'

# Whoever owns the folder above could put another one in its place after it was looked at.
as=''
mkdir -p "$tmp/others"
ln -sfn "$tmp/user/cuarbiter" "$tmp/others/cuarbiter"
chown -h 1001 "$tmp/others" "$tmp/others/cuarbiter"
is "$(shimmed XDG_DATA_HOME="$tmp/others")" '0 590.48.01' "by another user's link"
like "$(XDG_DATA_HOME="$tmp/others" "$home/cuarbiter" driver list)" "*$tmp/user/cuarbiter/drivers*" \
    'which is followed once'
mkdir "$tmp/shared"
chmod 1777 "$tmp/shared"
for file in libcuarbiter.so cuarbiter-answer cuarbiter; do cp "$home/$file" "$tmp/shared/"; done
ln -s "$tmp/user/cuarbiter/drivers" "$tmp/shared/drivers"
dist=$home home=$tmp/shared
is "$(shimmed)" '0 590.48.01' 'beside files in a folder that everybody may write to'
chown -h 1001 "$tmp/shared/drivers"
is "$(shimmed)" "35 $kmd" "and another user's link there"
rm "$tmp/shared/drivers"
cp -a "$tmp/user/cuarbiter/drivers" "$tmp/shared/"
chown -R 1001 "$tmp/shared/drivers"
chown 1000 "$tmp/run"
as='setpriv --reuid 1000 --regid 1000 --clear-groups unshare -Urpf'
is "$(shimmed)" "35 $kmd" "another user's folder there, in a user namespace, where he looks like root outside"
chown -R 1000 "$tmp/shared/drivers"
is "$(shimmed)" '0 590.48.01' "and the user's own folder there"
chown 0 "$tmp/run"
as='' home=$dist
cp -a "$tmp/user/cuarbiter/drivers/590.48.01" "$tmp/shared/out"
ln -sf "$tmp/shared/out/libcuda.so.590.48.01" "$tmp/user/cuarbiter/drivers/590.48.01/libcuda.so.590.48.01"
is "$(shimmed XDG_DATA_HOME="$tmp/user")" "35 $kmd" 'a link out of the driver, whose target others could change'
cp -a --remove-destination "$tmp/shared/out/libcuda.so.590.48.01" "$tmp/user/cuarbiter/drivers/590.48.01/"
chown -R 1001 "$tmp/user" "$tmp/run"
is "$(shimmed XDG_DATA_HOME="$tmp/user" AS=1001)" "35 $kmd" "root's process that works for another user for a while"
as='setpriv --reuid 1001 --regid 1001 --clear-groups'
is "$(shimmed XDG_DATA_HOME="$tmp/user")" '0 590.48.01' 'and that user himself'
chown -R 0 "$tmp/user" "$tmp/run"

# The site's.
as=''
user=''
mkdir "$tmp/etc"
cp -a /etc/ld.so.cache /etc/passwd "$tmp/etc/" 2>/dev/null
site() { # LINE: the program on a machine with that site file
    printf '%s\n' "$1" >"$tmp/etc/cuarbiter.conf"
    shift
    as='unshare -m sh -c'
    # shellcheck disable=SC2016,SC2086
    $as 'mount --bind "$0" /mnt && mount --bind "$0/../etc" /etc && exec "$@"' "$tmp/user" $user env "$@" \
        CUARBITER_SYSROOT="$machine" FAKE_ROOT="$machine" LD_LIBRARY_PATH="$machine$lib" CUARBITER_LOG=info \
        LD_PRELOAD="$home/libcuarbiter.so" "$tmp/app/program" "$tmp/app/libcudart.so.13" 2>"$tmp/log" |
        sed 's,/[^ ]*/libcuda\.so\.,,'
}
is "$(site "store=$tmp/user/cuarbiter/drivers")" '0 590.48.01' "a store that root's site file names"
chown -R 1001 "$tmp/user"
chown 1002 "$tmp/run"
of_another() { site "store=${1:-/mnt}/cuarbiter/drivers"; }
user='setpriv --reuid 1002 --regid 1002 --clear-groups'
is "$(of_another)" '0 590.48.01' "a software account's, for another user"
is "$(of_another "$tmp/user")" "35 $kmd" 'not below /tmp, where anybody could have made it'
for mode in 1777 775; do
    chmod $mode "$tmp/user/cuarbiter"
    is "$(of_another)" "35 $kmd" "not where others could have made it: the folder above has mode $mode"
done
chmod 755 "$tmp/user/cuarbiter"
chown 1003 "$tmp/user/cuarbiter"
is "$(of_another)" "35 $kmd" 'nor where the folder above is a third user'\''s'
user=''
chown -R 0 "$tmp/user" "$tmp/run"
is "$(site "$(printf 'store=%s\ndrivers=no' "$tmp/user/cuarbiter/drivers")")" "35 $kmd" 'drivers=no there'
is "$(site "$(printf 'drivers=no\nlock=CUARBITER_DRIVERS')" XDG_DATA_HOME="$tmp/user" CUARBITER_DRIVERS=yes)" "35 $kmd" \
    'which can be locked'

# As somebody with such a host and image does it: docker run -v dist:/opt/cuarbiter, podman here.
as='' name='in a container, by -v'
if [ "${CUARBITER_ENGINES:-}" = no ]; then
    ok "$name # SKIP a root without container engines"
    finish
fi
if ! command -v podman >/dev/null || [ ! -e "$roots/trixie/.complete" ]; then
    missing "$name" 'no podman, or no root file system trixie'
    finish
fi
need_podman
root=$tmp/root
copy_root trixie "$root"
fresh
machine 'NVIDIA A100-SXM4-80GB'
chmod -R a+rX "$machine"
container() { # PODMAN-OPTION...
    pod run --rm "$@" -v "$home:/opt/cuarbiter:ro" -v "$machine:/machine:ro" -v "$tmp/app:/app:ro" \
        -e CUARBITER_SYSROOT=/machine -e FAKE_ROOT=/machine -e LD_LIBRARY_PATH="/machine$lib" \
        --rootfs "$root" /app/program /app/libcudart.so.13 2>"$tmp/log"
}
preload='-e LD_PRELOAD=/opt/cuarbiter/libcuarbiter.so'
is "$(container)" "35 /machine$lib/libcuda.so.$kmd" "$name: bare"
# shellcheck disable=SC2086
is "$(container $preload)" "35 /machine$lib/libcuda.so.$kmd" "$name: nothing was brought"
bring 590.48.01 "branches=$list"
chown -R 1000:1000 "$home"
brought=/opt/cuarbiter/drivers/590.48.01/libcuda.so.590.48.01
# shellcheck disable=SC2086
is "$(container $preload)" "0 $brought" "$name: runs, and the folder is another user's"
# shellcheck disable=SC2086
is "$(container $preload --user 1234)" "0 $brought" "$name: for a third user"
finish
