/* SPDX-License-Identifier: Apache-2.0 */
/*
 * choose WORD...: does each in turn, and says who answers. Words: open:NAME, noload:NAME, mode:NAME
 * (one that ld.so refuses), base:NAME and new:NAME (dlmopen), plugin:NAME (opens it and asks its
 * libcuda), closed:NAME (opens and closes it), replace:FILE (by FILE.new), cd:FOLDER, many:NAME,
 * fds: (how many files more are open than at first), files:NUMBER and memory:NUMBER (no more
 * descriptors, no more memory than that; -1: as at first).
 */
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "behaviour.h"

static void say(const char *word, void *handle)
{
    const char *message = dlerror();

    printf("%s %d %s\n", word, call(handle, "who"),
           handle ? "opened" : (message ? "failed" : "failed without a message"));
}

static int limit(int what, const char *number)
{
    struct rlimit limit;

    if (getrlimit(what, &limit))
        return -1;
    limit.rlim_cur = atoi(number) < 0 ? limit.rlim_max : (rlim_t)atoi(number);
    return setrlimit(what, &limit);
}

static int files(void)
{
    int fd, open = 0;

    for (fd = 0; fd < 256; fd++)
        open += fcntl(fd, F_GETFD) >= 0;
    return open;
}

static const char *with_new(const char *name)
{
    static char path[4096];

    snprintf(path, sizeof(path), "%s.new", name);
    return path;
}

int main(int argc, char **argv)
{
    int before = files();
    char *word, *name;
    int i, n;

    for (i = 1; i < argc; i++) {
        word = argv[i];
        name = strchr(word, ':');
        if (!name)
            return 99;
        *name++ = 0;
        errno = 4711;
        if (!strcmp(word, "open"))
            say(word, dlopen(name, RTLD_NOW));
        else if (!strcmp(word, "global"))
            say(word, dlopen(name, RTLD_NOW | RTLD_GLOBAL));
        else if (!strcmp(word, "noload"))
            say(word, dlopen(name, RTLD_NOW | RTLD_NOLOAD));
        else if (!strcmp(word, "mode"))
            say(word, dlopen(name, RTLD_GLOBAL));
        else if (!strcmp(word, "base"))
            say(word, dlmopen(LM_ID_BASE, name, RTLD_NOW));
        else if (!strcmp(word, "new"))
            say(word, dlmopen(LM_ID_NEWLM, name, RTLD_NOW));
        else if (!strcmp(word, "plugin"))
            printf("plugin %d\n", call(dlopen(name, RTLD_NOW), "needs_libcuda"));
        else if (!strcmp(word, "many"))
            for (n = 0; n < 1000; n++)
                dlopen(name, RTLD_NOW);
        else if (!strcmp(word, "closed"))
            dlclose(dlopen(name, RTLD_NOW));
        else if (!strcmp(word, "fds"))
            printf("fds %d\n", files() - before);
        else if (!strcmp(word, "replace") && rename(with_new(name), name))
            return 99;
        else if (!strcmp(word, "cd") && chdir(name))
            return 99;
        else if (!strcmp(word, "files") && limit(RLIMIT_NOFILE, name))
            return 99;
        else if (!strcmp(word, "memory") && limit(RLIMIT_AS, name))
            return 99;
    }
    return 0;
}
