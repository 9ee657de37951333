/* SPDX-License-Identifier: Apache-2.0 */
#include "machine/report.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/text.h"
#include "cuarbiter/names.h"
#include "machine/asker.h"

#define PLACE CUA_FOLDER_REPORTS "/" CUA_FILE_REPORTS

bool cua_report_wanted(void)
{
    static enum { UNKNOWN, NO, YES } wanted;

    /* The socket exists only where the OCI hook mounted it, together with the shim in
     * CUA_FOLDER_NODE. A shim in another folder did not come from the hook. */
    if (wanted == UNKNOWN)
        wanted = cua_asker.pid && cua_asker.home && cua_starts(cua_asker.home, CUA_FOLDER_NODE) &&
                         access(PLACE, W_OK) == 0
                     ? YES
                     : NO;
    return wanted == YES;
}

void cua_report_send(const char *line, size_t size)
{
    static const struct sockaddr_un to = {.sun_family = AF_UNIX, .sun_path = PLACE};
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    if (fd < 0)
        return;
    /* A full queue must not block, and a closed socket must not raise SIGPIPE. */
    (void)sendto(fd, line, size, MSG_DONTWAIT | MSG_NOSIGNAL, (const struct sockaddr *)&to,
                 sizeof(to));
    close(fd);
}
