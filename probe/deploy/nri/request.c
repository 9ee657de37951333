/* SPDX-License-Identifier: Apache-2.0 */
#include "deploy/nri/request.h"

#include <limits.h>
#include <stdio.h>

/* Numbers of protobuf fields; RUNNING is a value of the field STATE. From containerd/nri
 * pkg/api/api.proto. */
enum { CREATE_POD = 1, CREATE_CONTAINER };
enum { SYNCHRONIZE_CONTAINERS = 2 };
enum { POD_ANNOTATIONS = 6 };
enum { ID = 1, NAME = 3, STATE, ANNOTATIONS = 6, PROCESS = 12 };
enum { KEY = 1, VALUE };
#define RUNNING 3

static void put(char *to, size_t size, struct cua_bytes from)
{
    snprintf(to, size, "%.*s", (int)(from.size < size ? from.size : size), (const char *)from.at);
}

/* Reads one annotation of a pod or of a container. It may refuse cuarbiter, or contain a name of
 * the container in Kubernetes. */
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
        else if (field.number == PROCESS && field.value <= INT_MAX)
            container->pid = (long)field.value;
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

void cua_nri_new(struct cua_bytes request, struct cua_container *container)
{
    struct cua_field field, part;

    *container = (struct cua_container){.root = -1};
    while (cua_field_next(&request, &field) > 0)
        if (field.number == CREATE_CONTAINER)
            take_container(container, field.bytes);
        else if (field.number == CREATE_POD)
            while (cua_field_next(&field.bytes, &part) > 0)
                if (part.number == POD_ANNOTATIONS)
                    take_annotation(container, part.bytes);
}
