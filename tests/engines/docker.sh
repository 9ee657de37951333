#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Docker as Debian has it: docker.sh SUITE, the daemon of bookworm 20.10, of trixie 26, of sid 28. What the pages say is
# typed as they say it; the network is none in there.
# shellcheck source=tests/engines/lib.sh disable=SC2016,SC2086,SC2154
. "$(dirname "$0")/lib.sh"
need_engines "${1:-bookworm}"
start_node

# CDI is on by default from 28.2 on; before that it has to be asked for.
features=''
[ "$suite" = bookworm ] || features=', "experimental": true, "features": {"cdi": true}'
node sh -c 'mkdir -p /etc/docker && echo "$1" >/etc/docker/daemon.json' sh "{\"storage-driver\": \"vfs\", \"iptables\": false,
    \"ip6tables\": false, \"bridge\": \"none\",
    \"runtimes\": {\"hooked\": {\"path\": \"/machine/hooked-runtime\"}}, \"cgroup-parent\": \"/$group\"$features}"
daemon docker dockerd
ready docker docker version
# It needs none, and node check asks the daemon.
node rm /etc/docker/daemon.json
docker() { node docker "$@"; }
engine="Docker $(docker version --format '{{.Server.Version}}'), $(node runc --version | head -n 1)"
echo "# $engine"
import() { # NAME ARCHIVE CHANGE...
    name=$1 archive=$2
    shift 2
    for change in "$@"; do
        set -- "$@" --change "$change"
        shift
    done
    node sh -c 'archive=$1 name=$2 && shift 2 && docker import "$@" "$archive" "$name"' sh "$archive" "$name" "$@" >/dev/null 2>"$tmp/err" ||
        sed 's/^/# /' "$tmp/err"
}
import my/image /machine/image.tar 'ENV PATH=/usr/bin:/bin' 'CMD ["app"]'
run() { # the last line
    docker run --rm "$@" 2>&1 | tail -n 1
}
gpu() { run --gpus all "$@"; }
bare='app: cuInit: error 804' works='app: CUDA works'
dist='-v /clone/dist:/opt/cuarbiter:ro'
shim=/opt/cuarbiter/libcuarbiter.so

# README and quick start.
that "a container starts: $engine" "$(run my/image sh -c 'echo started')" started
that 'README: docker run --gpus all, without cuarbiter, fakes' "$(gpu my/image)" "$bare"
that 'README: docker run --gpus all -v … -e LD_PRELOAD, fakes' "$(gpu $dist -e LD_PRELOAD=$shim my/image)" "$works"
that 'quick start: ld.so.preload mounted' "$(gpu $dist -v /clone/dist/ld.so.preload:/etc/ld.so.preload:ro my/image)" "$works"
that 'the same, another user, read-only' \
    "$(gpu --user 1000 --read-only $dist -v /clone/dist/ld.so.preload:/etc/ld.so.preload:ro my/image)" "$works"
like "$(docker run --rm --gpus all $dist --entrypoint /opt/cuarbiter/cuarbiter my/image status 2>&1)" \
    '*Now *804 (575.57.08, bundled)
