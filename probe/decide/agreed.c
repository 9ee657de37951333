/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes the file by which the processes of a container agree on one driver. agreed.h
 * says where it is, and whose file counts. */
#include "decide/agreed.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cuarbiter/stderr.h"
#include "base/oldstat.h"
#include "base/text.h"
#include "base/whole.h"
#include "machine/cachedir.h"
#include "machine/log.h"

#define HEAD   "cuarbiter-agreed 1\n"
#define NATIVE HEAD "native\n"
#define MOST   512

struct common_place {
    int folder; /* descriptor of the file's folder; -1: there is none */
    char name[48];
};

/* Finds the owner of the container's first process; false if that process cannot be seen. */
static bool first_owner(uid_t *owner)
{
    struct stat st;

    if (cua_stat("/proc/1", &st) != 0)
        return false;
    *owner = st.st_uid;
    return true;
}

static bool may_name(uid_t user)
{
    uid_t owner;

    return user == 0 || (first_owner(&owner) && user == owner);
}

/* Opens the folder for the agreement; -1: there is none. Every process finds the same folder,
 * because the choice does not depend on the process. */
static int open_folder(const struct cua_subject *subject)
{
    static const char *const folders[] = {"/tmp", "/dev/shm"};
    char path[PATH_MAX];
    struct statvfs fs;
    struct stat st;

    for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
        if (cua_join(path, sizeof(path), subject->sysroot ? subject->sysroot : "", folders[i]) &&
            cua_lstat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == 0 &&
            (st.st_mode & 07777) == 01777 && statvfs(path, &fs) == 0 && !(fs.f_flag & ST_RDONLY))
            return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return -1;
}

static bool open_place(struct common_place *place, const struct cua_facts *facts,
                       const struct cua_subject *subject)
{
    char epoch[64], key[256];
    struct stat space, root;

    place->folder = -1;
    cua_cachedir_epoch(epoch, sizeof(epoch));
    if (!epoch[0] || cua_ends(epoch, "-0") || cua_stat("/proc/self/ns/mnt", &space) != 0 ||
        cua_stat("/", &root) != 0 || !facts->native)
        return false;
    snprintf(key, sizeof(key), "%s %llx %llx:%llx %s", epoch, (unsigned long long)space.st_ino,
             (unsigned long long)root.st_dev, (unsigned long long)root.st_ino,
             facts->kmd.version.text);
    snprintf(place->name, sizeof(place->name), "cuarbiter-agreed-%016llx",
             (unsigned long long)cua_hash(key));
    place->folder = open_folder(subject);
    return place->folder >= 0;
}

/* Fills `text` with an agreement on this driver. The text identifies the driver's file by device,
 * inode, size and modification time, so that a file that replaces it later does not match. False if
 * there is no such file. */
static bool print(char *text, size_t size, const struct cua_umd *umd)
{
    struct stat st;

    if (!umd || cua_stat(umd->real, &st) != 0)
        return false;
    snprintf(text, size, HEAD "%llx:%llx %lld %lld.%09ld\n", (unsigned long long)st.st_dev,
             (unsigned long long)st.st_ino, (long long)st.st_size, (long long)st.st_mtim.tv_sec,
             st.st_mtim.tv_nsec);
    return true;
}

/* Reads the agreement into `facts->agreed`: the candidate (one of facts->umds) that the file names.
 * The agreement is the host's driver if the file names no candidate or cannot be trusted. False if
 * there is no file. */
static bool find(struct cua_facts *facts, const struct common_place *place)
{
    int fd = openat(place->folder, place->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool there = fd >= 0 || errno != ENOENT;
    struct stat st = {0};
    char own[128];

    facts->agreed = (struct cua_agreed){.what = CUA_AGREED_NATIVE};
    bool fine = fd >= 0 && cua_fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && !(st.st_mode & 022) &&
                (st.st_uid == geteuid() || may_name(st.st_uid));
    char *text = fine ? cua_whole_text(fd, MOST) : NULL;
    if (!fine && fd >= 0)
        close(fd);
    for (const struct cua_umd *umd = facts->umds; text && umd; umd = umd->hh.next)
        if (print(own, sizeof(own), umd) && strcmp(text, own) == 0)
            facts->agreed = (struct cua_agreed){.what = CUA_AGREED_FILE, .file = umd->key};
    free(text);
    return there;
}

/* Writes the text completely or not at all, and never replaces an earlier text. */
static void put(const struct common_place *place, const char *text)
{
    char temporary[96];
    struct timespec now = {0};

    clock_gettime(CLOCK_MONOTONIC, &now);
    snprintf(temporary, sizeof(temporary), "%s.%ld.%lld%09ld", place->name,
             (long)syscall(SYS_gettid), (long long)now.tv_sec, now.tv_nsec);
    int fd = openat(place->folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                    0600);
    if (fd < 0)
        return;
    bool whole = cua_safe_write(fd, text, strlen(text), cua_call_kernel) && fchmod(fd, 0644) == 0;
    if (close(fd) == 0 && whole)
        syscall(SYS_linkat, place->folder, temporary, place->folder, place->name, 0);
    unlinkat(place->folder, temporary, 0);
}

/* Writes the text to the file, then reads the file, because another process may have written it
 * first. If there is still no file, the agreement is the host's driver. */
static void write_down(struct cua_facts *facts, const struct common_place *place, const char *text)
{
    put(place, text);
    find(facts, place);
}

void cua_agreed_gather(struct cua_facts *facts, const struct cua_subject *subject, bool settles)
{
    struct common_place place;

    facts->agreed = (struct cua_agreed){.what = CUA_AGREED_NOTHING};
    if (!cua_subject_is_own(subject))
        return;
    facts->agreed.what = CUA_AGREED_NATIVE;
    if (!open_place(&place, facts, subject))
        return;
    if (!find(facts, &place)) {
        if (may_name(geteuid()))
            facts->agreed.what = CUA_AGREED_NOTHING;
        else if (settles)
            write_down(facts, &place, NATIVE);
    }
    close(place.folder);
}

bool cua_agreed_is_made(const struct cua_facts *facts, const struct cua_subject *subject)
{
    struct common_place place;

    if (!open_place(&place, facts, subject))
        return false;
    int fd = openat(place.folder, place.name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    close(place.folder);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

void cua_agreed_settle(struct cua_facts *facts, const struct cua_verdict *verdict,
                       const struct cua_subject *subject)
{
    bool native = verdict->chosen == facts->native;
    char text[128] = NATIVE;
    struct common_place place;

    facts->agreed = (struct cua_agreed){.what = CUA_AGREED_NATIVE};
    if (!open_place(&place, facts, subject))
        return;
    if (native || print(text, sizeof(text), verdict->chosen))
        write_down(facts, &place, text);
    close(place.folder);
    cua_log(CUA_LOG_DEBUG, "agreed",
            "in this container, programs that could run with either driver get %s",
            facts->agreed.what == CUA_AGREED_FILE ? "the bundled driver" : "the host's driver");
}
