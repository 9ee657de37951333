#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Packages that change under running programs, which open libcuda only afterwards. The newer package
# is made of a copy of the tree whose contract between shim and engine is one higher, with another
# layout, and whose engine keeps the old one as well, as docs/stability.md says.
# shellcheck disable=SC1091,SC2016,SC2086,SC2154
. "$(dirname "$0")/../fixtures/images.sh"
[ "$(id -u)" = 0 ] || cannot 'not root'
need_tool meson ninja dpkg-deb rpmbuild rpm
need_drivers 535.261.03 555.58.02
need_root bullseye
export SOURCE_DATE_EPOCH=1700000000
chmod 755 "$tmp"
contract=$(sed -n 's/^#define CUA_CONTRACT \([0-9]*\)u$/\1/p' "$tree/include/cuarbiter/contract.h")
next=$((contract + 1))

# The same question with a field more, in front.
copy=$tmp/copy
mkdir "$copy"
(cd "$tree" && tar c --exclude='./build*' --exclude=./.git --exclude=./dist .) | tar x -C "$copy"
fields='ask flags name caller env library_path home iterate'
sed -i "s/^#define CUA_CONTRACT .*/#define CUA_CONTRACT ${next}u/
    s/^\(#define CUA_ENGINE_SYMBOL\) .*/\1 \"cua_engine_$next\"/
    s/^struct cua_question {/&\n    uint64_t more;/" "$copy/include/cuarbiter/contract.h"
sed -i "s/^        cua_engine;/&\n        cua_engine_$next;/" "$copy/probe/floor/engine.map"
sed -i "s/ cua_engine = {/ cua_engine_$next = {/" "$copy/probe/answer/engine.c"
cat >>"$copy/probe/answer/engine.c" <<END
CUA_ENGINE_NOTE_SECTION static const struct cua_engine_note note_before = CUA_ENGINE_NOTE(${contract}u);
$(sed -n '/^struct cua_question {/,/^};/p' "$tree/include/cuarbiter/contract.h" |
    sed 's/^struct cua_question/struct question_before/')
#define NOW {$(for field in $fields; do printf '.%s = before->%s, ' $field $field; done)}
static void ask_before(const struct question_before *before, struct cua_answer *answer)
{
    const struct cua_question now = NOW;
    ask(&now, answer);
}
static void not_executed_before(const struct question_before *before, const char *why)
{
    const struct cua_question now = NOW;
    not_executed(&now, why);
}
extern const struct cua_engine_before {
    uint32_t contract, size;
    const char *version;
    void (*ask)(const struct question_before *, struct cua_answer *);
    void (*not_executed)(const struct question_before *, const char *);
} cua_engine;
__attribute__((visibility("default"))) const struct cua_engine_before cua_engine = {
    ${contract}u, sizeof(cua_engine), "before", ask_before, not_executed_before};
END
sed -i "s/^  version: '.*',/  version: '99.0.0',/" "$copy/meson.build"
pack() { # TREE NAME
    for format in deb rpm; do
        "$1/scripts/packaging/make-$format" --build "$tmp/build-$2" --out "$tmp/$2" >"$tmp/log" 2>&1 || {
            not_ok "the $2 $format" "$(tail -n 20 "$tmp/log")"
            finish
        }
    done
}
pack "$tree" old
pack "$copy" new
like "$(nm -D "$tmp/build-new/probe/libcuarbiter-engine.so")" "*cua_engine*cua_engine_$next*" \
    'an engine of two contracts'

# Whatever is started while files are replaced finds an engine that knows it: the engine comes first.
for package in "$tmp"/old/* "$tmp"/new/*; do
    case $package in
    *.deb) names=$(dpkg-deb --fsys-tarfile "$package" | tar t) ;;
    *.rpm) names=$(rpm --nosignature -qlp "$package" 2>/dev/null) ;;
    esac
    that "${package##*/}: the engine comes before the shim" \
        "$(printf '%s\n' "$names" | grep -o 'libcuarbiter[^/]*\.so$' | tr '\n' ' ')" \
        'libcuarbiter-engine.so libcuarbiter.so '
done

root=$tmp/root
copy_root bullseye "$root"
lay_out "$root" 555.58.02 535.261.03
mkdir -p "$root/app" "$root/packages/old" "$root/packages/new"
cp "$build/tests/command/later" "$root/app/"
cp "$tmp"/old/* "$root/packages/old/"
cp "$tmp"/new/* "$root/packages/new/"
deb() { # old|new|remove
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
    for change in 'old old' 'old new' 'new new'; do
        for first in '' libnvidia-ml.so.1; do
            name="$format: $change, ${first:-nothing} opened before"
            that "$name" "$(across $format $change $run /app/later $first)" "100
status 0"
            that "$name: nothing is printed" "$(cat "$tmp/err")" ''
        done
    done
    # No promise is made but that it is as without cuarbiter, with one line.
    for change in 'new old' 'old remove'; do
        that "$format: $change" "$(across $format $change $run /app/later)" "803
status 0"
        like "$(cat "$tmp/err")" 'cuarbiter: error: no-engine: */libcuarbiter-engine.so cannot be used: libcuda is left as it is asked for' \
            "$format: $change: one line"
        that "$format: $change: no more" "$(wc -l <"$tmp/err")" 1
        that "$format: $change, asked before" "$(across $format $change $run /app/later libnvidia-ml.so.1)" "100
status 0"
    done
done
finish
