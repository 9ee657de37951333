/* SPDX-License-Identifier: Apache-2.0 */
#include "deploy/nri/nri.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/verb.h"
#include "cuarbiter/names.h"
#include "deploy/hook/check.h"
#include "deploy/hook/wrapper.h"
#include "deploy/nri/missed.h"
#include "deploy/nri/protobuf.h"
#include "deploy/nri/trunk.h"

/* The environment variables that containerd sets for a plugin that it starts. */
#define ENV_SOCKET "NRI_PLUGIN_SOCKET"
#define ENV_NAME   "NRI_PLUGIN_NAME"
#define ENV_INDEX  "NRI_PLUGIN_IDX"

/* Milliseconds to wait for containerd's answer to RegisterPlugin. containerd itself waits five
 * seconds for a plugin to register. */
#define REGISTER_WAIT 10000

/* Each plugin process that adds the hook holds a lock on this file, so that cua_nri_runs can find
 * out whether there is one. */
#define LOCK CUA_DIR_RUN "/nri"

/* Numbers of protobuf fields and of an NRI event. From containerd/nri pkg/api/api.proto,
 * containerd/ttrpc request.proto and google/rpc/status.proto. */
enum { REQUEST_SERVICE = 1, REQUEST_METHOD, REQUEST_PAYLOAD };
enum { RESPONSE_STATUS = 1, RESPONSE_PAYLOAD };
enum { STATUS_CODE = 1, STATUS_MESSAGE };
enum { REGISTER_NAME = 1, REGISTER_INDEX };
enum { CONFIGURE_EVENTS = 2 };
enum { SYNCHRONIZE_REQUEST_MORE = 3, SYNCHRONIZE_MORE = 2 };
enum { CREATE_ADJUST = 1, ADJUST_HOOKS = 5, HOOKS_CREATE_CONTAINER = 3 };
enum { HOOK_PATH = 1, HOOK_ARGS, HOOK_ENV };
#define EVENT_CREATE_CONTAINER 4

struct plugin {
    struct cua_trunk trunk;
    const char *command;
    struct cua_message adjust; /* the reply to CreateContainer that adds the hook */
    bool works;                /* whether the hook works on this node; if not, it is not added */
    bool registered, ready;
};

bool cua_nri_launched(const char *program)
{
    const char *name = cua_basename(program);

    return getenv(ENV_SOCKET) && isdigit((unsigned char)name[0]) &&
           isdigit((unsigned char)name[1]) && strcmp(name + 2, "-" CUA_NRI_NAME) == 0;
}

/* Returns the socket that containerd has passed or, if it has passed none, a new connection to
 * CUA_NRI_SOCKET; -errno on failure. */
static int open_socket(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = CUA_NRI_SOCKET};
    const char *passed = getenv(ENV_SOCKET);
    char *end;

    if (passed) {
        long fd = strtol(passed, &end, 10);
        if (end == passed || *end || fd < 0 || fd > 1 << 20)
            return -EINVAL;
        return fcntl((int)fd, F_SETFD, FD_CLOEXEC) ? -errno : (int)fd;
    }
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    if (!connect(fd, (struct sockaddr *)&address, sizeof(address)))
        return fd;
    int error = -errno;
    close(fd);
    return error;
}

static void make_adjustment(struct cua_message *message, const char *command)
{
    const char *const args[] = {"sh", "-c", CUA_HOOK_SCRIPT, "cuarbiter", command, "hook"};

    cua_proto_text(message, HOOK_PATH, CUA_HOOK_SHELL);
    for (size_t i = 0; i < sizeof(args) / sizeof(*args); i++)
        cua_proto_text(message, HOOK_ARGS, args[i]);
    cua_proto_text(message, HOOK_ENV, CUA_HOOK_PATH);
    cua_proto_around(message, HOOKS_CREATE_CONTAINER);
    cua_proto_around(message, ADJUST_HOOKS);
    cua_proto_around(message, CREATE_ADJUST);
}

static int do_register(const struct plugin *plugin)
{
    struct cua_message inner = {0}, request = {0};
    const char *name = getenv(ENV_NAME), *number = getenv(ENV_INDEX);

    cua_proto_text(&inner, REGISTER_NAME, name ? name : CUA_NRI_NAME);
    cua_proto_text(&inner, REGISTER_INDEX, number ? number : CUA_NRI_INDEX);
    cua_proto_text(&request, REQUEST_SERVICE, "nri.pkg.api.v1alpha1.Runtime");
    cua_proto_text(&request, REQUEST_METHOD, "RegisterPlugin");
    cua_proto_bytes(&request, REQUEST_PAYLOAD, inner.bytes, inner.size);
    if (inner.full)
        return -EMSGSIZE;
    return cua_trunk_send(&plugin->trunk, CUA_NRI_RUNTIME, 1, CUA_NRI_REQUEST, &request);
}

/* Looks for two fields of a message: *value receives the number in field `number`, *bytes the
 * content of field `place`. A field that is missing leaves them unchanged. Returns 0; -EBADMSG if
 * the message is damaged. */
static int find(struct cua_bytes message, uint32_t number, uint64_t *value, uint32_t place,
                struct cua_bytes *bytes)
{
    struct cua_field field;
    int got;

    while ((got = cua_field_next(&message, &field)) > 0) {
        if (field.number == number && value)
            *value = field.value;
        if (field.number == place && bytes)
            *bytes = field.bytes;
    }
    return got;
}

/* Takes the lock on the file LOCK, if possible. The descriptor is left open, so the lock is held as
 * long as this process lives. */
static void take_lock(void)
{
    mkdir(CUA_DIR_RUN, 0700);
    int fd = open(LOCK, O_RDONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd >= 0 && flock(fd, LOCK_SH))
        close(fd);
}

