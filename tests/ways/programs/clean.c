/* SPDX-License-Identifier: Apache-2.0 */
/* clean PROGRAM ARGS...: executes it without LD_PRELOAD, with everything else. */
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc < 2 || unsetenv("LD_PRELOAD"))
        return 2;
    execv(argv[1], argv + 1);
    return 127;
}
