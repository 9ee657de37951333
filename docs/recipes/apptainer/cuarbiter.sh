# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# An image's own LD_PRELOAD does not survive: Apptainer sets APPTAINERENV_LD_PRELOAD in its place.
# If an image has one, put it before the shim's path here.
# Run with Apptainer 1.4.5, `exec --nv`: tests/launchers/apptainer.sh.
#
# Source it before `apptainer exec --nv`, or put it into /etc/profile.d/; the files in
# /opt/cuarbiter. On a machine without them it sets nothing, since Apptainer starts no container whose
# bind path is missing. Removal: remove it, and log in again.
if [ -r /opt/cuarbiter/libcuarbiter.so ]; then
    case ",${APPTAINER_BINDPATH:-}," in
    *,/opt/cuarbiter:*) ;;
    *)
        APPTAINER_BINDPATH=${APPTAINER_BINDPATH:+$APPTAINER_BINDPATH,}/opt/cuarbiter:/opt/cuarbiter:ro
        APPTAINERENV_LD_PRELOAD=${APPTAINERENV_LD_PRELOAD:+$APPTAINERENV_LD_PRELOAD:}/opt/cuarbiter/libcuarbiter.so
        export APPTAINER_BINDPATH APPTAINERENV_LD_PRELOAD
        ;;
    esac
fi
