/* SPDX-License-Identifier: Apache-2.0 */
/* Looks for an MPS daemon. libcuda connects to the file `control` in CUDA_MPS_PIPE_DIRECTORY, by
 * default /tmp/nvidia-mps, and works without MPS if no daemon answers there (man
 * nvidia-cuda-mps-control, docs.nvidia.com/deploy/mps). In recent versions the file is a socket:
 * the daemon prints "Starting control daemon using socket /tmp/nvidia-mps/control". In older
 * versions it is a named pipe. */
#include "facts/mps.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static bool pipe_has_reader(const char *path)
{
    int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);

    if (fd < 0)
        return false;
    close(fd);
    return true;
}

static bool socket_answers(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    /* If connecting cannot be tried, assume that a daemon runs: then cuarbiter changes less. */
    if (strlen(path) >= sizeof(address.sun_path))
        return true;
    strcpy(address.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return true;
    int rc = connect(fd, (const struct sockaddr *)&address, sizeof(address));
    /* These errors too mean that a process listens: its queue is full, or its socket is of another
     * type. */
    bool live = rc == 0 || errno == EAGAIN || errno == EINPROGRESS || errno == EPROTOTYPE;
    close(fd);
    return live;
}

bool cua_mps_live(const struct cua_subject *subject)
{
    const char *folder = cua_subject_env(subject, "CUDA_MPS_PIPE_DIRECTORY");
    char path[PATH_MAX], real[PATH_MAX];
    struct stat st;
    int saved = errno;
    bool live = false;

    if (!folder || !*folder)
        folder = "/tmp/nvidia-mps";
    /* An unpacked image has no running daemon. For another process no connection is tried: if the
     * socket or pipe exists, a daemon is assumed to run. */
    if (!subject->whatif &&
        snprintf(path, sizeof(path), "%s/control", folder) < (int)sizeof(path) &&
        cua_subject_find(subject, path, real, &st, NULL) == 0) {
        bool own = cua_subject_is_own(subject);
        live = S_ISSOCK(st.st_mode) ? !own || socket_answers(real)
                                    : S_ISFIFO(st.st_mode) && (!own || pipe_has_reader(real));
    }
    errno = saved;
    return live;
}
