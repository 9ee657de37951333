/* SPDX-License-Identifier: Apache-2.0 */
#include "deploy/nri/trunk.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The socket carries frames, each with bytes of one connection (trunk.h). The head of a frame: its
 * connection and the size of its content, four bytes each, big-endian. */
#define FRAME_HEAD 8
/* The head of a ttrpc message: the size of its content and the number of its stream, four bytes
 * each, big-endian; then type and flags, one byte each. */
#define CALL_HEAD 10
#define CALL_MOST ((size_t)4 << 20)
/* A frame may end after the beginning of the next message, so an inbox may hold parts of two
 * messages. */
#define INBOX_MOST (2 * (CALL_HEAD + CALL_MOST))
/* Limit for the content of a frame that is sent: containerd cannot read more than fits into its
 * buffer. */
#define FRAME_MOST ((size_t)4096)
#define PATIENCE   10000

static uint32_t number_at(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void put_number_at(unsigned char *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(value >> (24 - 8 * i));
}

static int wait_for(int fd, short events, int wait)
{
    struct pollfd one = {.fd = fd, .events = events};
    int ready;

    while ((ready = poll(&one, 1, wait)) < 0)
        if (errno != EINTR)
            return -errno;
    return ready ? 0 : -ETIMEDOUT;
}

/* Reads `size` bytes. `wait`: how many milliseconds to wait for the first; -1: no limit. Returns 1:
 * done; 0: the socket was closed; or -errno. */
static int read_all(int fd, unsigned char *to, size_t size, int wait)
{
    for (size_t got = 0; got < size;) {
        int error = wait_for(fd, POLLIN, got ? PATIENCE : wait);
        if (error)
            return error;
        ssize_t more = recv(fd, to + got, size - got, MSG_DONTWAIT);
        if (more == 0)
            return 0;
        if (more > 0)
            got += (size_t)more;
        else if (errno != EINTR && errno != EAGAIN)
            return errno == ECONNRESET ? 0 : -errno;
    }
    return 1;
}

/* Reads and drops the `size` bytes of a frame whose connection is neither CUA_NRI_PLUGIN nor
 * CUA_NRI_RUNTIME: the runtime may open connections that do not concern this plugin. Returns the
 * same as read_all. */
static int skip(int fd, size_t size)
{
    unsigned char part[4096];
    int got = 1;

    while (size && got > 0) {
        size_t some = size < sizeof(part) ? size : sizeof(part);
        got = read_all(fd, part, some, PATIENCE);
        size -= some;
    }
    return got;
}

static int read_frame(struct cua_trunk *trunk, int wait)
{
    unsigned char head[FRAME_HEAD] = {0};
    int got = read_all(trunk->fd, head, sizeof(head), wait);

    if (got <= 0)
        return got;
    uint32_t connection = number_at(head);
    size_t size = number_at(head + 4);
    if (size > CALL_HEAD + CALL_MOST)
        return -EMSGSIZE;
    if (connection == 0 || connection >= CUA_NRI_CONNECTIONS)
        return skip(trunk->fd, size);
    struct cua_nri_inbox *inbox = &trunk->inbox[connection];
    if (size > INBOX_MOST - inbox->size)
        return -EMSGSIZE;
    if (inbox->size + size > inbox->room) {
        unsigned char *more = realloc(inbox->bytes, inbox->size + size);
        if (!more)
            return -ENOMEM;
        inbox->bytes = more;
        inbox->room = inbox->size + size;
    }
    got = read_all(trunk->fd, inbox->bytes + inbox->size, size, PATIENCE);
    inbox->size += size;
    return got;
}

/* Removes from the inbox the message that cua_trunk_receive returned last. Frees the bytes of an
 * empty inbox, because a message may be as large as the list of all pods. */
static void forget(struct cua_nri_inbox *inbox)
{
    inbox->size -= inbox->done;
    if (inbox->size && inbox->done)
        memmove(inbox->bytes, inbox->bytes + inbox->done, inbox->size);
    inbox->done = 0;
    if (!inbox->size) {
        free(inbox->bytes);
        inbox->bytes = NULL;
        inbox->room = 0;
    }
}

/* Describes the first message of the inbox in `call`, if all of it is there. Returns 1: done; 0:
 * the message is not complete yet; -EMSGSIZE: it is too large. */
static int take(struct cua_nri_inbox *inbox, struct cua_nri_call *call)
{
    if (inbox->size < CALL_HEAD)
        return 0;
    size_t size = number_at(inbox->bytes);
    if (size > CALL_MOST)
        return -EMSGSIZE;
    if (inbox->size - CALL_HEAD < size)
        return 0;
    call->stream = number_at(inbox->bytes + 4);
    call->type = inbox->bytes[8];
    call->bytes = (struct cua_bytes){inbox->bytes + CALL_HEAD, size};
    inbox->done = CALL_HEAD + size;
    return 1;
}

int cua_trunk_receive(struct cua_trunk *trunk, int wait, struct cua_nri_call *call)
{
    bool begun = false;

    for (int i = 1; i < CUA_NRI_CONNECTIONS; i++)
        forget(&trunk->inbox[i]);
    for (;;) {
        begun = false;
        for (int i = 1; i < CUA_NRI_CONNECTIONS; i++) {
            int got = take(&trunk->inbox[i], call);
            call->connection = (enum cua_nri_connection)i;
            if (got)
                return got;
            begun |= trunk->inbox[i].size > 0;
        }
        int got = read_frame(trunk, begun ? PATIENCE : wait);
        if (got <= 0)
            return got;
    }
}

static int send_all(int fd, const unsigned char *from, size_t size)
{
    while (size) {
        ssize_t sent = send(fd, from, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent >= 0) {
            from += sent;
            size -= (size_t)sent;
            continue;
        }
        int error = errno == EINTR ? 0 : errno == EAGAIN ? wait_for(fd, POLLOUT, PATIENCE) : -errno;
        if (error)
            return error;
    }
    return 0;
}

int cua_trunk_send(const struct cua_trunk *trunk, enum cua_nri_connection connection,
                   uint32_t stream, enum cua_nri_type type, const struct cua_message *message)
{
    unsigned char frame[FRAME_HEAD + FRAME_MOST];
    size_t sent = 0, used = CALL_HEAD;
    int error;

    if (message->full)
        return -EMSGSIZE;
    put_number_at(frame, connection);
    put_number_at(frame + FRAME_HEAD, (uint32_t)message->size);
    put_number_at(frame + FRAME_HEAD + 4, stream);
    frame[FRAME_HEAD + 8] = (unsigned char)type;
    frame[FRAME_HEAD + 9] = 0;
    do {
        size_t left = message->size - sent, part = FRAME_MOST - used;
        if (part > left)
            part = left;
        memcpy(frame + FRAME_HEAD + used, message->bytes + sent, part);
        put_number_at(frame + 4, (uint32_t)(used + part));
        error = send_all(trunk->fd, frame, FRAME_HEAD + used + part);
        sent += part;
        used = 0;
    } while (!error && sent < message->size);
    return error;
}

void cua_trunk_close(struct cua_trunk *trunk)
{
    for (int i = 1; i < CUA_NRI_CONNECTIONS; i++)
        free(trunk->inbox[i].bytes);
    close(trunk->fd);
}
