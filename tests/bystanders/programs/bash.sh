# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# needs: bash
exec bash -c '
set -o pipefail
declare -A map=([one]=1 [two]=2)
for key in "${!map[@]}"; do echo "$key ${map[$key]}"; done | sort
coproc BACK { while read -r line; do echo "back: $line"; done; }
echo hello >&"${BACK[1]}"
read -r answer <&"${BACK[0]}"; echo "$answer"
trap "echo caught" USR1; kill -USR1 $$
diff <(printf "a\nb\n") <(printf "a\nc\n")
( exit 7 ); echo "status $?"
enable -f /usr/lib/bash/no-such-builtin nothing; echo "enable $?"
exec 9<>file; echo text >&9; cat file
env -i /bin/sh -c "env | sort" | grep -v -e PWD -e SHLVL -e "^_="
ulimit -n 5; echo "few descriptors" | cat
false | true; echo "pipe $?"'
