/* SPDX-License-Identifier: Apache-2.0 */
#include "store/apart.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NOBODY 65534

static void limit(int what, unsigned long most)
{
    struct rlimit64 old, new;

    if (getrlimit64(what, &old))
        return;
    new.rlim_cur = new.rlim_max = most < old.rlim_max ? most : old.rlim_max;
    (void)setrlimit64(what, &new);
}

/* The size of this process's address space in bytes; 0: not known. cua_apart adds it to the memory
 * limit, because a build with a sanitizer has an address space of terabytes. The first number of
 * statm counts pages (proc(5)). */
static unsigned long own_size(void)
{
    char text[64] = "";
    int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return 0;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    return n > 0 ? strtoul(text, NULL, 10) * (unsigned long)sysconf(_SC_PAGESIZE) : 0;
}

void cua_apart(int alone, unsigned long memory)
{
    struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[2] = {{0}};
    unsigned long mine = own_size();

    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    limit(RLIMIT_CORE, 0);
    if (geteuid() == 0 && setgroups(0, NULL) == 0 && setgid(NOBODY) == 0 && setuid(NOBODY))
        _exit(125);
    syscall(SYS_capset, &head, none);
    if (!alone)
        return;
    if (mine)
        limit(RLIMIT_AS, mine + memory);
    limit(RLIMIT_CPU, 600);
    limit(RLIMIT_FSIZE, 0);
    limit(RLIMIT_NPROC, 0);
}
