/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/home.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "cuarbiter/names.h"
#include "base/text.h"

/* Copies to `home` the folder of the file that `path` leads to. Returns 0, and copies nothing, if
 * there is no such file, or if the command is not in its folder. /proc/self/exe leads to ld.so if
 * the command was started through ld.so. */
static int take_folder(const char *path, char *home)
{
    char real[PATH_MAX], command[PATH_MAX];

    if (!realpath(path, real))
        return 0;
    *strrchr(real, '/') = '\0';
    return cua_join(command, sizeof(command), real, CUA_FILE_COMMAND) &&
           access(command, X_OK) == 0 && cua_copy(home, PATH_MAX, real);
}

const char *cua_home_folder(void)
{
    static char home[PATH_MAX];
    const char *execfn = (const char *)getauxval(AT_EXECFN);

    if (!home[0] && !take_folder("/proc/self/exe", home) && execfn)
        take_folder(execfn, home);
    return home;
}

/* Checks the answerer too, because the shim does nothing without it. Checks the characters of the
 * shim's path, because in LD_PRELOAD a space or a colon ends a path, and ld.so expands a '$'. */
const char *cua_home_shim(char *path)
{
    char answerer[PATH_MAX];
    const char *home = cua_home_folder();

    strcpy(path, CUA_FILE_SHIM);
    if (!home[0])
        return "its folder was not found from this command's own path (is its file still "
               "called " CUA_FILE_COMMAND "?)";
    if (!cua_join(path, PATH_MAX, home, CUA_FILE_SHIM) ||
        !cua_join(answerer, sizeof(answerer), home, CUA_FILE_ANSWERER))
        return "its folder's path is too long";
    if (access(path, R_OK) != 0)
        return strerror(errno);
    if (strpbrk(path, " :$"))
        return "a path with a space, a colon or a '$' cannot be an entry of LD_PRELOAD; move "
               "cuarbiter's files to another folder";
    if (access(answerer, X_OK) == 0)
        return NULL;
    strcpy(path, answerer);
    return strerror(errno);
}
