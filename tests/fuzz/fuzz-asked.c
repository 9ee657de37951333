/* SPDX-License-Identifier: Apache-2.0 */
/* A question, as a program could write it without good intent; newlines stand for NULs. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "answer/asked.c"

#include "decide/decision.h"
#include "loader/ldso_args.h"
#include "machine/asker.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* All of it is read, so that whatever lies behind the question is seen. */
static size_t lengths(const struct cua_asked *asked)
{
    size_t all = strlen(asked->name) + strlen(asked->home) + strlen(asked->glibc) +
                 strlen(asked->exe) + strlen(asked->started);

    all += asked->why ? strlen(asked->why) : 0;
    all += asked->library_path ? strlen(asked->library_path) : 0;
    for (char **entry = asked->env; *entry; entry++)
        all += strlen(*entry);
    for (char **entry = asked->kept; *entry; entry++)
        all += strlen(*entry);
    for (size_t i = 0; i < asked->objects; i++) {
        const struct cua_mapped_object *object = &asked->object[i];
        all += strlen(object->name) + strlen(object->soname) + strlen(object->rpath);
        all += object->runpath ? strlen(object->runpath) : 0;
        for (const char *need = object->needs; *need; need += strlen(need) + 1)
            all += strlen(need);
        if (object->base < object->name || object->base > object->name + strlen(object->name))
            abort();
    }
    return all;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct cua_asked asked;
    char *question = malloc(size + !size);

    for (size_t i = 0; i < size; i++)
        question[i] = bytes[i] == '\n' ? 0 : (char)bytes[i];
    if (cua_asked_read(&asked, question, size) != 0)
        return 0;
    if (!asked.objects || asked.pid <= 0 || asked.home[0] != '/')
        abort();
    /* A text may be read more than once, moved ones too, but none is longer than the question. */
    if (lengths(&asked) > size * (asked.objects * 5 + 16))
        abort();
    cua_asker.words = asked.words;
    cua_asker.words_size = asked.words_size;
    const char *path = cua_ldso_args_own(), *program = cua_ldso_args_program();
    if ((path && strlen(path) > size) || (program && strlen(program) > size))
        abort();
    cua_asked_free(&asked);
    return 0;
}
