# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2030,SC2031 # what a subshell exports is for its command
# For the scripts of this folder and of tests/peers: fixtures/lib.sh, the three files as an image would
# have them (files, shim), and the places in which programs run.
#
#   place real|fake     sets app, wrong, right (folders), kmd, bad, good (cuInit's codes there)
#   bare COMMAND...     on the machine of this place; path: LD_LIBRARY_PATH, preload: before the
#   shimmed COMMAND...  stand-in. One line of shell, which is evaluated.
#   file_of PATH        the file behind a path, as device and inode

# Not below /tmp, which everybody may write to: what lies there is not trusted, and
# would not be a candidate where the loader alone does not find it.
TMPDIR=${CUARBITER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/cuarbiter}/tmp
export TMPDIR
umask 022
mkdir -p "$TMPDIR"
# shellcheck source=tests/fixtures/lib.sh
. "$(dirname "$0")/../fixtures/lib.sh"

ways=$build/tests/ways/programs
files=$tmp/cuarbiter
shim=$files/libcuarbiter.so
# shellcheck disable=SC2034 # a row uses it
ldso=$(echo /lib*/ld-linux-"$(uname -m | tr _ -)".so.?)
install_files "$files"
real_bundled=555.58.02
real_host=535.261.03
export XDG_RUNTIME_DIR="$tmp" XDG_DATA_HOME="$tmp/data" # no store of this user

# A folder with links to a real driver's files and the development link, which Debian's lack.
link_driver() { # FOLDER VERSION
    mkdir -p "$1"
    ln -s "$drivers/$2"/lib*.so.* "$1/"
    ln -s libcuda.so.1 "$1/libcuda.so"
}

make_place() {
    app=$tmp/$1/app
    mkdir -p "$app"
    cp -r "$ways/." "$programs/." "$app/"
    case $1 in
    real)
        need_drivers "$real_bundled" "$real_host"
        link_driver "$tmp/real/wrong" "$real_bundled"
        link_driver "$tmp/real/right" "$real_host"
        ;;
    fake)
        make_root "$tmp/fake/machine" --kmd 535.161.07 --gpu 'NVIDIA GeForce RTX 4090' \
            --host-umd 535.161.07 --compat 550.54.15 >/dev/null
        ln -s machine/usr/local/cuda/compat "$tmp/fake/wrong"
        ln -s "machine/usr/lib/$(uname -m)-linux-gnu" "$tmp/fake/right"
        ;;
    esac
    ln -s "$tmp/$1/wrong" "$app/bundled"
    mkdir "$app/link" "$app/own-name"
    ln -s "$tmp/$1/wrong/libcuda.so.1" "$app/link/libcuda.so.1"
    ln -s "$tmp/$1/wrong/libcuda.so.1" "$app/own-name/driver.so"
}

# The same in an old root file system: both drivers in one folder of the loader's cache, the link
# to the newer one, as a container runtime leaves it. Inside it $tmp is /mnt/tmp.
make_root_place() { # NAME WRONG RIGHT, as the root sees them
    app=$tmp/$1/app
    mkdir -p "$app" "$tmp/$1/lib" "$tmp/$1/own"
    cp -r "$ways/lib" "$ways/linked-runpath" "$ways/state" "$ways/arguments.so" "$programs/." "$app/"
    ln -s "$2" "$app/bundled"
    cp "$ways/lib/libneeds.so" "$tmp/$1/own/"
    cp "$programs/init-dlopen" "$app/raised"
    chmod 4755 "$app/raised"
    chmod 755 "$tmp"
    ln -s "$2/libcuda.so.$bundled" "$3/libcuda.so.$kmd" "$tmp/$1/lib/"
    ln -s "libcuda.so.$bundled" "$tmp/$1/lib/libcuda.so.1"
}

# Why programs cannot be run in this root; nothing: they can.
root_misses() { # ROOT
    if [ "$(id -u)" != 0 ]; then
        echo 'not root'
    elif ! unshare -m true 2>/dev/null; then
        echo 'no mount namespaces here'
    elif [ ! -e "$roots/$1/.complete" ]; then
        echo "no root file system $1: scripts/fetch-roots"
    fi
}