With cuarbiter *cuInit 0 (535.261.03, the host'"'"'s)*' 'README: status'
that 'CUARBITER_POLICY=off' "$(gpu $dist -e LD_PRELOAD=$shim -e CUARBITER_POLICY=off my/image)" "$bare"

# The image built anew, by the engine.
build() { # NAME ARGUMENT...
    named=$1
    shift
    node env DOCKER_BUILDKIT=0 docker build -t "$named" "$@" >"$tmp/log" 2>&1 || sed 's/^/# /' "$tmp/log"
}
node sh -c 'docker inspect my/image | dist/cuarbiter dockerfile --output Dockerfile.fixed'
build my/image-fixed -f Dockerfile.fixed .
that 'quick start: docker inspect | cuarbiter dockerfile, docker build: the entry point' "$(gpu my/image-fixed)" "$works"
that 'the same, another user, read-only' "$(gpu --user 1000 --read-only my/image-fixed)" "$works"
node sh -c 'tar -C dist -c . | docker import - cuarbiter' >/dev/null
build my/image-fixed-too --build-arg IMAGE=my/image image
that 'docs/recipes/image: docker build' "$(gpu my/image-fixed-too)" "$works"

# Real drivers, on the stand-in.
if real; then
    import my/real /machine/real.tar 'ENV PATH=/usr/bin:/bin' "ENV STANDIN_KMD=$version" 'ENV STANDIN_ROOT=/geforce' \
        'CMD ["init-dlopen"]'
    answers() { word cuInit "$(docker run --rm --gpus all "$@" 2>&1)"; }
    that 'a real 555 before 535: 803' "$(answers my/real)" 803
    that 'a real 555 before 535: docker run -v … -e LD_PRELOAD' "$(answers $dist -e LD_PRELOAD=$shim my/real)" 100
    that 'a real 555 before 535, linked: the same' "$(answers $dist -e LD_PRELOAD=$shim my/real init-linked)" 100
else
    missing 'a real 555 before 535' 'no real drivers: scripts/fetch-drivers'
fi

# A whole node. Nothing that Docker reads for --gpus could name the hook, and node check says so.
checked() {
    node cuarbiter node check >"$tmp/said"
    echo $? >>"$tmp/said"
    sed -n 's/, because.*//p; $p' "$tmp/said"
}
number=$(docker version --format '{{.Server.Version}}' | cut -d . -f 1-2)
if [ "$suite" = bookworm ]; then
    that 'node check: --gpus is not reached' "$(checked)" "Docker $number: docker run --gpus: not reached
1"
    node sh -c 'mkdir -p /etc/cdi && /machine/specification.py nvidia.com/gpu yaml >/etc/cdi/nvidia.yaml'
    like "$(docker run --rm --device nvidia.com/gpu=all my/image 2>&1)" '*is not an absolute path*' 'it knows no CDI'
else
    node sh -c 'mkdir -p /etc/cdi && /machine/specification.py nvidia.com/gpu yaml >/etc/cdi/nvidia.yaml'
    cdi() { run --device nvidia.com/gpu=all "$@"; }
    before="Docker $number: docker run --device nvidia.com/gpu=…: not reached
Docker $number: docker run --gpus: not reached"
    that 'CDI: --device nvidia.com/gpu=all, without cuarbiter, fakes' "$(cdi my/image)" "$bare"
    that 'node check: neither is reached' "$(checked)" "$before
1"
    node cuarbiter cdi --dir /opt/cuarbiter --output /etc/cdi/cuarbiter.json >/dev/null
    that 'CDI, quick start: --device nvidia.com/gpu=all --device cuarbiter/shim=on' "$(cdi --device cuarbiter/shim=on my/image)" "$works"
    that 'CDI: a container that names no device is left' "$(run my/image cat /etc/ld.so.preload)" \
        'cat: /etc/ld.so.preload: No such file or directory'
    that 'the same beside --gpus all' "$(gpu --device cuarbiter/shim=on my/image)" "$works"
    node rm /etc/cdi/cuarbiter.json
    like "$(node cuarbiter cdi --merge; echo $?)" '*0' 'cdi --merge'
    that 'CDI, cdi --merge: --device nvidia.com/gpu=all' "$(cdi my/image)" "$works"
    that 'the same, another user, read-only' "$(cdi --user 1000 --read-only my/image)" "$works"
    that 'the same, --device nvidia.com/gpu=0' "$(run --device nvidia.com/gpu=0 my/image)" "$works"
    that 'the same, CUARBITER_POLICY=off' "$(cdi -e CUARBITER_POLICY=off my/image)" "$bare"
    that 'the same, a preload of its own stays' \
        "$(cdi -e LD_PRELOAD=$lib/libm.so.6 my/image sh -c 'echo $LD_PRELOAD; app' | tail -n 1)" "$works"
    that 'node check: CDI is reached, --gpus is not' "$(checked | tail -n 2)" "Docker $number: docker run --gpus: not reached
1"
    that 'a container without a GPU is left' "$(run my/image cat /etc/ld.so.preload)" \
        'cat: /etc/ld.so.preload: No such file or directory'
    node mv /opt/cuarbiter /opt/gone
    that "cuarbiter's files are gone: the container starts" "$(cdi my/image)" "$bare"
    node mv /opt/gone /opt/cuarbiter
    node cuarbiter cdi --remove >/dev/null
    that 'cdi --remove' "$(cdi my/image)" "$bare"
fi
that 'and --gpus is as before' "$(gpu my/image)" "$bare"
# A runtime by name, of the test's own, reaches these, too.
that 'the hook, by a runtime of its own: --gpus all' "$(gpu --runtime hooked my/image)" "$works"
that 'the same, another user, read-only' "$(gpu --runtime hooked --user 1000 --read-only my/image)" "$works"
that 'the same, CUARBITER_POLICY=off' "$(gpu --runtime hooked -e CUARBITER_POLICY=off my/image)" "$bare"
that 'the same, without a GPU: left' "$(run --runtime hooked my/image cat /etc/ld.so.preload)" \
    'cat: /etc/ld.so.preload: No such file or directory'
# In the file that an operator may make, a line for each: of Docker the id alone.
node mkdir /var/log/cuarbiter
gpu --runtime hooked my/image >"$tmp/log"
like "$(node cat /var/log/cuarbiter/containers.jsonl)" '{"time":"*,"hook":"added","why":null,"namespace":null,*' 'a line for a container in /var/log/cuarbiter'
! real || that 'by a runtime of its own, a real 555 before 535' "$(answers --runtime hooked my/real)" 100

stop docker && ok 'the daemon ends' || not_ok 'the daemon ends' "$(node tail -n 3 /run/docker.log)"
finish
