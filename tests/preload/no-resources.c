/* SPDX-License-Identifier: Apache-2.0 */
/* No descriptors left, then no memory: the refusal is ld.so's, in ld.so's words. */
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "behaviour.h"

int main(int argc, char **argv)
{
    char *leaf = in_folder(argv, "libleaf.so");
    struct rlimit limit = {3, 3}, old;

    (void)argc;
    getrlimit(RLIMIT_NOFILE, &old);
    limit.rlim_max = old.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    open_and_tell(leaf, RTLD_NOW);
    open_and_tell("libnone.so.7", RTLD_NOW);
    setrlimit(RLIMIT_NOFILE, &old);
    open_and_tell(leaf, RTLD_NOW);
    return 0;
}
