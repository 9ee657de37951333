#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cuarbiter run: LD_PRELOAD, the other variables, exit codes.

# shellcheck disable=SC2016 # it is the command that expands
# shellcheck source=tests/command/lib.sh
. "$(dirname "$0")/lib.sh"

shim=$files/libcuarbiter.so

run path
is "$rc:$out" "0:$shim" 'path: the file for LD_PRELOAD'
mkdir "$tmp/a b" && cp "$files"/* "$tmp/a b/"
rc=0 && "$tmp/a b/cuarbiter" path >"$tmp/said" 2>&1 || rc=$?
is "$rc:$(cat "$tmp/said")" "125:cuarbiter: $tmp/a b/libcuarbiter.so: a path with a space, a colon or a '\$' cannot be an entry of LD_PRELOAD; move cuarbiter's files to another folder" 'path: what LD_PRELOAD cannot hold'

run run -- sh -c 'echo "$LD_PRELOAD"; exit 42'
is "$rc" 42 "the command's exit code"
is "$out" "$shim" 'the shim is preloaded'
run run sh -c 'echo $LD_PRELOAD' --policy
is "$rc:$out" "0:$shim" 'without --; what follows is the command line of the command'

cp "$odd" "$tmp/other.so"
LD_PRELOAD=$tmp/other.so run run -- sh -c 'echo "$LD_PRELOAD"'
is "$out" "$shim:$tmp/other.so" 'what is there is kept, behind it'
LD_PRELOAD=$shim:$tmp/other.so run run -- sh -c 'echo "$LD_PRELOAD"'
is "$out" "$shim:$tmp/other.so" 'not twice'
LD_PRELOAD="$shim $tmp/other.so" run run -- sh -c 'echo "$LD_PRELOAD"'
is "$out" "$shim $tmp/other.so" 'not twice, before a blank too'
LD_PRELOAD=${shim}x run run -- sh -c 'echo "$LD_PRELOAD"' 2>/dev/null
is "$out" "$shim:${shim}x" 'a longer name is another file'

run run --policy host --log debug --libcuda "$odd" -- \
    sh -c 'echo "$CUARBITER_POLICY $CUARBITER_LOG $CUARBITER_LIBCUDA"'
is "$out" "host debug $(realpath "$odd")" 'policy, log, file'
run run --libcuda /nonexistent true
is "$rc:$err" '2:cuarbiter: /nonexistent: No such file or directory' 'a file that is not there'

run run -- /nonexistent
is "$rc:$err" '127:cuarbiter: /nonexistent: No such file or directory' 'not found'
run run -- no-such-command-anywhere
is "$rc" 127 'not found on the path'
echo text >"$tmp/text"
run run -- "$tmp/text"
is "$rc:$err" "126:cuarbiter: $tmp/text: Permission denied" 'cannot be executed'
run run -- "$tmp"
is "$rc" 126 'a folder'
run run -- sh -c 'kill -TERM $$'
is "$rc" 143 'ended by a signal'

mkdir "$tmp/with space" "$tmp/with:colon" "$tmp/with\$dollar" "$tmp/alone"
for folder in 'with space' 'with:colon' 'with$dollar'; do
    cp "$files"/* "$tmp/$folder/"
    cuarbiter=$tmp/$folder/cuarbiter
    run run -- true
    is "$rc" 125 "the shim in a folder $folder: refused"
    like "$err" "cuarbiter: $tmp/$folder/libcuarbiter.so: *LD_PRELOAD*" 'why'
done
cp "$files/cuarbiter" "$tmp/alone/"
cuarbiter=$tmp/alone/cuarbiter
run run -- true
is "$rc:$err" "125:cuarbiter: $tmp/alone/libcuarbiter.so: No such file or directory" 'no shim beside the command'
cp "$shim" "$tmp/alone/"
for verb in run doctor; do
    run $verb -- true
    is "$rc:$err" "125:cuarbiter: $tmp/alone/cuarbiter-answer: No such file or directory" \
        "$verb: no answerer beside it"
done
cp "$answerer" "$tmp/alone/"
chmod 644 "$tmp/alone/cuarbiter-answer"
run run -- true
is "$rc:$err" "125:cuarbiter: $tmp/alone/cuarbiter-answer: Permission denied" 'an answerer that may not be executed'
cuarbiter=$files/cuarbiter
run doctor -- /nonexistent
is "$rc:$err" '127:cuarbiter: doctor: /nonexistent: No such file or directory' 'doctor: no report on what was not started'
ln -s "$files/cuarbiter" "$tmp/link"
cuarbiter=$tmp/link
run run -- sh -c 'echo $LD_PRELOAD'
is "$out" "$shim" 'through a link'
out=$(cd "$tmp" && PATH=$tmp:$PATH link run -- sh -c 'echo $LD_PRELOAD')
is "$out" "$shim" 'on the path'
out=$(cd "$files" && ./cuarbiter run -- sh -c 'echo $LD_PRELOAD')
is "$out" "$shim" 'by a relative path'

mkdir "$tmp/named" && cp "$command" "$tmp/named/other"
is "$("$tmp/named/other" run -- true 2>&1)" \
    'cuarbiter: libcuarbiter.so: its folder was not found from this command'"'"'s own path (is its file still called cuarbiter?)' \
    'a command of another name'
finish