bool cua_nri_runs(void)
{
    int fd = open(LOCK, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    bool runs = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;

    if (fd >= 0)
        close(fd);
    return runs;
}

/* Answers Synchronize, by which containerd lists all pods and containers once the plugin is
 * registered. Looks in the list for containers that missed the hook. A long list comes in parts.
 * Each part except the last has the flag `more`, which the answer must repeat. After the last part
 * the plugin is ready. */
static void answer_synchronize(struct plugin *plugin, struct cua_message *reply,
                               struct cua_bytes payload)
{
    uint64_t more = 0;

    find(payload, SYNCHRONIZE_REQUEST_MORE, &more, 0, NULL);
    if (more) {
        cua_proto_number(reply, SYNCHRONIZE_MORE, 1);
    }
    if (!plugin->ready && plugin->works)
        cua_nri_missed(payload, plugin->trunk.fd);
    if (!more && !plugin->ready && plugin->works) {
        take_lock();
        puts("containerd now adds cuarbiter's hook to each new container of a pod");
    }
    plugin->ready |= !more;
    fflush(stdout);
}

/* Answers a call of containerd. Returns 0 or -errno. Never sends an error as the answer, because
 * that would keep the container from starting: an unknown method gets an empty reply. */
static int answer(struct plugin *plugin, const struct cua_nri_call *call)
{
    struct cua_message response = {0}, reply = {0};
    struct cua_bytes method = {0}, payload = {0};

    if (find(call->bytes, 0, NULL, REQUEST_METHOD, &method) ||
        find(call->bytes, 0, NULL, REQUEST_PAYLOAD, &payload))
        return -EBADMSG;
    if (cua_bytes_are(method, "CreateContainer")) {
        if (plugin->works && !access(plugin->command, X_OK))
            reply = plugin->adjust;
    } else if (cua_bytes_are(method, "Configure")) {
        cua_proto_number(&reply, CONFIGURE_EVENTS, 1U << (EVENT_CREATE_CONTAINER - 1));
    } else if (cua_bytes_are(method, "Synchronize")) {
        answer_synchronize(plugin, &reply, payload);
    }
    cua_proto_bytes(&response, RESPONSE_PAYLOAD, reply.bytes, reply.size);
    return cua_trunk_send(&plugin->trunk, CUA_NRI_PLUGIN, call->stream, CUA_NRI_RESPONSE,
                          &response);
}

/* Reads containerd's answer to RegisterPlugin. Returns 0; -ECANCELED, after an error message, if
 * containerd refuses the plugin; -EBADMSG if the answer is damaged. */
static int be_registered(struct plugin *plugin, struct cua_bytes response)
{
    struct cua_bytes status = {0}, text = {0};
    uint64_t code = 0;

    if (find(response, 0, NULL, RESPONSE_STATUS, &status) ||
        find(status, STATUS_CODE, &code, STATUS_MESSAGE, &text))
        return -EBADMSG;
    if (code) {
        cua_complain("nri", "containerd refuses the plugin: %.*s",
                     (int)(text.size < 200 ? text.size : 200), (const char *)text.at);
        return -ECANCELED;
    }
    plugin->registered = true;
    return 0;
}

/* Registers the plugin, then answers calls. Returns 0 when containerd has closed the socket, or
 * -errno. */
static int serve(struct plugin *plugin)
{
    int error = do_register(plugin);
    struct cua_nri_call call;

    while (!error) {
        int got = cua_trunk_receive(&plugin->trunk, plugin->registered ? -1 : REGISTER_WAIT, &call);
        if (got <= 0)
            return got;
        if (call.connection == CUA_NRI_PLUGIN && call.type == CUA_NRI_REQUEST)
            error = answer(plugin, &call);
        else if (call.connection == CUA_NRI_RUNTIME && call.type == CUA_NRI_RESPONSE)
            error = be_registered(plugin, call.bytes);
    }
    return error;
}

static void explain(int error)
{
    cua_complain("nri", "%s; new pods start without cuarbiter",
                 error == 0 || error == -EPIPE ? "containerd has closed the connection"
                 : error == -EBADMSG           ? "containerd has sent a message that is damaged"
                 : error == -EMSGSIZE          ? "containerd has sent a message that is too large"
                 : error == -ETIMEDOUT         ? "containerd does not answer"
                                               : strerror(-error));
}

/* containerd 1.7.24 does not start if a plugin that it has launched does not register. So a
 * launched plugin registers even if the hook does not work, and then adds the hook to no
 * container. */
int cua_nri(const char *command)
{
    struct plugin plugin = {.command = command};
    bool launched = getenv(ENV_SOCKET);
    int error;

    plugin.trunk.fd = open_socket();
    if (plugin.trunk.fd < 0) {
        error = plugin.trunk.fd;
        cua_complain(
            launched ? ENV_SOCKET : CUA_NRI_SOCKET, "%s%s", strerror(-error),
            !launched && (error == -ENOENT || error == -ECONNREFUSED)
                ? ": containerd does not run, or its NRI is off: 2.0 and later have it on, "
                  "1.7 where its configuration has disable = false in "
                  "[plugins.\"io.containerd.nri.v1.nri\"]"
                : "");
        return 1;
    }
    make_adjustment(&plugin.adjust, command);
    plugin.works =
        !plugin.adjust.full && !(launched ? cua_hook_ready(command) : cua_hook_check(command));
    if (plugin.works || launched) {
        error = serve(&plugin);
        if (error != -ECANCELED)
            explain(error);
    }
    cua_trunk_close(&plugin.trunk);
    return 1;
}
