/* SPDX-License-Identifier: Apache-2.0 */
/* An answer, as the shim reads it; newlines stand for NULs. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#pragma clang attribute push(__attribute__((no_sanitize("address"))), apply_to = function)
#include "shim/text.c"
#pragma clang attribute pop
#include "shim/ask.c"
#include "shim/status.c"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const struct cua_errand *answered;
static void *mapped[8];
static size_t rows;

/* Memory of its own size for each mapping, so that whoever writes behind it is seen. */
long cua_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    size_t i = 0;

    (void)c, (void)d, (void)e, (void)f;
    if (number == SYS_mmap) {
        while (mapped[i])
            i++;
        mapped[i] = calloc(1, (size_t)b);
        return (long)mapped[i];
    }
    if (number == SYS_munmap) {
        while (mapped[i] != (void *)a)
            i++;
        free(mapped[i]);
        mapped[i] = NULL;
        return 0;
    }
    abort();
}

/* Rows are kept for ever, and lie in one mapping with their paths. */
void cua_row_keep(uint64_t key, const struct cua_row *row)
{
    rows++;
    if (!key || !row->companion || (row->path && row->path[0] != '/') ||
        (row->path && strlen(row->path) >= answered->length))
        abort();
}

/* The rest of the shim is not linked. */
const struct link_map *cua_objects(void)
{
    return NULL;
}

void *cua_object_symbol(const struct link_map *object, const char *name)
{
    (void)object, (void)name;
    return NULL;
}

const char *cua_folder(void)
{
    return NULL;
}

struct cua_errand *cua_errand_new(void)
{
    return NULL;
}

void cua_errand_free(struct cua_errand *errand)
{
    (void)errand;
}

bool cua_errand_may(struct cua_errand *errand, bool at_start)
{
    (void)errand, (void)at_start;
    return false;
}

void cua_errand_run(struct cua_errand *errand)
{
    (void)errand;
}

void cua_question_write(struct cua_errand *errand)
{
    (void)errand;
}

bool cua_question_stands(struct cua_errand *errand)
{
    (void)errand;
    return true;
}

void cua_question_prepare(struct cua_question *question)
{
    (void)question;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct cua_errand *errand = size <= CUA_ANSWER_MOST ? calloc(1, sizeof(*errand)) : NULL;
    struct cua_answer answer = {.action = CUA_LEAVE};

    if (!errand)
        return 0;
    for (size_t i = 0; i < size; i++)
        errand->answer[i] = bytes[i] == '\n' ? 0 : (char)bytes[i];
    errand->length = size;
    if (is_whole(errand)) {
        answered = errand;
        rows = 0;
        memset(given, 0, sizeof(given)); /* they lie in memory that is freed below */
        atomic_store(&kept, NULL);
        if (!replace_kept(errand, NULL))
            abort();
        read_rows(errand, &answer);
        if (answer.action != CUA_LEAVE && (!answer.row || answer.row->path[0] != '/'))
            abort();
        if (answer.keep && !answer.row)
            abort();
    }
    for (size_t i = 0; i < sizeof(mapped) / sizeof(*mapped); i++) {
        free(mapped[i]);
        mapped[i] = NULL;
    }
    free(errand);
    return 0;
}
