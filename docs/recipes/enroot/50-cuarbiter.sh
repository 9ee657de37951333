#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# An image's own LD_PRELOAD survives: the shim is added behind it.
# Run with dash 0.5.12, as enroot would run it; not run with enroot, which no Debian has:
# tests/launchers/enroot.sh.
#
# To /etc/enroot/hooks.d/, or ~/.config/enroot/hooks.d/ for one user, executable; pyxis starts its
# containers through enroot and needs nothing else. Removal: remove this file and the fstab.
set -eu

shim=/opt/cuarbiter/libcuarbiter.so
[ -r "$shim" ] || exit 0

# Of two lines with one name the later counts.
old=$(sed -n 's/^LD_PRELOAD=//p' "${ENROOT_ENVIRON}" | tail -n 1)
case ":$old:" in
*":$shim:"*) ;;
*) printf 'LD_PRELOAD=%s\n' "${old:+$old:}$shim" >>"${ENROOT_ENVIRON}" ;;
esac
