# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# needs: git
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
export GIT_AUTHOR_DATE='2024-01-01T00:00:00Z' GIT_COMMITTER_DATE='2024-01-01T00:00:00Z'
export GIT_CONFIG_NOSYSTEM=1 GIT_PAGER=cat
git init -q -b main one && cd one || exit
i=0
while [ $i -lt 20 ]; do
    echo $i >file-$i && git add . && git commit -q -m "change $i"
    i=$((i + 1))
done
git gc -q
git checkout -q -b side HEAD~5 && echo side >side && git add side && git commit -q -m side
git merge -q -m merged main && git log --format='%H %s' | head -n 3
cd .. && git clone -q one two && git -C two fsck && git -C two log -p --stat | cksum
git -C two grep -n 1 | head -n 3
git ls-remote https://127.0.0.1:1/none 2>/dev/null
echo "remote $?"
rm -rf one two
