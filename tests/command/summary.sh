#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cuarbiter summary: a log folder, counted.

# shellcheck source=tests/command/lib.sh
. "$(dirname "$0")/lib.sh"
may_lack jq

logs=$tmp/logs
mkdir "$logs"
host=/usr/lib/libcuda.so.535.1 bundled=/usr/local/cuda/compat/libcuda.so.550.1
line() { # HOST UID EXE POLICY REASON FROM TO WITHOUT [TIME]
    printf '{"time":"%s","host":"%s","pid":1,"uid":%s,"exe":"%s","policy":"%s","level":"warn","code":"report","reason":"%s","from":%s,"to":%s,"without":%s,"message":"m"}\n' \
        "${9:-2026-11-22T10:00:00.000Z}" "$1" "$2" "$3" "$4" "$5" "$6" "$7" "$8" >>"$logs/$1-$2.jsonl"
}
line a 0 /bin/train report native "\"$bundled\"" "\"$host\"" 804 2026-11-22T09:00:00.000Z
line a 0 /bin/train report native "\"$bundled\"" "\"$host\"" 804
line b 7 /bin/train report native "\"$bundled\"" "\"$host\"" 804 2026-11-23T09:00:00.000Z
line b 7 /bin/serve auto native "\"$bundled\"" "\"$host\"" 804
line b 7 /bin/same report native "\"$host\"" "\"$host\"" 0
line b 7 /bin/none report no-native null null null
run summary "$logs"
is "$rc:$err" 0: 'exit code, nothing on stderr'
like "$out" "Processes       6, of 4 programs on 2 hosts, started by 2 users
Time            2026-11-22T09:00:00.000Z to 2026-11-23T09:00:00.000Z
Dry run         5 processes: with cuarbiter, 3 would get another libcuda, 2 the same
Lines           6 in the log files, of which 0 are not log lines

3 processes on 2 hosts, policy report: /bin/train
  got      $bundled, cuInit 804
  would    $host (native)

*
1 process on 1 host, policy auto: /bin/serve
  without  $bundled, cuInit 804
  got      $host (native)" 'the text'
like "$out" "*policy report: /bin/same
  got      $host, cuInit 0 (native)
*" 'one that would change nothing'
like "$out" "*/bin/none
  got      none*" 'one without a libcuda'
run summary --json "$logs"
is "$(json '[.schema,.processes,.programs,.hosts,.users,.dry,.changed,.lines,.unknown]|@csv')" 1,6,4,2,2,5,3,6,0 'JSON: the numbers'
is "$(json '.groups[0]|[.processes,.exe,(.hosts|join("+")),.policy,.reason,.got,.from,.to,.without]|@csv')" \
    "3,\"/bin/train\",\"a+b\",\"report\",\"native\",\"$bundled\",\"$bundled\",\"$host\",804" 'a group of a dry run: what it got'
is "$(json '.groups[]|select(.exe=="/bin/serve")|.got')" "$host" 'and one that acted'
is "$(json '.groups[]|select(.exe=="/bin/none")|[.got,.to,.without]|map(tostring)|join(" ")')" 'null null null' 'null stays null'
run summary --json --output "$tmp/out.json" "$logs"
is "$rc:$out:$(jq .processes "$tmp/out.json")" 0::6 'into a file'

# Which drivers could be brought, by package.
wants() { # HOST CUDA KMD GPUS
    printf '{"time":"2026-11-22T10:00:00.000Z","host":"%s","pid":1,"uid":0,"exe":"/bin/new","policy":"auto","level":"warn","code":"runtime-too-new","reason":"runtime-too-new","from":"%s","to":"%s","without":0,"cuda":%s,"kmd":%s,"gpus":%s,"message":"m"}\n' \
        "$1" "$host" "$host" "$2" "$3" "$4" >>"$tmp/wants/$1-0.jsonl"
}
mkdir "$tmp/wants"
wants a '"13.0"' '"535.161.07"' '"NVIDIA A100-SXM4-80GB"'
wants a '"13.0"' '"535.161.07"' '"NVIDIA A100-SXM4-80GB"'
wants b '"13.0"' '"550.54.15"' '"Tesla V100-SXM2-16GB; NVIDIA A100-SXM4-80GB"'
wants b '"13.0"' '"535.161.07"' '"NVIDIA GeForce RTX 4090"'
wants c '"13.0"' '"535.161.07"' null
wants c '"%n"' '"\u001b[31m"' '"; ; ; "'
wants c 13 null '[]'
run summary "$tmp/wants"
is "$rc:$err" 0: 'drivers to bring'
like "$(echo "$out" | tr -s '\n ' ' ')" '*To add 3 processes on 2 hosts, no driver there has their CUDA: cuarbiter driver add 580.95.05; 580.95.05 runs on * To add 1 process on 1 host, no driver there has their CUDA: none to add: none of the drivers that cuarbiter can fetch is certain to work; *(newer-brand)*' 'drivers to bring: the text'
run summary --json "$tmp/wants"
is "$(json '[.processes, .unknown, (.bring[0] | .version, .processes, (.hosts | join("+")))] | @csv')" '7,0,"580.95.05",3,"a+b"' 'drivers to bring, as JSON'
is "$(json '.bring[1:][] | [.version, .processes, .why[:40]] | @csv' | sort)" ',1,"none of the drivers that cuarbiter can f"
,1,"the GPUs of the hosts are not known"
,1,"the kernel driver or the CUDA is not kno"' 'drivers to bring: none, and why'

