#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Packages that change under running programs, which open libcuda only afterwards. The newer package
# is made of a copy of the tree with another version, a third one of a copy whose frame between shim and
# answerer is another too, as docs/stability.md says.
# shellcheck disable=SC1091,SC2016,SC2086,SC2154
. "$(dirname "$0")/../fixtures/images.sh"
[ "$(id -u)" = 0 ] || cannot 'not root'
need_tool meson ninja dpkg-deb rpmbuild rpm
need_drivers 535.261.03 555.58.02
need_root bullseye
export SOURCE_DATE_EPOCH=1700000000
chmod 755 "$tmp"

change() { # NAME VERSION SED: a copy of the tree, its version, and what is changed of the frame
    mkdir "$tmp/$1-tree"
    (cd "$tree" && tar c --exclude='./build*' --exclude=./.git --exclude=./dist .) | tar x -C "$tmp/$1-tree"
    sed -i "s/^  version: '.*',/  version: '$2',/" "$tmp/$1-tree/meson.build"
    sed -i "$3" "$tmp/$1-tree/include/cuarbiter/frame.h"
}
change new 99.0.0 ''
change other 99.1.0 's/^#define CUA_FRAME .*/#define CUA_FRAME "x"/'
pack() { # TREE NAME
    for format in deb rpm; do
        "$1/scripts/packaging/make-$format" --build "$tmp/build-$2" --out "$tmp/$2" >"$tmp/log" 2>&1 || {
            not_ok "the $2 $format" "$(tail -n 20 "$tmp/log")"
            finish
        }
    done
}
pack "$tree" old
for each in new other; do pack "$tmp/$each-tree" $each; done

# Whatever is started while files are replaced finds an answerer: it comes first.
for package in "$tmp"/old/* "$tmp"/new/*; do
    case $package in
    *.deb) names=$(dpkg-deb --fsys-tarfile "$package" | tar t) ;;
    *.rpm) names=$(rpm --nosignature -qlp "$package" 2>/dev/null) ;;
    esac
    that "${package##*/}: the answerer comes before the shim" \
        "$(printf '%s\n' "$names" | grep -o 'libcuarbiter[^/]*\.so$\|cuarbiter-answer$' | tr '\n' ' ')" \
        'cuarbiter-answer libcuarbiter.so '
done

root=$tmp/root
copy_root bullseye "$root"
lay_out "$root" 555.58.02 535.261.03
mkdir -p "$root/app" "$root/packages/old" "$root/packages/new" "$root/packages/other"
cp "$build/tests/command/later" "$root/app/"
cp "$tmp"/old/* "$root/packages/old/"
cp "$tmp"/new/* "$root/packages/new/"
cp "$tmp"/other/* "$root/packages/other/"
deb() { # old|new|other|remove
    case $1 in
    remove) chroot "$root" dpkg -r cuarbiter ;;
    *) chroot "$root" sh -c "dpkg --force-downgrade -i /packages/$1/*.deb" ;;
    esac >"$tmp/log" 2>&1 || sed 's/^/# /' "$tmp/log"
}
rpm() {
    case $1 in
    remove) command rpm --root "$root" --dbpath /var/lib/rpm-test -e cuarbiter ;;
    *) command rpm --nosignature --root "$root" --dbpath /var/lib/rpm-test -U --oldpackage --replacepkgs \
        --nodeps --ignorearch "$root/packages/$1"/*.rpm ;;
    esac >"$tmp/log" 2>&1 || sed 's/^/# /' "$tmp/log"
}

# FORMAT FROM TO COMMAND...: the word cuInit of a program that was started under FROM and opens libcuda
# under TO; what it printed is in $tmp/err.
mkfifo "$tmp/in" "$tmp/out"
across() {
    format=$1 to=$3
    $1 "$2"
    shift 3
    in_root "$root" 535.261.03 "$@" <"$tmp/in" >"$tmp/out" 2>"$tmp/err" &
    exec 3>"$tmp/in" 4<"$tmp/out"
    read -r line <&4
    [ "$line" = ready ] || echo "printed: $line"
    $format "$to"
    echo go >&3
    word cuInit "$(cat <&4)"
    exec 3>&- 4<&-
    wait $!
    echo "status $?"
    [ "$to" = remove ] || $format remove
}
run='/usr/bin/cuarbiter run'
for format in deb rpm; do
    that "$format: without it" "$(word cuInit "$(echo go | in_root "$root" 535.261.03 /app/later)")" 803
    for change in 'old old' 'old new' 'new old' 'other other'; do
        for first in '' libnvidia-ml.so.1; do
            name="$format: $change, ${first:-nothing} opened before"
            that "$name" "$(across $format $change $run /app/later $first)" "100
status 0"
            that "$name: nothing is printed" "$(cat "$tmp/err")" ''
        done
    done
    # No promise is made but that it is as without cuarbiter, with one line.
    for change in 'old other' 'other old' 'old remove'; do
        for first in '' libnvidia-ml.so.1; do
            name="$format: $change, ${first:-nothing} opened before"
            that "$name" "$(across $format $change $run /app/later $first)" "803
status 0"
            case $change in *remove) why='is missing' ;; *) why='gave no usable answer *' ;; esac
            like "$(cat "$tmp/err")" "cuarbiter: error: no-answerer: */cuarbiter-answer $why: *lib*.so.1 is loaded as without cuarbiter" \
                "$name: one line"
            that "$name: no more" "$(wc -l <"$tmp/err")" 1
        done
    done
done
finish
