/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rights HOW FILE: gives up or keeps rights in one of many ways, writes what the kernel says of it
 * into the file, and opens libcuda.so.1. Says which one it got; "cannot" where the kernel refuses.
 */
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "asker.h"

#define OTHER 12345

/* Of linux/landlock.h, which Debian 10 and 11 lack. */
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_restrict_self  446
#endif
#define ACCESS_FS_EXECUTE 1

static void must(int result)
{
    if (result != 0) {
        puts("cannot");
        exit(0);
    }
}

/* Takes capabilities away, or adds one to what is inherited. */
static void change(uint64_t dropped, uint64_t inherited)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2];

    must((int)syscall(SYS_capget, &header, data));
    for (int i = 0; i < 2; i++) {
        data[i].permitted &= ~(uint32_t)(dropped >> (32 * i));
        data[i].effective &= ~(uint32_t)(dropped >> (32 * i));
        data[i].inheritable |= (uint32_t)(inherited >> (32 * i));
    }
    must((int)syscall(SYS_capset, &header, data));
}

static void root_without(void)
{
    change(1ULL << CAP_DAC_OVERRIDE | 1ULL << CAP_DAC_READ_SEARCH | 1ULL << CAP_SYS_ADMIN, 0);
}

static void user_id_for_files(void)
{
    setfsuid(OTHER);
    must(setfsuid((uid_t)-1) != OTHER);
}

static void group_id_for_files(void)
{
    setfsgid(OTHER);
    must(setfsgid((gid_t)-1) != OTHER);
}

static void effective_user(void)
{
    must(seteuid(OTHER));
}

static void user(void)
{
    must(setuid(OTHER));
}

/* Another user with a capability that execve takes from it. */
static void user_with(void)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2] = {
        {1U << CAP_DAC_READ_SEARCH, 1U << CAP_DAC_READ_SEARCH, 0}};

    must(prctl(PR_SET_KEEPCAPS, 1));
    must(setuid(OTHER));
    must((int)syscall(SYS_capset, &header, data));
}

static void ambient(void)
{
    user_with();
    change(0, 1ULL << CAP_DAC_READ_SEARCH);
    must(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_DAC_READ_SEARCH, 0, 0));
}

static void root_is_nobody(void)
{
    must(prctl(PR_SET_SECUREBITS, SECBIT_NOROOT));
}

static void no_new_privileges(void)
{
    must(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
}

/* Libraries are mapped, programs are not executed. */
static void landlock(void)
{
    uint64_t handled = ACCESS_FS_EXECUTE;
    int rules = (int)syscall(SYS_landlock_create_ruleset, &handled, sizeof(handled), 0);

    must(rules < 0);
    no_new_privileges();
    must((int)syscall(SYS_landlock_restrict_self, rules, 0));
    close(rules);
}

static void write_status(const char *path)
{
    char text[8192];
    int from = open("/proc/thread-self/status", O_RDONLY | O_CLOEXEC);
    int to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    ssize_t n = read(from, text, sizeof(text));

    if (n <= 0 || write(to, text, (size_t)n) != n)
        exit(97);
    close(from);
    close(to);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } ways[] = {
        {"root-without", root_without},
        {"fsuid", user_id_for_files},
        {"fsgid", group_id_for_files},
        {"euid", effective_user},
        {"user", user},
        {"user-with", user_with},
        {"ambient", ambient},
        {"noroot", root_is_nobody},
        {"no-new-privileges", no_new_privileges},
        {"landlock", landlock},
    };

    if (argc < 3)
        return 99;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
        if (!strcmp(argv[1], ways[i].name))
            ways[i].run();
    write_status(argv[2]);
    printf("%d\n", opens());
    return 0;
}