# shellcheck disable=SC2034
place() {
    preload='' root='' machine='' standin='' kernel=$geforce
    case $1 in
    real*) kmd=$real_host bad=803 good=100 bundled=$real_bundled ;;
    fake*) kmd=535.161.07 bad=804 good=0 bundled=550.54.15 machine=$tmp/fake/machine ;;
    esac
    app=$tmp/$1/app wrong=$tmp/$1/wrong right=$tmp/$1/right path=$wrong:$right
    case $1 in
    *-root)
        place "${1%-root}"
        root=${old_root:-bullseye} app=$tmp/$1/app path='' kernel=/mnt/tree/tests/fixtures/geforce
        case $1 in
        real*) wrong=/mnt/cache/drivers/$bundled right=/mnt/cache/drivers/$kmd ;;
        fake*) wrong=/mnt/tmp/fake/wrong right=/mnt/tmp/fake/right machine=/mnt/tmp/fake/machine ;;
        esac
        [ -d "$app" ] || make_root_place "$1" "$wrong" "$right"
        # For programs that get no other environment.
        standin="STANDIN_KMD=$kmd STANDIN_ROOT=${machine:-$kernel}${machine:+ FAKE_ROOT=$machine}"
        ;;
    *) [ -d "$app" ] || make_place "$1" ;;
    esac
}

# A path of this place as this machine names it.
outside() {
    case $1 in
    /mnt/tmp/*) [ -n "$root" ] && echo "$tmp/${1#/mnt/tmp/}" ;;
    /mnt/cache/*) [ -n "$root" ] && echo "$cua_cache/${1#/mnt/cache/}" ;;
    /*) echo "$1" ;;
    *) echo "$app/$1" ;;
    esac
}

# shellcheck disable=SC2016
here_script='
    mount --bind "$1/driver" /proc/driver && mount --bind "$1/module" /sys/module || exit 99
    injected=${2%%:*}
    export LD_PRELOAD="$2$3"
    eval "exec timeout 20 $4"'

play_here() { # PRELOADS COMMAND
    (
        cd "$app" || exit 99
        PATH=$app:$PATH
        export LD_LIBRARY_PATH="$path" STANDIN_KMD="$kmd"
        export STANDIN_ROOT="${machine:-$kernel}" ${machine:+FAKE_ROOT="$machine"}
        export app wrong right bundled tmp ldso files shim ways programs fixtures drivers cudarts tree build kmd path machine
        unshare -m --propagation private sh -c "$here_script" sh "$(kernel_files "$kmd" "${machine:-$kernel}")" \
            "$1" "$fixtures/libstandin.so" "$2"
    ) 2>&1
}

# /etc is a copy of its own, so that nothing of it reaches the root file system or other tests.
# shellcheck disable=SC2016
in_root_script='
    cp -a /etc /mnt/tmp/etc.$$ && mount --bind /mnt/tmp/etc.$$ /etc || exit 99
    printf "%s\n" "$1/lib" "$1/own" >/etc/ld.so.conf
    ldconfig -X || exit 99
    [ ! -e /mnt/tmp/site ] || cp -a /mnt/tmp/site /etc/cuarbiter.conf
    printf "%s\n" $2 /mnt/fixtures/libstandin.so >/etc/ld.so.preload
    cd "$1/app" && PATH=$1/app:$PATH && eval "exec timeout 20 $3"'

play_in_root() { # PRELOADS COMMAND
    (
        export STANDIN_KMD="$kmd" STANDIN_ROOT="${machine:-$kernel}" ${machine:+FAKE_ROOT="$machine"}
        kernel_driver=$(kernel_files "$kmd" "$(outside "${machine:-$kernel}")")
        export kernel_driver
        in_root "$root" env ${path:+LD_LIBRARY_PATH="$path"} standin="$standin" \
            XDG_RUNTIME_DIR=/mnt/tmp sh -c "$in_root_script" sh "/mnt/tmp${app#"$tmp"}/.." "$1" "$2"
    ) 2>&1
}

play() {
    if [ -n "$root" ]; then play_in_root "$@"; else play_here "$@"; fi
}

bare() {
    play "${preload:+$preload:}" "$*"
}

shimmed() {
    if [ -n "$root" ]; then
        play /mnt/tmp/cuarbiter/libcuarbiter.so "$*"
    else
        play "$shim:${preload:+$preload:}" "$*"
    fi
}

# From now on each answerer runs in a tracer's hands, with a file of FOLDER for each: what traces the
# program does not see it.
trace_answerers() { # FOLDER STRACE-OPTION...
    mkdir -p "$1"
    [ -e "$files/untraced" ] || mv "$files/cuarbiter-answer" "$files/untraced"
    folder=$1
    shift
    printf '#!/bin/sh\nexec %s -f -qq %s -o %s/$$ %s\n' "$(command -v strace)" "$*" "$folder" "$files/untraced" \
        >"$files/cuarbiter-answer"
    chmod 755 "$files/cuarbiter-answer"
}

file_of() {
    case $1 in 'lacks '*) echo "$1" && return ;; esac # may_lack
    stat -L -c %d:%i "$1" 2>/dev/null || echo none
}
