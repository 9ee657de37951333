/* SPDX-License-Identifier: Apache-2.0 */
/* What `docker inspect` says, and the lines of a Dockerfile that are made of it: no image's words
 * become a line of their own. */
#include <stdint.h>

#include "deploy/dockerfile.c"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* The rest of the command is not linked. */
int cua_option(const struct cua_verb *verb, int argc, char **argv, bool strict, int *code)
{
    (void)verb, (void)argc, (void)argv, (void)strict, (void)code;
    return -1;
}

int cua_output_to(const char *file)
{
    (void)file;
    return -1;
}

static bool is_ours(const char *line)
{
    static const char *const heads[] = {
        "# ",    "FROM ",          "ARG IMAGE",        "COPY dist/ /opt/cuarbiter/",
        "CMD [", "ENTRYPOINT [\"", "ENV LD_PRELOAD=\""};

    for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
        if (!strncmp(line, heads[i], strlen(heads[i])))
            return i < 4 || strchr("]\"", line[strlen(line) - 1]);
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const struct choice choice = {"dist/", "/opt/cuarbiter", size && bytes[0] % 2};
    FILE *before = stdout;
    char *said = NULL, *copy, *rest, *line;
    size_t length = 0;

    if (!size)
        return 0;
    copy = malloc(size);
    memcpy(copy, bytes + 1, size - 1);
    stdout = open_memstream(&said, &length);
    int failed = print_lines(copy, size - 1, &choice);
    fclose(stdout);
    stdout = before;
    if (failed != (length == 0) || memchr(said, 0, length))
        abort();
    for (rest = said; length && (line = strsep(&rest, "\n")) && rest;)
        if (!is_ours(line))
            abort();
    free(said);
    free(copy);
    return 0;
}
