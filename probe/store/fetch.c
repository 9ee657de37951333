/* SPDX-License-Identifier: Apache-2.0 */
#include "store/fetch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "store/apart.h"
#include "store/member.h"

#define TRIES 5
/* Exit codes of curl(1). */
enum {
    CURL_HOST = 6,
    CURL_PARTIAL = 18,
    CURL_SLOW = 28,
    CURL_RANGE = 33,
    CURL_CUT = 56,
    CURL_HTTP2 = 92
};
#define NO_CURL 127

struct transfer {
    const char *url;
    bool http, bar;
    uint64_t have;
};

static void start(const struct transfer *transfer, int to, int errors)
{
    char at[24], most[24];
    const char *allowed = transfer->http ? "=http,https" : "=https";
    const char *const argv[] = {
        "curl", "-q", "--fail", "--location", "--max-redirs", "10", "--proto", allowed,
        "--proto-redir", allowed, "--max-filesize", most, "--connect-timeout", "30",
        /* curl gives up a transfer that is slower than 1000 bytes per second for 60 seconds. */
        "--speed-limit", "1000", "--speed-time", "60", "--globoff", "--output", "-", "--show-error",
        transfer->bar ? "--progress-bar" : "--silent", "--url", transfer->url,
        transfer->have ? "--continue-at" : NULL, at, NULL};

    snprintf(at, sizeof at, "%llu", (unsigned long long)transfer->have);
    snprintf(most, sizeof most, "%llu", CUA_DOWNLOAD_BYTES);
    if (dup2(to, 1) < 0 || (!transfer->bar && dup2(errors, 2) < 0))
        _exit(125);
    cua_apart(0, 0);
    execvp(argv[0], (char *const *)(uintptr_t)argv);
    _exit(NO_CURL);
}

/* Takes the reason from the first line that curl wrote to its stderr, such as "curl: (22) The
 * requested URL returned error: 404". With a progress bar stderr is not read, and the reason is
 * "". */
static void take_word(int errors, char *why, size_t size)
{
    char text[512] = "";
    ssize_t n = read(errors, text, sizeof text - 1);
    char *word = n > 0 ? text : text + strlen(text);

    word[strcspn(word, "\n")] = '\0';
    if (cua_starts(word, "curl: (") && strchr(word, ')'))
        word = strchr(word, ')') + 2;
    snprintf(why, size, "%s", word);
}

/* Runs curl once. Returns its exit code, or 128 plus the signal that ended it; -EFBIG if the file
 * is too large; another -errno if it cannot be written or no child could be started. */
static int run(struct transfer *transfer, int fd, char *why, size_t size)
{
    int data[2], errors[2], status, rc = 0;
    static char part[1 << 16];
    ssize_t n;

    if (pipe2(data, O_CLOEXEC))
        return -errno;
    if (pipe2(errors, O_CLOEXEC)) {
        rc = -errno;
        close(data[0]);
        close(data[1]);
        return rc;
    }
    pid_t child = fork();
    if (child == 0)
        start(transfer, data[1], errors[1]);
    rc = child < 0 ? -errno : 0;
    close(data[1]);
    close(errors[1]);
    while (!rc && ((n = read(data[0], part, sizeof part)) > 0 || (n < 0 && errno == EINTR))) {
        if (n < 0)
            continue;
        if (transfer->have + (uint64_t)n > CUA_DOWNLOAD_BYTES)
            rc = -EFBIG;
        else if (!cua_write_all(fd, part, (uint64_t)n))
            rc = -errno;
        transfer->have += (uint64_t)n;
    }
    close(data[0]);
    if (child > 0) {
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
        take_word(errors[0], why, size);
        if (!rc)
            rc = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    close(errors[0]);
    return rc;
}

/* Whether to try again after curl's exit code `code`. `came`: some bytes arrived in this try. If
 * none did, the server probably never answers, so a timeout or a lost connection is final. */
static bool may_go_on(int code, bool came)
{
    return code == CURL_RANGE || code == CURL_PARTIAL ||
           (came && (code == CURL_SLOW || code == CURL_CUT || code == CURL_HTTP2));
}

bool cua_fetch(const char *url, bool http, bool bar, int fd, char *why, size_t size)
{
    struct transfer transfer = {.url = url, .http = http, .bar = bar};
    int rc = 0;

    why[0] = '\0';
    for (int i = 0; i < TRIES; i++) {
        uint64_t before = transfer.have;
        rc = run(&transfer, fd, why, size);
        if (!may_go_on(rc, transfer.have > before))
            break;
        /* If the server does not support ranges, start again from the beginning. */
        if (rc == CURL_RANGE) {
            transfer.have = 0;
            if (ftruncate(fd, 0) || lseek(fd, 0, SEEK_SET))
                return snprintf(why, size, "%s", strerror(errno)), false;
        }
    }
    if (rc == NO_CURL)
        snprintf(why + strlen(why), size - strlen(why),
                 "%scurl cannot be executed: install curl, or download the driver's archive "
                 "elsewhere and add that file",
                 why[0] ? ": " : "");
    else if (rc == -EFBIG)
        snprintf(why, size, "it is larger than %llu GiB, too large for a driver",
                 CUA_DOWNLOAD_BYTES >> 30);
    else if (rc < 0)
        snprintf(why, size, "%s", strerror(-rc));
    else if (rc == CURL_HOST)
        snprintf(why + strlen(why), size - strlen(why),
                 "%son a machine without access to this address, download the driver's archive "
                 "elsewhere and add that file",
                 why[0] ? "; " : "");
    else if (rc && !why[0])
        snprintf(why, size, "curl failed with exit code %d", rc);
    return rc == 0;
}
