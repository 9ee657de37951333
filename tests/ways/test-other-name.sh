#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A library that needs "libcuda.so", without the .1, gets what the loader takes, also where libcuda.so.1
# was redirected: there the log says so. On fake drivers.
# shellcheck source=tests/ways/lib.sh
. "$(dirname "$0")/lib.sh"
place fake
export CUARBITER_TRIAL=never CUARBITER_LOG=info

logged() { # CODE COMMAND: how the log line of the redirect ends
    shimmed "$2" 2>&1 | sed -n "s/.*info: $1: .*\\(; only .*\\)/\\1/p"
}
said="; only a library that is linked with \"libcuda.so\", without .1, still gets $wrong/libcuda.so: cuarbiter cannot change that"

is "$(logged redirect init-dlopen)" "$said" 'libcuda.so.1 by name'
is "$(logged redirect "twice libcuda.so.1 lib/needs-other-name.so")" "$said" 'and such a library later'
line=$(shimmed 'twice libcuda.so.1 lib/needs-other-name.so' 2>/dev/null | grep '^program=')
is "$(word libcudas "$line")" 2 'of which there are two then'
is "$(logged brought 'open-plain lib/needs.so')" "$said" 'a library that needs libcuda.so.1'
is "$(logged exec init-linked)" "$said" 'a program that is linked with it'
for command in 'open-plain lib/needs-other-name.so' 'init-dlopen'; do
    path=$right:$wrong
    is "$(logged '[a-z]*' "$command")" '' "$command: nothing where nothing is redirected"
done
path=$wrong:$right
is "$(shimmed 'open-plain lib/needs-other-name.so' 2>/dev/null)" \
    "$(bare 'open-plain lib/needs-other-name.so')" 'such a library alone is as bare'
cp -r "$wrong/" "$tmp/wrong"
rm "$tmp/wrong/libcuda.so"
path=$tmp/wrong:$right
is "$(logged redirect init-dlopen)" '' 'nothing where that name leads to the chosen one'
path=$right
said=$(shimmed 'init-dlopen bundled/libcuda.so.1' 2>&1 | grep -c ': redirect: [^,]*$')
is "$said" 1 'a relative path may lead elsewhere later: nothing is said of later requests'
finish
