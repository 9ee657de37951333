/* SPDX-License-Identifier: Apache-2.0 */
/* For `cuarbiter node collect` (collect.h): finds out which container a datagram came from, by the
 * sender's pid, which the kernel attaches to the datagram. */
#ifndef CUA_COLLECT_SENDER_H
#define CUA_COLLECT_SENDER_H

#include <stddef.h>
#include <sys/time.h>

/* The number of hexadecimal digits in a container's ID. Containers with other IDs, which ctr and
 * runc accept, are not found. */
#define CUA_SENDER_ID 64

/* Finds the container of the process `pid` by the process's cgroup. The process sent a datagram at
 * `sent` (CLOCK_REALTIME). `id` (CUA_SENDER_ID + 1 bytes) receives the container's ID; "" if the
 * process has ended, if another process has the number `pid` now, or if the process is in no
 * container that has such an ID. */
void cua_sender_container(long pid, const struct timeval *sent, char *id);

/* Copies the container's ID from `text`, the content of /proc/PID/cgroup, to `id`; "" if there is
 * none. Of several IDs in a cgroup's path the first counts, because a container may make cgroups of
 * any name below its own. */
void cua_sender_cgroup(const char *text, char *id);

#endif
