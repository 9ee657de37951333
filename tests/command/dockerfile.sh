#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cuarbiter dockerfile: what docker, podman and buildah say of an image becomes lines that keep its
# ENTRYPOINT and CMD.
# shellcheck disable=SC1091,SC2016,SC2154
. "$(dirname "$0")/../fixtures/images.sh"
need_files
may_lack jq
cuarbiter=$files/cuarbiter
script=/opt/cuarbiter/cuarbiter-entrypoint

lines() { # ENTRYPOINT CMD, as JSON
    printf '[{"Id":"x","RepoTags":["my/image:1","b"],"Config":{"Entrypoint":%s,"Cmd":%s,"Env":["A=b"]}}]' "$1" "$2" |
        "$cuarbiter" dockerfile 2>&1
}
copy='FROM my/image:1
COPY dist/ /opt/cuarbiter/'

that 'CMD alone' "$(lines null '["python3","-m","x"]')" "$copy
ENTRYPOINT [\"$script\"]
CMD [\"python3\", \"-m\", \"x\"]"
that 'ENTRYPOINT alone' "$(lines '["/entry.sh","serve"]' null)" "$copy
ENTRYPOINT [\"$script\", \"/entry.sh\", \"serve\"]"
that 'both' "$(lines '["/entry.sh"]' '["serve"]')" "$copy
ENTRYPOINT [\"$script\", \"/entry.sh\"]
CMD [\"serve\"]"
that 'neither' "$(lines null null)" "$copy
ENTRYPOINT [\"$script\"]"
that 'shell form' "$(lines null '["/bin/sh","-c","echo \"$HOME\" && x"]')" "$copy
ENTRYPOINT [\"$script\"]
CMD [\"/bin/sh\", \"-c\", \"echo \\\"\$HOME\\\" && x\"]"
that 'lists without words' "$(lines '[]' '[]')" "$copy
ENTRYPOINT [\"$script\"]"
that 'run twice, it adds nothing' "$(lines "[\"$script\",\"/entry.sh\"]" '["serve"]')" "$copy
ENTRYPOINT [\"$script\", \"/entry.sh\"]
CMD [\"serve\"]"
words='["a b","","\u00e9\n\t\\","[\"]","\u0026"]'
that 'every word survives' \
    "$(lines null "$words" | sed -n 's/^CMD //p' | jq -c .)" "$(printf %s "$words" | jq -c .)"

that 'buildah inspect' "$(echo '{"Type":"x","Config":"{\"config\":{}}","Docker":{"config":{"Cmd":["no"]}},
    "FromImage":"b:2","OCIv1":{"config":{"Cmd":["bash"]}}}' | "$cuarbiter" dockerfile | sed -n '1p;$p')" 'FROM b:2
CMD ["bash"]'
that 'skopeo inspect --config' "$(echo '{"config":{"Cmd":["bash"]}}' |
    "$cuarbiter" dockerfile | tail -n 1)" 'CMD ["bash"]'
that 'other folders' "$(echo '{"config":{"Cmd":["bash"]}}' |
    "$cuarbiter" dockerfile --from out/ --to /usr/cua | head -n 5)" '# The image has no name: --build-arg IMAGE=NAME
ARG IMAGE
FROM ${IMAGE}
COPY out/ /usr/cua/
ENTRYPOINT ["/usr/cua/cuarbiter-entrypoint"]'
like "$(echo '{"config":{"Env":["CUDA_VERSION=12.9.1"]}}' | "$cuarbiter" dockerfile)" \
    "*# An image of CUDA 12.9.1. If it has /usr/local/cuda/compat, NVIDIA's container toolkit *, where it fails with error 804.
# cuarbiter decides after that. Both drivers: \"cuarbiter status *" "what NVIDIA's hook does"
that '--env keeps an LD_PRELOAD, $LIB and all' "$(echo '{"config":{"Env":["LD_PRELOAD=/usr/$LIB/j.so"]}}' |
    "$cuarbiter" dockerfile --env | grep ENV)" \
    'ENV LD_PRELOAD="/usr/\$LIB/j.so:/opt/cuarbiter/libcuarbiter.so"'
like "$(echo '{"config":{}}' | "$cuarbiter" dockerfile --env)" '*policies refuse*' '--env warns'

refused() { # NAME TEXT
    got=$(printf '%s' "$2" | "$cuarbiter" dockerfile 2>&1)
    that "$1: exit code" $? 1
    like "$got" 'cuarbiter: dockerfile: standard input: *' "$1: says why"
}
refused 'a line break in a word' '{"config":{"Env":["LD_PRELOAD=a
RUN b"]}}'
refused 'nothing' ''
refused 'not JSON' 'Error: no such image'
refused 'cut off' '[{"Config":{"Cmd":["a"'
refused 'no image' '[]'
refused 'two images' '[{"Config":{}},{"Config":{}}]'
refused 'a container of podman' '[{"Config":{"Entrypoint":"/entry.sh","Cmd":["a"]}}]'
nested() { # LEVELS
    printf '{"config":{"x":%s%s,"Cmd":["[[\\"["]}}' "$(head -c "$1" /dev/zero | tr '\0' '[')" "$(head -c "$1" /dev/zero | tr '\0' ']')"
}
that 'nested' "$(nested 60 | "$cuarbiter" dockerfile | tail -n 1)" 'CMD ["[[\"["]'
refused 'nested too deeply' "$(nested 70)"
refused 'cut off, deeply nested' "$(head -c 20000 /dev/zero | tr '\0' '[')"
"$cuarbiter" dockerfile --nonsense </dev/null 2>/dev/null
that 'an unknown option is usage' $? 2
"$cuarbiter" dockerfile --to relative </dev/null 2>/dev/null
that 'a relative --to is usage' $? 2
finish
