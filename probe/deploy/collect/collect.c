/* SPDX-License-Identifier: Apache-2.0 */
/* The collector receives reports as datagrams (collect.h), and containers may send it any datagram.
 * So no datagram ends the collector, and the collector's log and memory have limits. The collector
 * finds the container of a report by the sender's pid, which the kernel attaches to the datagram.
 * It does not trust what the report says about its container. */
#include "deploy/collect/collect.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/oldstat.h"
#include "cli/verb.h"
#include "cuarbiter/names.h"
#include "deploy/collect/claim.h"
#include "deploy/collect/origin.h"
#include "deploy/collect/sender.h"
#include "deploy/hook/journal.h"
#include "machine/report.h"

#define PLACE     CUA_DIR_REPORTS "/" CUA_FILE_REPORTS
#define NEXT      PLACE ".new"
#define MINUTE    60000 /* milliseconds */
#define URGENT    (-10)
#define PER_CENTI 10    /* after so many datagrams in 10 ms, pause after each further one */
#define MOST_WAIT 10000 /* a timer interrupts receiving a datagram after so many microseconds */

#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83 /* since Linux 6.16 */
#endif

struct datagram {
    char text[CUA_REPORT_MOST];
    size_t size;
    bool cut; /* the datagram was longer than `text` */
    struct ucred from;
    struct timeval sent;
};

static struct {
    unsigned long written, unknown, malformed, cut, over, failed;
} counts;

static int complain(const char *what)
{
    cua_complain("node", "collect: %s: %s", what, strerror(errno));
    return 1;
}

/* Makes a folder with this mode, or sets the mode of an existing one. On failure returns false
 * after an error message; also if the folder belongs to another user, who could replace what is in
 * it. */
static bool make_folder(const char *path, mode_t mode)
{
    struct stat st;

    if ((mkdir(path, mode) && errno != EEXIST) || cua_lstat(path, &st))
        return !complain(path);
    if (S_ISDIR(st.st_mode) && st.st_uid == geteuid())
        return !chmod(path, mode) || !complain(path);
    cua_complain("node", "collect: %s: not a folder, or it belongs to another user", path);
    return false;
}

/* Makes the socket at PLACE. The socket of an earlier collector is replaced by a rename, so that
 * containers, in which the folder is mounted, always find one. Returns a descriptor, or -1. */
static int make_socket(void)
{
    const struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = NEXT};
    const int yes = 1, no = 0;
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    if (fd < 0)
        return -1;
    unlink(NEXT);
    /* Refuse file descriptors that a sender passes with a datagram. Kernels before Linux 6.16
     * cannot refuse them; there take_note closes them. */
    setsockopt(fd, SOL_SOCKET, SO_PASSRIGHTS, &no, sizeof(no));
    if (setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &yes, sizeof(yes)) ||
        setsockopt(fd, SOL_SOCKET, SO_TIMESTAMP, &yes, sizeof(yes)) ||
        bind(fd, (const struct sockaddr *)&name, sizeof(name)) || chmod(NEXT, 0666) ||
        rename(NEXT, PLACE)) {
        close(fd);
        return -1;
    }
    return fd;
}

static void take_note(struct datagram *datagram, struct cmsghdr *note)
{
    int fd;

    if (note->cmsg_level != SOL_SOCKET)
        return;
    if (note->cmsg_type == SCM_CREDENTIALS)
        memcpy(&datagram->from, CMSG_DATA(note), sizeof(datagram->from));
    else if (note->cmsg_type == SCM_TIMESTAMP)
        memcpy(&datagram->sent, CMSG_DATA(note), sizeof(datagram->sent));
    else if (note->cmsg_type == SCM_RIGHTS)
        for (size_t at = CMSG_LEN(0); at + sizeof(fd) <= note->cmsg_len; at += sizeof(fd)) {
            memcpy(&fd, (char *)note + at, sizeof(fd));
            close(fd);
        }
}

/* Receives a datagram. False if there is none, or on an error. If the sender passed file
 * descriptors with the datagram, take_note closes them; those for which `notes` has no room are
 * closed by the kernel. Closing can block, for example for a socket with SO_LINGER, so a timer
 * interrupts this function. */
static bool receive(int fd, struct datagram *datagram)
{
    union {
        struct cmsghdr align;
        char room[CMSG_SPACE(sizeof(struct ucred)) + CMSG_SPACE(sizeof(struct timeval))];
    } notes;
    struct iovec part = {datagram->text, sizeof(datagram->text)};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = notes.room,
                             .msg_controllen = sizeof(notes.room)};
    const struct itimerval limit = {{0, MOST_WAIT}, {0, MOST_WAIT}}, none = {{0, 0}, {0, 0}};

    datagram->from = (struct ucred){0, (uid_t)-1, (gid_t)-1};
    datagram->sent = (struct timeval){0, 0};
    setitimer(ITIMER_REAL, &limit, NULL);
    ssize_t size = recvmsg(fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    for (struct cmsghdr *note = size < 0 ? NULL : CMSG_FIRSTHDR(&message); note;
         note = CMSG_NXTHDR(&message, note))
        take_note(datagram, note);
    setitimer(ITIMER_REAL, &none, NULL);
    if (size < 0)
        return false;
    datagram->size = (size_t)size;
    datagram->cut = message.msg_flags & MSG_TRUNC;
    return true;
}

