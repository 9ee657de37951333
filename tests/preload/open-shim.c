/* SPDX-License-Identifier: Apache-2.0 */
/* Linked with the wrong libcuda; opens the shim in the middle of its run. */
#include "behaviour.h"

int who(void);

int main(int argc, char **argv)
{
    void *shim = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);

    printf("who %d, shim %s, arguments %d\n", who(), shim ? "opened" : "failed", argc);
    printf("closed %d\n", dlclose(shim));
    return 0;
}
