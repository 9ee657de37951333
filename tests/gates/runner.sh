#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# scripts/test around a meson of its own: which groups it runs in which order, that a red light ends it, what it
# prints last.
# shellcheck source=tests/fixtures/lib.sh
. "$(dirname "$0")/../fixtures/lib.sh"

# The scripts, with nothing for aarch64.
mkdir "$tmp/copy" "$tmp/copy/tests"
cp -r "$tree/scripts" "$tmp/copy/"
cp "$tree/tests/groups" "$tree/tests/summary.py" "$tmp/copy/tests/"
cd "$tmp/copy" || exit 99
printf '#!/bin/sh\nexit 1\n' >scripts/build-aarch64

# Each test run has one test, red where its suites are $red.
mkdir "$tmp/bin"
cat >"$tmp/bin/meson" <<'END'
#!/bin/sh
[ "$1" = test ] || exit 0
mkdir -p "$3/meson-logs"
case $* in
*"--num-processes 1 c"*) result=$second code=1 && [ "$second" = FAIL ] || code=0 ;;
*"--suite $red"*) result=FAIL code=1 ;;
*) result=OK code=0 ;;
esac
printf '{"name": "a:b / c", "result": "%s", "returncode": %d, "stdout": ""}\n' $result $code \
    >"$3/meson-logs/testlog.json"
exit $code
END
chmod +x "$tmp/bin/meson"
runs() { # RED ARGUMENT...: what it prints; $took: the groups in their order
    out=$(red=$1 && shift && export red second="${second:-FAIL}" && PATH=$tmp/bin:$PATH CUARBITER_OFFLINE=1 CUARBITER_MUST_RUN='' \
        CUARBITER_BUILD=$tmp/build scripts/test "$@" 2>"$tmp/err")
    took=$(sed -n 's/; with .*//; s/^test: seconds: //p' "$tmp/err" | tail -n 1 | sed 's/ [0-9][0-9]*//g')
}
last() {
    printf '%s\n' "$out" | tail -n 1
}

runs none --group light --group ways
is "$took" 'light, ways' 'each group has its time'
is "$(last)" '2 passed, 0 failed, 0 skipped' 'the last line sums them up'
runs peers --group ways --group load
is "$took: $(last)" 'ways, load: 1 passed, 1 failed, 0 skipped' 'a red group stops no other'
runs unit --group light --group ways
is "$took: $(last)" 'light: 0 passed, 2 failed, 0 skipped' 'but light does'
like "$out" '*FAILED: the other groups: not run, since light failed*' 'and it says so'
runs unit
is "$took: $(last)" 'light: 0 passed, 1 failed, 0 skipped' 'light alone'
like "$out" '*unsteady: c: fail: red again*' 'and was red in its second run'
second=OK
runs unit --group light --group ways
is "$took: $(last)" 'light, ways: 2 passed, 0 failed, 0 skipped' 'a test that fails beside others and not alone'
like "$out" '*unsteady: c: fail: not when it ran alone*' 'is named'
runs load --group load
is "$(last)" '0 passed, 1 failed, 0 skipped' 'but none of load has a second run'
second=FAIL
runs unit --ci
is "$took" light '--ci begins with light'
runs none --ci
is "$took" "$(sed -n 's/ *|.*//; /^#/d; /^newest$/d; /^engines$/d; /^nightly$/!p' tests/groups | tr '\n' ' ' | sed 's/ $//; s/ /, /g')" \
    '--ci runs all but engines, newest and nightly'

runs none light
is "$(cat "$tmp/err")" 'test: light is a group: scripts/test --group light' 'a group without --group is recognised'
for wrong in --lst nosuch -v; do
    runs none $wrong
    like "$(cat "$tmp/err")" "test: $wrong is no option of scripts/test (--help lists them), nor of meson setup*" \
        "$wrong is refused before anything is installed"
done
for slip in --lst:list --grp:group all:all -al:all; do
    runs none "${slip%:*}"
    like "$(cat "$tmp/err")" "*; did you mean --${slip#*:}?" "${slip%:*}: what was meant"
done
CC=/nonexistent runs none --group light
is "$(last)" '0 passed, 1 failed, 0 skipped' 'without a compiler: the last line'
like "$(cat "$tmp/err")" '*no C compiler here (/nonexistent): scripts/deps build installs gcc' 'and the line before it says so'
out=$(CUARBITER_MUST_RUN='' CUARBITER_OFFLINE=1 python3 -B "$tree/tests/code/real.py")
like "$? $out" '0 1..0 # SKIP *' 'code-real without a network: a skip, not an error'
runs none -Dwerror=true
is "$took" light 'what meson setup takes is passed on'
finish
