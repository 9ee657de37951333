/* SPDX-License-Identifier: Apache-2.0 */
#include "confined.h"

#include <errno.h>
#include <sys/wait.h>

#include "status.h"
#include "syscalls.h"
#include "text.h"

static long call(long number, long a, long b, long c, long d)
{
    return cua_syscall(number, a, b, c, d, 0, 0);
}

/* The number of seccomp filters in the text of a /proc/PID/status; -1 if there are some but the
 * kernel does not count them (before Linux 5.9). */
static long count_filters(const char *status)
{
    const char *mode = cua_status_line(status, "Seccomp:\t"), *count;

    if (!mode || *mode == '0')
        return 0;
    count = cua_status_line(status, "Seccomp_filters:\t");
    return count ? (long)cua_decimal(count) : -1;
}

/* Whether the program itself seems to have installed a seccomp filter, which may kill the program
 * for a clone. Filters from before the program's start, as in a container, count as harmless. The
 * parent mostly has those as well, so filters that the parent lacks count as the program's own.
 * That is wrong in three cases:
 * - The program is the main process of a systemd service, or of a container in the host's pid
 *   namespace: the result may be true although the program has installed none.
 * - The parent is in another pid namespace: the result is always false.
 * - The kernel is older than Linux 5.9, and the parent has a filter: the result is always false.
 *
 * True also if the parent's status cannot be read. Overwrites errand->text with the parent's
 * status. */
static bool is_confined(struct cua_errand *errand)
{
    const char *parent = cua_status_line(errand->text, "PPid:\t");
    long own = count_filters(errand->text), pid = parent ? (long)cua_decimal(parent) : 0;
    char path[32], *to = path + sizeof(path) - sizeof("/status");
    size_t size;

    /* PPid is 0 if the parent is in another pid namespace. */
    if (!own || !pid)
        return false;
    cua_mempcpy(to, "/status", sizeof("/status"));
    for (; pid; pid /= 10)
        *--to = (char)('0' + pid % 10);
    to -= sizeof("/proc/") - 1;
    cua_mempcpy(to, "/proc/", sizeof("/proc/") - 1);
    size = cua_sys_read_file(to, errand->text, sizeof(errand->text) - 1);
    errand->text[size] = 0;
    return !size || (own < 0 ? !count_filters(errand->text) : own > count_filters(errand->text));
}

static uint64_t next_number(const char **at)
{
    uint64_t number = cua_decimal(*at);

    while (**at >= '0' && **at <= '9')
        ++*at;
    while (**at == '\t' || **at == ' ')
        ++*at;
    return number;
}

/* Whether execve would change the thread's rights in a way that cannot be prevented. Sets `bind`
 * and `by_root` of the errand (keeper.h). What execve changes (root: the effective uid is 0):
 * - For everybody, the ids that files are opened with (fsuid, fsgid) become the effective ids.
 * - Users other than root lose all but their ambient capabilities.
 * - For root, the permitted capabilities become effective again, and those of the bounding set
 *   become permitted. `bind` prevents the latter. */
static bool changes_rights(struct cua_errand *errand)
{
    const char *uids = cua_status_line(errand->text, "Uid:\t"),
               *gids = cua_status_line(errand->text, "Gid:\t");
    uint64_t effective, files, lost, had = cua_status_hex(errand->text, "CapEff:\t"),
                                     permitted = cua_status_hex(errand->text, "CapPrm:\t");
    bool root = false;
    int i;

    for (i = 0; uids && gids && i < 2; i++) {
        const char *at = i ? gids : uids;
        next_number(&at);
        effective = next_number(&at);
        next_number(&at);
        files = next_number(&at);
        if (effective != files)
            return true;
        root |= !i && !effective;
    }
    errand->bind = root && cua_status_hex(errand->text, "CapBnd:\t") & ~permitted;
    lost = had & ~cua_status_hex(errand->text, "CapAmb:\t");
    errand->by_root = root && lost;
    return root ? permitted & ~had : lost;
}

/* Whether the next child would be in another pid namespace. If the child were the first process
 * there, that namespace would end when the child ends. False if this cannot be found out. */
static bool is_other_namespace(void)
{
    static const char paths[][2][40] = {
        {"/proc/thread-self/ns/pid", "/proc/thread-self/ns/pid_for_children"},
        {"/proc/self/ns/pid", "/proc/self/ns/pid_for_children"}, /* for Linux before 3.17 */
    };
    char own[64], next[64];
    struct stat st;
    long n = 0, m = 0;
    int i;

    for (i = 0; i < 2 && n <= 0; i++) {
        n = call(SYS_readlinkat, AT_FDCWD, (long)paths[i][0], (long)own, sizeof(own));
        m = call(SYS_readlinkat, AT_FDCWD, (long)paths[i][1], (long)next, sizeof(next));
    }
    /* ENOENT has two causes. Either that namespace has no process yet; then the link itself exists.
     * Or the kernel has no such link (before Linux 4.12). */
    if (m == -ENOENT)
        return !cua_syscall(SYS_newfstatat, AT_FDCWD, (long)paths[i - 1][1], (long)&st,
                            AT_SYMLINK_NOFOLLOW, 0, 0);
    if (n <= 0 || m <= 0)
        return false;
    while (n > 0 && n == m && own[n - 1] == next[n - 1])
        n = m = n - 1;
    return n;
}

/* Whether the program has a child that does not end with SIGCHLD (but with another signal or none).
 * If so, the program may wait for such children by __WCLONE, and would see our keeper (keeper.h).
 * The keeper of another thread is such a child, too. So this is false while another errand is
 * running, or if one has begun meanwhile. True also if waitid fails for another reason than
 * ECHILD. */
static bool has_quiet_child(void)
{
    int begun = atomic_load(&cua_errands_begun);
    siginfo_t none; /* for waitid: valgrind reports NULL there as an error of the program */

    return !atomic_load(&cua_errands) &&
           cua_syscall(SYS_waitid, P_ALL, 0, (long)&none, WEXITED | WNOHANG | WNOWAIT | __WCLONE, 0,
                       0) != -ECHILD &&
           begun == atomic_load(&cua_errands_begun);
}

bool cua_errand_may(struct cua_errand *errand, bool at_start)
{
    size_t size =
        cua_sys_read_file("/proc/thread-self/status", errand->text, sizeof(errand->text) - 1);

    if (!size)
        size = cua_sys_read_file("/proc/self/status", errand->text, sizeof(errand->text) - 1);
    errand->text[size] = 0;
    /* Without /proc (in a chroot or a sandbox) a filter that kills for a clone cannot be seen. At
     * program start there is no such filter: a process that was just executed has installed none
     * and changed no right. */
    if (!size && !at_start)
        return false;
    return !changes_rights(errand) && !is_confined(errand) && !is_other_namespace() &&
           !has_quiet_child();
}
