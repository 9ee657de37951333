/* SPDX-License-Identifier: Apache-2.0 */
/* Finds out which container a datagram came from, by the process ID that the kernel attaches to
 * it. */
#ifndef CUA_COLLECT_SENDER_H
#define CUA_COLLECT_SENDER_H

#include <stddef.h>
#include <sys/time.h>

#define CUA_SENDER_ID 64 /* hexadecimal digits of an ID; `ctr` and `runc` also take other IDs */

/* Finds the container by the cgroup of the process `pid`, which sent the datagram at `sent`
 * (CLOCK_REALTIME). `id`: CUA_SENDER_ID + 1 bytes; "" if the process has ended, if another process
 * has the number `pid` now, or if the process is in no container. */
void cua_sender_container(long pid, const struct timeval *sent, char *id);

/* Takes the container's ID from the text of /proc/PID/cgroup. The outermost folder with an ID
 * counts, because a container may make folders of any name below its own. */
void cua_sender_cgroup(const char *text, char *id);

#endif
