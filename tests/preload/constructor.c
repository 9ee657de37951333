/* SPDX-License-Identifier: Apache-2.0 */
/* A linked library's constructor calls dlopen before the program does. */
#include "behaviour.h"

int early(void);

int main(int argc, char **argv)
{
    (void)argc;
    printf("early %d\n", early());
    open_and_tell(in_folder(argv, "libleaf.so"), RTLD_NOW);
    return 0;
}
