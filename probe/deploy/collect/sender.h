/* SPDX-License-Identifier: Apache-2.0 */
/* Which container a datagram came from, by what the kernel says of its sender. */
#ifndef CUA_COLLECT_SENDER_H
#define CUA_COLLECT_SENDER_H

#include <stddef.h>
#include <sys/time.h>

#define CUA_SENDER_ID 64 /* hexadecimal digits, as all engines but `ctr` and `runc` give them */

/* Finds the container by the cgroup of the process `pid`, which sent at `sent` (of the system's
 * clock). `id`: CUA_SENDER_ID + 1 bytes; "" if the process is gone, its number is another process's
 * by now, or it is in no container. */
void cua_sender_container(long pid, const struct timeval *sent, char *id);

/* Takes the container from a file /proc/PID/cgroup: the outermost folder that contains an ID, since
 * a container may make folders below its own, by any name. */
void cua_sender_cgroup(const char *text, char *id);

#endif
