/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Linked with libcuda. Says all that a second exec could leave behind, and then the same for a
 * child. `linked child` starts one, `linked plain` says only which libcuda it has.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
int who(void);

static int constructed;

__attribute__((constructor)) static void begin(void)
{
    constructed++;
    if (write(STDERR_FILENO, "constructor\n", 12) != 12)
        _exit(99);
}

static void say_names(int argc, char **argv)
{
    char name[17] = "", link[4096] = "none", *file = (char *)getauxval(AT_EXECFN);
    int i;

    for (i = 0; i < argc; i++)
        printf("argv %d %s\n", i, argv[i]);
    prctl(PR_GET_NAME, name);
    if (readlink("/proc/self/exe", link, sizeof(link) - 1) < 0)
        strcpy(link, strerror(errno));
    printf("comm %s\nfile %s\nexe %s\n", name, file ? file : "none", link);
    printf("called %s, %s\n", program_invocation_name, program_invocation_short_name);
    printf("cwd %s\n", getcwd(link, sizeof(link)));
}

/* environ and /proc/self/environ, which shows the memory itself. */
static void say_environment(void)
{
    static char bytes[1 << 20];
    FILE *file = fopen("/proc/self/environ", "r");
    size_t size = file ? fread(bytes, 1, sizeof(bytes), file) : 0, at;
    char **entry;

    for (entry = environ; *entry; entry++)
        printf("environ %s\n", *entry);
    for (at = 0; at < size; at += strlen(bytes + at) + 1)
        if (bytes[at])
            printf("proc %s\n", bytes + at);
    if (file)
        fclose(file);
}

/* The auxiliary vector, as libc finds it and as those do who walk there from environ. */
static void say_auxv(void)
{
    char **entry = environ;
    unsigned long *auxv;

    while (*entry)
        entry++;
    for (auxv = (unsigned long *)(entry + 1); *auxv != AT_NULL; auxv += 2)
        if (*auxv == AT_PAGESZ || *auxv == AT_SECURE)
            printf("auxv %lu %lu\n", *auxv, auxv[1]);
    printf("page %lu, random %s\n", getauxval(AT_PAGESZ), getauxval(AT_RANDOM) ? "there" : "none");
}

static void say_descriptors(void)
{
    struct stat st;
    int fd;

    for (fd = 0; fd < 64; fd++)
        if (!fstat(fd, &st))
            printf("fd %d %o %x\n", fd, st.st_mode & S_IFMT, fcntl(fd, F_GETFD));
}

static void say_status(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[512];

    while (file && fgets(line, sizeof(line), file))
        if ((!strncmp(line, "Sig", 3) && line[3] != 'Q') || !strncmp(line, "Threads", 7) ||
            !strncmp(line, "NoNewPrivs", 10))
            fputs(line, stdout);
    if (file)
        fclose(file);
}

static int start_child(char **argv)
{
    char *arguments[] = {argv[0], (char *)"of", (char *)"a child", (char *)"", NULL};
    int status = 1;
    pid_t child;

    fflush(stdout);
    if (posix_spawn(&child, "/proc/self/exe", NULL, NULL, arguments, environ))
        return 1;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}

static int say_libcuda(struct dl_phdr_info *object, size_t size, void *arg)
{
    (void)size;
    (void)arg;
    if (strstr(object->dlpi_name, "libcuda.so"))
        printf("mapped %s\n", object->dlpi_name);
    return 0;
}

int main(int argc, char **argv)
{
    printf("who %d, constructed %d\n", who(), constructed);
    if (argc > 1 && !strcmp(argv[1], "mapped"))
        return dl_iterate_phdr(say_libcuda, NULL);
    if (argc > 1 && !strcmp(argv[1], "plain"))
        return 0;
    say_names(argc, argv);
    say_environment();
    say_auxv();
    say_descriptors();
    say_status();
    return argc > 1 && !strcmp(argv[1], "child") ? start_child(argv) : 0;
}
