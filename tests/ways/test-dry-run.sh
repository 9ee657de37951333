#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# CUARBITER_POLICY=report, and a log folder. On fake drivers: a compat package, which answers 804 on
# the machine's GeForce, before the host's driver.
# shellcheck source=tests/ways/lib.sh
. "$(dirname "$0")/lib.sh"
may_lack jq
place fake
opens=init-dlopen
logs=$tmp/logs
mkdir -m 1777 "$logs"
mkdir "$tmp/run"

# SETTINGS...: what the program prints; stderr is in $tmp/err.
start() {
    shimmed "env XDG_RUNTIME_DIR=$tmp/run $* $opens 2>$tmp/err"
}
dry() {
    start CUARBITER_POLICY=report "$@"
}
fresh() {
    rm -rf "$tmp/run" "$logs"
    mkdir "$tmp/run"
    mkdir -m 1777 "$logs"
}
file=$logs/$(uname -n)-$(id -u).jsonl

# --- Standard error.
is "$(word cuInit "$(dry)")" 804 'nothing changes'
like "$(cat "$tmp/err")" "cuarbiter[[]*[]]: warn: report: the policy auto would take $(realpath "$right")/libcuda.so.* \
instead of */compat/libcuda.so.*, whose cuInit answers 804. *GeForce*" 'it says what auto would do, and what happens without'
is "$(wc -l <"$tmp/err")" 1 'in one line'
dry >/dev/null
is "$(cat "$tmp/err")" '' 'once a container'
fresh
path=$right
dry >/dev/null
like "$(cat "$tmp/err")" '*: warn: report: the policy auto would change nothing. 535.161.07 has the version of the kernel driver *' \
    'where nothing would change, that'
path=$right
fresh
deep=$tmp/$(printf 'd%.0s' $(seq 200))
cp -rL "$wrong/" "$deep"
path=$deep:$right
dry >/dev/null
like "$(cat "$tmp/err")" "* instead of $deep/libcuda.so.*, whose cuInit answers 804. *" 'a long path is whole'
path=$wrong:$right
fresh
opens='twice libcuda.so.1 libcuda.so.1'
is "$(word cuInit "$(dry)")" 804 'opened twice: nothing changes'
is "$(grep -o 'warn: [a-z-]*' "$tmp/err")" 'warn: report' 'and it is one choice'
# By its path, and then by a name that leads to another one.
opens="twice $right/libcuda.so.1 libcuda.so"
fresh
is "$(dry CUARBITER_LOG=error | sed 's/ maps=.*//')" "$(bare "$opens" | sed 's/ maps=.*//')" 'one by its path is mapped: nothing changes'
opens="opened now \$PWD/link/libcuda.so.1 /nowhere/libcuda.so.1"
is "$(start CUARBITER_LOG=error 2>&1 | grep -o '/nowhere.*')" "$(bare "$opens" 2>&1 | grep -o '/nowhere.*')" 'auto: a path that leads nowhere, while one is mapped: as bare'
opens=init-dlopen
fresh
dry CUARBITER_LOG=error >/dev/null
is "$(cat "$tmp/err")" '' 'not where only errors are wanted'
fresh
dry CUARBITER_LOG_FORMAT=json >/dev/null
cat "$tmp/err" >"$tmp/lines"
mkdir "$tmp/saved"
{ echo 'what the program itself prints' && cat "$tmp/err"; } >"$tmp/saved/container.jsonl"
is "$("$files/cuarbiter" summary --json "$tmp/saved" | jq -c '[.processes, .dry, .changed, .unknown, .groups[0].without]')" \
    '[1,1,1,1,804]' 'which summary counts, among what the program prints'
is "$(jq -c '[.policy, .code, .without, (.from|test("/compat/")), (.to|test("/compat/"))]' "$tmp/err")" \
    '["report","report",804,true,false]' 'as JSON'

# --- A log folder.
fresh
is "$(word cuInit "$(dry CUARBITER_LOG_FILE="$logs")")" 804 'a folder: nothing changes'
dry CUARBITER_LOG_FILE="$logs" CUARBITER_LOG_FORMAT=text >/dev/null
is "$(cat "$tmp/err")" '' 'a folder: stderr is empty'
is "$(wc -l <"$file")" 2 'a line for each process'
is "$(stat -c %a "$file")" 644 'that nobody else may write'
start CUARBITER_LOG_FILE="$logs" >/dev/null
start CUARBITER_LOG_FILE="$logs" CUARBITER_LOG=debug >/dev/null
is "$(jq -s -c 'map(select(has("reason")) | .policy)' "$file")" '["report","report","auto","auto"]' \
    'with policy auto too, and one line a process with more in it'
is "$(jq -s -r '.[2] | [.level, .code, .reason, .without] | join(" ")' "$file")" 'info native native 804' \
    'what an acting process got'
is "$(jq -s -r '.[0] | [.host, .uid, (.exe|test("/init-dlopen$"))] | map(tostring) | join(" ")' "$file")" \
    "$(uname -n) $(id -u) true" 'who it was'
now=$(date -u +%s)
is "$(jq -s --argjson now "$now" 'map((.time | sub("\\.[0-9]+Z$"; "Z") | fromdate) as $t | $now - $t < 60 and $t <= $now) | all' "$file")" \
    true 'the time is the time'
cat "$file" >>"$tmp/lines"
need_tool python3
is "$(python3 - "$tree/docs/log.schema.json" "$tmp/lines" 2>&1 <<'EOF'
import json, sys
import jsonschema
schema = json.load(open(sys.argv[1]))
jsonschema.Draft7Validator.check_schema(schema)
lines = open(sys.argv[2]).read().splitlines()
for line in lines:
    for error in jsonschema.Draft7Validator(schema).iter_errors(json.loads(line)):
        print(line, error.message)
    unknown = set(json.loads(line)) - set(schema['properties'])
    if unknown:
        print(line, unknown)
print(len(lines) > 4)
EOF
)" True 'every line is what the schema describes'

for opens in linked 'python3 init.py'; do
    fresh
    for policy in auto report; do
        start CUARBITER_POLICY=$policy CUARBITER_LOG_FILE="$logs" >/dev/null
        is "$(jq -s -r 'last | [length, .without, (.from|test("/compat/")), (.to|test("/compat/"))] | map(tostring) | join(" ")' "$file")" \
            '13 804 true false' "$opens, $policy: its choice"
    done
    is "$(wc -l <"$file")" 2 "$opens: a line a process"
done
opens=init-dlopen

# --- What others may have put there.
for trap in link dangling hard fifo folder; do
    fresh
    : >"$tmp/victim"
    case $trap in
    link) ln -s "$tmp/victim" "$file" ;;
    dangling) ln -s "$tmp/made" "$file" ;;
    hard) ln "$tmp/victim" "$file" ;;
    fifo) mkfifo "$file" ;;
    folder) mkdir "$file" ;;
    esac
    dry CUARBITER_LOG_FILE="$logs" >/dev/null
    [ ! -e "$tmp/made" ] && [ ! -s "$tmp/victim" ] && grep -q ': warn: report: ' "$tmp/err"
    is $? 0 "a $trap in the file's place: nothing is written to it, and standard error has the line"
done
fresh
dry CUARBITER_LOG_FILE=/nowhere/at/all >/dev/null
like "$(cat "$tmp/err")" '*: warn: report: *' 'no such folder: standard error'
fresh
truncate -s 5M "$file"
dry CUARBITER_LOG_FILE="$logs" >/dev/null
is "$(stat -c %s "$file"),$(cat "$tmp/err")" 5242880, 'a file that is full takes no more, and nothing goes elsewhere'
finish
