/* SPDX-License-Identifier: Apache-2.0 */
/* Lies in a root folder in the answerer's place: runs the answerer, which lies beside it as
 * "untraced", in the hands of the strace of that root. Static, as the answerer is. */
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    static char own[4096];
    const char *tracer[] = {"/bench/strace", "-f", "-y", "-o", "/bench/answered", own, NULL};
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    char *none[] = {NULL};

    if (!slash || slash - argv[0] > 4000)
        return 2;
    memcpy(own, argv[0], (size_t)(slash + 1 - argv[0]));
    memcpy(own + (slash + 1 - argv[0]), "untraced", sizeof("untraced"));
    execve(tracer[0], (char *const *)tracer, none);
    return 127;
}
