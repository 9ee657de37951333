# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# needs: gcc
cat >one.c <<'C'
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
int main(void)
{
    void *m = dlopen("libm.so.6", RTLD_NOW);
    double (*c)(double) = m ? (double (*)(double))dlsym(m, "cos") : 0;
    printf("%g %s\n", c ? c(0) : -1, dlopen("/no/such.so", RTLD_NOW) ? "found" : dlerror());
    return 0;
}
C
gcc -O2 -Wall -g one.c -o one -lm && ./one
gcc -O2 -flto -shared -fPIC one.c -o lib.so && echo linked
echo 'int main(void) { return undeclared; }' | gcc -x c -
echo "status $?"
# Debug information and LTO carry random names.
rm -f one lib.so
