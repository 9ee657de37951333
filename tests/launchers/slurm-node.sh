# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# For what runs on a machine with a network and an /etc of its own: munged, slurmctld and slurmd.
#
#   slurm_start LINE...   these lines of slurm.conf besides; gres: the node's; waits until it is idle

slurm_start() {
    # With loopback addresses alone getaddrinfo finds none.
    ip address add 192.0.2.1 dev lo
    mkdir -p /run/munge /var/log/munge /var/lib/munge /etc/munge /run/slurm /var/lib/slurm /var/log/slurm
    dd if=/dev/urandom of=/etc/munge/munge.key bs=1 count=1024
    chmod 400 /etc/munge/munge.key
    chown -R munge /run/munge /var/log/munge /var/lib/munge /etc/munge
    chmod 755 /run/munge
    setpriv --reuid munge --regid munge --clear-groups munged --force
    host=$(hostname -s)
    cat >/etc/slurm/slurm.conf <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
ProctrackType=proctrack/pgid
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
StateSaveLocation=/var/lib/slurm/state
SlurmdSpoolDir=/var/lib/slurm/spool
SlurmctldPidFile=/run/slurm/ctld.pid
SlurmdPidFile=/run/slurm/d.pid
SlurmctldLogFile=/var/log/slurm/ctld
SlurmdLogFile=/var/log/slurm/d
ReturnToService=2
$(printf '%s\n' "$@")
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 ${gres:-} State=UNKNOWN
PartitionName=main Nodes=$host Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:4
CONF
    mkdir -p /var/lib/slurm/state /var/lib/slurm/spool
    slurmctld
    slurmd
    for _ in $(seq 100); do
        [ "$(sinfo -h -o %T)" != idle ] || break
        sleep 0.2
    done
}