static void handle(const struct datagram *datagram)
{
    static char line[CUA_CLAIM_LINE];
    char id[CUA_SENDER_ID + 1];

    /* Do this before anything else: once the sender has ended, its container cannot be found. */
    cua_sender_container(datagram->from.pid, &datagram->sent, id);
    if (datagram->cut) {
        counts.cut++;
        return;
    }
    struct cua_origin *origin = cua_origin_find(id);
    size_t size = cua_claim_print(line, datagram->text, datagram->size, origin, datagram->from.uid);
    if (!size)
        counts.malformed++;
    else if (!cua_origin_may(origin, size))
        counts.over++;
    else if (!cua_journal_write(CUA_REPORTS, CUA_REPORTS_OLD, line, size))
        counts.failed++;
    else
        counts.written++, counts.unknown += !id[0];
}

static long long now(void)
{
    struct timespec time = {0};

    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000LL + time.tv_nsec / 1000000;
}

/* Prints the counts if a datagram was dropped since the last call. */
static void say(void)
{
    static unsigned long before;
    unsigned long dropped = counts.malformed + counts.cut + counts.over + counts.failed;

    if (dropped != before)
        cua_complain("node",
                     "collect: %lu reports written, %lu of them of containers that are not known; "
                     "dropped: %lu not a report, %lu too long, %lu above the limit of bytes "
                     "per hour, %lu not written",
                     counts.written, counts.unknown, counts.malformed, counts.cut, counts.over,
                     counts.failed);
    before = dropped;
}

/* Called after each datagram. After more than PER_CENTI datagrams in 10 ms, pauses for a
 * millisecond at each call, so that a flood of datagrams costs this process little time. Between
 * the pauses the datagrams of other senders are read too. */
static void pace(void)
{
    static long long begun;
    static unsigned taken;
    long long centi = now() / 10;

    if (centi != begun)
        taken = 0;
    begun = centi;
    if (++taken > PER_CENTI)
        poll(NULL, 0, 1);
}

static volatile sig_atomic_t ended;

static void wake(int signal)
{
    if (signal != SIGALRM)
        ended = 1;
}

/* Handles datagrams until SIGTERM or SIGINT, and calls say() once a minute and at the end. Both
 * signals are blocked except in ppoll (mask `waiting`). So a signal that arrives outside ppoll ends
 * the next ppoll at once. */
static void collect(int fd, const sigset_t *waiting)
{
    static struct datagram datagram;
    const struct timespec minute = {MINUTE / 1000, 0};
    long long said = now();

    while (!ended) {
        struct pollfd ready = {fd, POLLIN, 0};
        if (ppoll(&ready, 1, &minute, waiting) > 0 && receive(fd, &datagram)) {
            handle(&datagram);
            pace();
        }
        if (ended || now() - said >= MINUTE) {
            say();
            said = now();
        }
    }
}

int cua_collect(void)
{
    const struct sigaction woken = {.sa_handler = wake};
    sigset_t ends, before;

    umask(022);
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    sigprocmask(SIG_BLOCK, &ends, &before);
    sigaction(SIGALRM, &woken, NULL);
    sigaction(SIGTERM, &woken, NULL);
    sigaction(SIGINT, &woken, NULL);
    /* Keep the node's own users from the socket, by the mode of CUA_DIR_RUN: a user can make
     * cgroups of any name, and so pose as a container. Containers do not pass through CUA_DIR_RUN:
     * the folder below it, CUA_DIR_REPORTS, is mounted in them. */
    if (!make_folder(CUA_DIR_RUN, 0700) || !make_folder(CUA_DIR_REPORTS, 0755))
        return 1;
    if (mkdir(CUA_DIR_LOG, 0755) && errno != EEXIST)
        return complain(CUA_DIR_LOG);
    int fd = make_socket();
    if (fd < 0)
        return complain(PLACE);
    printf("collecting from " PLACE " into " CUA_DIR_LOG "/" CUA_REPORTS "\n");
    fflush(stdout);
    /* Run with a high priority: if a sender ends before this process reads its cgroup, the sender's
     * container stays unknown. */
    setpriority(PRIO_PROCESS, 0, URGENT);
    collect(fd, &before);
    close(fd);
    return 0;
}
