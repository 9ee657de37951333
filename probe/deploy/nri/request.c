/* SPDX-License-Identifier: Apache-2.0 */
#include "deploy/nri/request.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cuarbiter/names.h"

/* Numbers of protobuf fields; RUNNING is a value of the field STATE. From containerd/nri
 * pkg/api/api.proto. */
enum { SYNCHRONIZE_CONTAINERS = 2 };
enum { ID = 1, NAME = 3, STATE, ANNOTATIONS = 6, ENV = 8, PROCESS = 12 };
enum { KEY = 1, VALUE };
#define RUNNING 3

static void put(char *to, size_t size, struct cua_bytes from)
{
    snprintf(to, size, "%.*s", (int)(from.size < size ? from.size : size), (const char *)from.at);
}

/* Reads an annotation of the container. It may refuse cuarbiter, or contain a name of the container
 * in Kubernetes. */
static void take_annotation(struct cua_container *container, struct cua_bytes entry)
{
    const struct {
        const char *key;
        char *to;
    } rows[] = {
        {"io.kubernetes.cri.sandbox-namespace", container->namespace},
        {"io.kubernetes.cri.sandbox-name", container->pod},
        {"io.kubernetes.cri.image-name", container->image},
    };
    struct cua_bytes key = {0}, value = {0};
    struct cua_field field;

    while (cua_field_next(&entry, &field) > 0)
        if (field.number == KEY)
            key = field.bytes;
        else if (field.number == VALUE)
            value = field.bytes;
    container->refuses |= cua_bytes_are(key, CUA_HOOK_ANNOTATION);
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        if (cua_bytes_are(key, rows[i].key))
            put(rows[i].to, sizeof(container->pod), value);
}

/* Reads a variable of the container's environment. */
static void take_variable(struct cua_container *container, struct cua_bytes entry)
{
    static const char head[] = CUA_ENV_POLICY "=";
    const size_t length = sizeof(head) - 1;

    if (entry.size < length || memcmp(entry.at, head, length) != 0)
        return;
    put(container->policy, sizeof(container->policy),
        (struct cua_bytes){entry.at + length, entry.size - length});
}

/* Reads the message about a container into `container`. Returns the container's state. */
static uint64_t take_container(struct cua_container *container, struct cua_bytes message)
{
    struct cua_field field;
    uint64_t state = 0;

    while (cua_field_next(&message, &field) > 0)
        if (field.number == ID)
            put(container->id, sizeof(container->id), field.bytes);
        else if (field.number == NAME)
            put(container->name, sizeof(container->name), field.bytes);
        else if (field.number == STATE)
            state = field.value;
        else if (field.number == ANNOTATIONS)
            take_annotation(container, field.bytes);
        else if (field.number == ENV)
            take_variable(container, field.bytes);
        else if (field.number == PROCESS && field.value <= INT_MAX)
            container->pid = (long)field.value;
    container->refuses |= strcmp(container->policy, "off") == 0;
    return state;
}

bool cua_nri_next(struct cua_bytes *request, struct cua_container *container, bool *running)
{
    struct cua_field field;

    *container = (struct cua_container){.root = -1};
    while (cua_field_next(request, &field) > 0)
        if (field.number == SYNCHRONIZE_CONTAINERS) {
            *running = take_container(container, field.bytes) == RUNNING;
            return true;
        }
    return false;
}
