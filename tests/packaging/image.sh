#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Images rebuilt with the lines that `cuarbiter dockerfile` prints do what they did before, and have
# the shim. Built and run by a real engine.
# shellcheck disable=SC1091,SC2016,SC2086,SC2154
export CUARBITER_MKNOD=kept # layers are made with it, and containers have a /dev of their own
. "$(dirname "$0")/../fixtures/images.sh"
need_podman
need_files
need_root bullseye
context=$tmp/context
mkdir "$context"
cp -r "$files" "$context/dist"
root=$tmp/root
copy_root bullseye "$root"
cat >"$root/usr/bin/show" <<'END'
#!/bin/sh
printf '<%s>' "$@"
echo
echo "$(id -u) ${LD_PRELOAD:-none} $(grep -c r-xp.*libcuarbiter.so /proc/self/maps)"
END
chmod +x "$root/usr/bin/show"
image localhost/base "$root" 'ENV PATH=/usr/sbin:/usr/bin:/sbin:/bin'
shim=/opt/cuarbiter/libcuarbiter.so

make() { # NAME, the Dockerfile on standard input
    pod build -q --isolation chroot -t "localhost/$1" -f - "$context" >/dev/null 2>"$tmp/log" ||
        sed 's/^/# /' "$tmp/log"
}

# NAME WHAT-IT-SHOWS-BEHIND-ITS-ARGUMENTS; the image's own lines on standard input
same() {
    { echo 'FROM localhost/base' && cat; } >"$tmp/Dockerfile"
    make plain <"$tmp/Dockerfile"
    before=$(pod run --rm $options localhost/plain 2>&1)
    pod inspect --type image localhost/plain | "$files/cuarbiter" dockerfile >"$tmp/Dockerfile"
    make fixed <"$tmp/Dockerfile"
    after=$(pod run --rm $options localhost/fixed 2>&1)
    that "$1: it does the same" "$(echo "$after" | head -n 1)" "$(echo "$before" | head -n 1)"
    that "$1: with the shim" "$(echo "$after" | tail -n 1)" "$2"
    that "$1: with other arguments" "$(pod run --rm $options localhost/fixed $more 2>&1 | head -n 1)" \
        "$(pod run --rm $options localhost/plain $more 2>&1 | head -n 1)"
}
options='' more='show other'

same 'CMD' "0 $shim 1" <<'END'
CMD ["show", "a b", "c"]
END
more=other
same 'ENTRYPOINT' "0 $shim 1" <<'END'
ENTRYPOINT ["show", "a b"]
END
same 'both' "0 $shim 1" <<'END'
ENTRYPOINT ["show", "entry"]
CMD ["a b", "$HOME", "\"quoted\""]
END
more='show other'
same 'CMD in shell form' "0 $shim 1" <<'END'
CMD show "$((1 + 1))" 'a b'
END
more=other
same 'ENTRYPOINT in shell form' "0 $shim 1" <<'END'
ENTRYPOINT show "$((1 + 1))" 'a b'
END
same 'not root' "1234 $shim 1" <<'END'
USER 1234
ENTRYPOINT ["show"]
CMD ["a"]
END
options=--read-only
same 'a root that is read-only' "0 $shim 1" <<'END'
ENTRYPOINT ["show"]
CMD ["a"]
END
options=''
same 'an LD_PRELOAD of its own' "0 /usr/lib/x86_64-linux-gnu/libm.so.6:$shim 1" <<'END'
ENV LD_PRELOAD=/usr/lib/x86_64-linux-gnu/libm.so.6
ENTRYPOINT ["show"]
CMD ["a"]
END

# buildah says the same of an image in its own words.
buildah() { command buildah --root "$tmp/pod/graph" --runroot "$tmp/pod/run" --storage-driver "$storage" "$@"; }
that 'buildah inspect gives the same lines' \
    "$(buildah inspect --type image localhost/plain | "$files/cuarbiter" dockerfile)" \
    "$(pod inspect --type image localhost/plain | "$files/cuarbiter" dockerfile)"

# The shim taken away later, or of no use: not a word from ld.so.
make broken <<'END'
FROM localhost/fixed
RUN rm /opt/cuarbiter/libcuarbiter.so
END
that 'the shim is gone: not a word' "$(pod run --rm localhost/broken 2>&1)" \
    '<a>
0 /usr/lib/x86_64-linux-gnu/libm.so.6 0'
finish
