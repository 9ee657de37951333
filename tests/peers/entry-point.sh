#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# As the entry point of NVIDIA's NGC images decides: the bundled driver goes first if its cuInit
# works in a child. (There the host's driver lies in the loader's cache, here in LD_LIBRARY_PATH.)
#
#   entry-point.sh CHECK BUNDLED COMMAND...
check=$1 bundled=$2
shift 2
kernel=$(sed -n 's/^NVRM.*Module *\(for x86_64 *\)\{0,1\}\([0-9.]*\) .*/\2/p' \
    /proc/driver/nvidia/version 2>/dev/null)
if [ -z "$kernel" ]; then
    echo 'WARNING: The NVIDIA Driver was not detected.'
else
    status=$(LD_LIBRARY_PATH=$bundled:$LD_LIBRARY_PATH "$check")
    if [ "$status" = 'CUDA Driver OK' ]; then
        echo 'NOTE: CUDA Forward Compatibility mode ENABLED.'
        export LD_LIBRARY_PATH="$bundled:$LD_LIBRARY_PATH"
    else
        echo "NOTE: CUDA Forward Compatibility mode is UNAVAILABLE: $status"
    fi
fi
exec "$@"