# What is no line, or a part of one.
{
    echo 'not json'
    echo '{"time":"2026-11-22T10:00:00.000Z","host":"a","pid":1,"uid":0,"exe":"/x","policy":"auto","level":"warn","code":"bad-value","message":"another line of the log"}'
    echo '{"time":1763800000.1,"pid":1,"level":"warn","code":"x","message":"of an older form"}'
    echo '[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[['
    head -c 300000 /dev/zero | tr '\0' '{'
    echo
    printf 'a\0b\n'
    head -c 100000 /dev/urandom
    echo
    printf '%s\n' '{"time":"2026-11-22T10:00:00.000Z","host":"\u001b[31m","pid":1,"uid":0,"exe":"/a\"\\\ud800é\nb","policy":"auto","level":"warn","code":"x","reason":"native","from":null,"to":"/l","without":null,"message":"m"}'
} >"$logs/z-0.jsonl"
lines=$(grep -c . "$logs/z-0.jsonl" || true)
head -c 200 "$logs/a-0.jsonl" >>"$logs/z-0.jsonl"
run summary --json "$logs"
is "$rc:$err" 0: 'foreign and cut lines: exit code, nothing on stderr'
is "$(json '[.processes, .unknown >= 7]|map(tostring)|join(" ")')" '7 true' "they are counted apart ($lines)"
is "$(json '.groups[]|select(.to=="/l")|.exe')" "$(printf '/a"\\\357\277\275\303\251\nb')" 'escapes are read, and written again'
run summary "$logs"
is "$(printf '%s' "$out" | tr -d '[:print:]\n' | wc -c)" "$(printf '\357\277\275\303\251' | wc -c)" 'no control character reaches a terminal'

# What others may put there: nothing waits, and nothing is read elsewhere.
rm "$logs/z-0.jsonl"
mkfifo "$logs/pipe.jsonl"
ln -s "$logs/a-0.jsonl" "$logs/link.jsonl"
mkdir "$logs/folder.jsonl"
echo 'no such name' >"$logs/notes.txt"
run summary --json "$logs"
is "$rc:$(json '[.processes,(.unread|sort|join("+"))]|map(tostring)|join(" ")')" '3:6 folder.jsonl+link.jsonl+pipe.jsonl' \
    'pipes, links and folders: 3'
rm -r "$logs/pipe.jsonl" "$logs/link.jsonl" "$logs/folder.jsonl"
truncate -s 5M "$logs/b-7.jsonl"
run summary --json "$logs"
is "$rc:$(json '[.processes,(.full|join("+"))]|map(tostring)|join(" ")')" '0:6 b-7.jsonl' 'a file that is full: its lines count, and it is named'
mkdir "$tmp/empty"
run summary "$tmp/empty"
is "$rc" 3 'nothing in it: 3'
run summary "$tmp/nowhere"
is "$rc:$err" "2:cuarbiter: $tmp/nowhere: No such file or directory" 'no such folder: 2'
run summary "$logs/a-0.jsonl"
is "$rc:$err" "2:cuarbiter: $logs/a-0.jsonl: Not a directory" 'a file: 2'
run summary
is "$rc" 2 'no folder: 2'
run summary "$logs" "$logs"
is "$rc" 2 'two: 2'
# What the hook wrote of containers.
mkdir "$tmp/hook"
written() { # ID MINUTE DID WHY POLICY
    printf '{"time":"2026-11-24T03:%s:09.000Z","container":"%s","hook":"%s","why":%s,"namespace":null,"pod":null,"name":null,"image":null,"drivers":null,"policy":"%s"}\n' "$2" "$1" "$3" "$4" "$5"
}
{
    written a 12 added null report
    written b 12 left '"no GPU"' report
    written c 12 left '"no GPU"' report
    written d 12 left '"the container refuses it"' report
} >"$tmp/hook/containers.jsonl"
run summary "$tmp/hook"
is "$rc" 0 'containers: exit code'
like "$out" '*4, of which 1 got cuarbiter*2 did not get it: no GPU*1 did not get it: the container refuses it*4 in the log files, of which 0 are not log lines*' 'containers'
run summary --json "$tmp/hook"
is "$(json '[.containers, .left[0]] | tostring')" '[4,{"why":"no GPU","containers":2}]' 'containers, as JSON'
# Two ways bring the hook and both leave the container; another is started again; the older file is read later.
{
    written b 13 left '"no GPU"' report
    written d 13 added null disabled
    written e 13 missed '"it was started while the plugin did not run"' auto
    written '?' 13 left '"no GPU"' auto
    written '?' 13 left '"no GPU"' auto
} >>"$tmp/hook/containers.jsonl"
written a 11 left '"no GPU"' report >"$tmp/hook/containers.1.jsonl"
# As a version before the policy wrote it.
written f 11 added null report | sed 's/,"policy":"report"//' >>"$tmp/hook/containers.1.jsonl"
run summary "$tmp/hook"
like "$out" '*8, of which 3 got cuarbiter
  4 did not get it: no GPU
  1 did not get it: it was started while the plugin did not run
  1 got it while the policy was off or disabled
*11 in the log files, of which 0 are not log lines*' 'a container is counted once, by its last line'
finish
