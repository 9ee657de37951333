/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A preload that has its own version of one function, HOOKED, and passes every call on. Its pointer
 * to the next version is set in a constructor, as many such libraries do, which also takes a secret
 * out of the environment's memory; with -Dedits at the first
 * call, when it also sets a variable; with -Dlocks at the first call, under a lock, when it also
 * looks for a library; with -Dstarts when the program starts. At its end it shows what the process
 * was given, on the descriptor 9.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define TEXT(name) #name
#define NAME(name) TEXT(name)

__asm__(".symver dlsym, dlsym@GLIBC_2.2.5"); /* it is to run on old systems too */

extern char **environ;
__attribute__((visibility("hidden"))) void *hook_next;
__attribute__((visibility("hidden"))) void hook_begin(void);
static char token[32];

#if defined(edits) || defined(locks)
#define FIRST                                                                                      \
    "    cmpq $0, hook_next(%rip)\n    jne 1f\n"                                                   \
    "    push %rdi\n    push %rsi\n    push %rdx\n    push %rcx\n    push %r8\n    push %r9\n"     \
    "    push %rax\n    call hook_begin\n    pop %rax\n"                                           \
    "    pop %r9\n    pop %r8\n    pop %rcx\n    pop %rdx\n    pop %rsi\n    pop %rdi\n1:\n"
#elif defined(starts)
#define FIRST
typedef int start(void *, int, char **, void *, void *, void *, void *);
int __libc_start_main(void *program, int argc, char **argv, void *init, void *fini, void *loader,
                      void *stack)
{
    start *next = (start *)dlsym(RTLD_NEXT, "__libc_start_main");

    hook_begin();
    return next(program, argc, argv, init, fini, loader, stack);
}
#else
#define FIRST
__attribute__((constructor)) static void begin(void)
{
    char **entry;

    hook_begin();
    for (entry = environ; *entry; entry++)
        if (!strncmp(*entry, "HOOK_TOKEN=", 11)) {
            strncpy(token, *entry, sizeof(token) - 1);
            memset(*entry + 11, 'x', strlen(*entry + 11));
        }
}
#endif
__asm__(".text\n.globl " NAME(HOOKED) "\n.type " NAME(HOOKED) ", @function\n" NAME(
    HOOKED) ":\n" FIRST "    jmp *hook_next(%rip)\n.size " NAME(HOOKED) ", . - " NAME(HOOKED) "\n");

void hook_begin(void)
{
#ifdef locks
    static int locked;

    if (locked++)
        _exit(70); /* a lock would wait for ever */
    dlopen("libc.so.10", RTLD_LAZY);
#endif
    hook_next = dlsym(RTLD_NEXT, NAME(HOOKED));
#ifdef edits
    setenv("HOOK_SEEN", "1", 1);
#endif
}

__attribute__((destructor)) static void end(void)
{
    char bytes[4096], name[17] = "";
    FILE *file = fopen("/proc/self/cmdline", "r");
    size_t size = file ? fread(bytes, 1, sizeof(bytes), file) : 0, at;
    char **entry;
    int fd;

    if (file)
        fclose(file);
    dprintf(9, "taken %s\n", token);
    for (entry = environ; *entry; entry++)
        dprintf(9, "environ %s\n", *entry);
    for (at = 0; at < size; at += strlen(bytes + at) + 1)
        dprintf(9, "argv %s\n", bytes + at);
    prctl(PR_GET_NAME, name);
    dprintf(9, "comm %s\n", name);
    for (fd = 0; fd < 32; fd++) {
        snprintf(bytes, sizeof(bytes), "/proc/self/fd/%d", fd);
        if (!access(bytes, F_OK))
            dprintf(9, "fd %d\n", fd);
    }
}
