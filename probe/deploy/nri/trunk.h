/* SPDX-License-Identifier: Apache-2.0 */
/* The socket between a container runtime and an NRI plugin. It carries two connections, both
 * streams of ttrpc messages: on CUA_NRI_PLUGIN the runtime calls the plugin, on CUA_NRI_RUNTIME the
 * plugin calls the runtime. */
#ifndef CUA_NRI_TRUNK_H
#define CUA_NRI_TRUNK_H

#include <stddef.h>
#include <stdint.h>

#include "deploy/nri/protobuf.h"

enum cua_nri_connection { CUA_NRI_PLUGIN = 1, CUA_NRI_RUNTIME, CUA_NRI_CONNECTIONS };
enum cua_nri_type { CUA_NRI_REQUEST = 1, CUA_NRI_RESPONSE };

/* Bytes received on a connection: first the message that the last cua_trunk_receive returned, then
 * what follows it. */
struct cua_nri_inbox {
    unsigned char *bytes;
    /* `size`: bytes received. `room`: bytes allocated. `done`: size of the message that the last
     * cua_trunk_receive returned; 0 if that was of the other connection or there was none. */
    size_t size, room, done;
};

struct cua_trunk {
    int fd;
    struct cua_nri_inbox inbox[CUA_NRI_CONNECTIONS];
};

struct cua_nri_call {
    enum cua_nri_connection connection;
    uint32_t stream;
    unsigned type; /* an enum cua_nri_type, or another number */
    struct cua_bytes bytes;
};

/* Waits for the next message of either connection, and describes it in `call`. call->bytes are
 * valid until the next cua_trunk_receive. `wait`: how many milliseconds to wait for the message's
 * beginning; -1: no limit. Once the message has begun, ten seconds without further bytes are an
 * error. Returns 1: done; 0: the runtime has closed the socket; or -errno. */
int cua_trunk_receive(struct cua_trunk *trunk, int wait, struct cua_nri_call *call);

/* Sends a message on a connection. Returns 0 or -errno. */
int cua_trunk_send(const struct cua_trunk *trunk, enum cua_nri_connection connection,
                   uint32_t stream, enum cua_nri_type type, const struct cua_message *message);

void cua_trunk_close(struct cua_trunk *trunk);

#endif
