/* SPDX-License-Identifier: Apache-2.0 */
/* Another process, by its /proc/PID: what is mapped, its name, and its environment, all of which
 * are its own words. */
#include <stdint.h>
#include <sys/stat.h>

#include "command/process.c"
#include "command/status/running.c"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static char folder[] = "/dev/shm/cuarbiter-fuzz-XXXXXX";

static void remove_folder(void)
{
    static const char *const names[] = {"/maps", "/comm", ""};
    char path[64];

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        snprintf(path, sizeof(path), "%s%s", folder, names[i]);
        remove(path);
    }
}

static void put_file(const char *name, const uint8_t *bytes, size_t size)
{
    char path[64];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
        abort();
    close(fd);
}

static void check_environment(const uint8_t *bytes, size_t size)
{
    char *text = calloc(1, size + 1), *block, *const * env;
    size_t total = 0;

    memcpy(text, bytes, size);
    block = pack(text, size, "/proc/1/root");
    env = (char *const *)(void *)block;
    for (; *env; env++) {
        if (strcmp(*env, text + total) != 0)
            abort();
        total += strlen(*env) + 1;
    }
    if (total < size || strcmp((const char *)(env + 1), "/proc/1/root") != 0)
        abort();
    free(block);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct cua_running running = {0};

    if (strstr(folder, "XXXXXX")) {
        if (!mkdtemp(folder))
            abort();
        atexit(remove_folder);
    }
    put_file("maps", bytes, size);
    put_file("comm", bytes, size);
    if (read_maps(&running, folder) != 0)
        abort();
    read_name(&running, folder);
    if (running.mapped_count > CUA_MAPPED_MOST ||
        strnlen(running.name, sizeof(running.name)) == sizeof(running.name) ||
        strchr(running.name, '\n'))
        abort();
    for (size_t i = 0; i < running.mapped_count; i++)
        if (running.mapped[i].path[0] != '/' || !cua_running_find(&running, running.mapped[i].kind))
            abort();
    cua_running_free(&running);
    check_environment(bytes, size);
    return 0;
}
