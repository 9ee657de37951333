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
 * the command does not lie in that folder: /proc may be missing, or /proc/self/exe leads to ld.so,
 * because the command was started through ld.so. */
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

/* Besides the shim itself, checks the answerer beside it, without which the shim does nothing; and
 * whether LD_PRELOAD can name the shim's path: a space or a colon would end the path, and ld.so
 * would expand a '$'. */
const char *cua_home_shim(char *path)
{
    char answerer[PATH_MAX];
    const char *home = cua_home_folder();

    strcpy(path, CUA_FILE_SHIM);
    if (!home[0])
        return "its own folder cannot be found";
    if (!cua_join(path, PATH_MAX, home, CUA_FILE_SHIM) ||
        !cua_join(answerer, sizeof(answerer), home, CUA_FILE_ANSWERER))
        return "its folder's path is too long";
    if (access(path, R_OK) != 0)
        return strerror(errno);
    if (strpbrk(path, " :$"))
        return "a path with a space, a colon or a '$' cannot be an entry of LD_PRELOAD";
    if (access(answerer, X_OK) == 0)
        return NULL;
    strcpy(path, answerer);
    return strerror(errno);
}
