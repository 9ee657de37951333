/* SPDX-License-Identifier: Apache-2.0 */
/* A library as programs load many of: about the size and the relocations of a Python extension. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define VISIBLE __attribute__((visibility("default")))

struct method {
    const char *name;
    double (*call)(double);
    const char *help;
};

#define METHOD(n)                                                                                  \
    static double method_##n(double x)                                                             \
    {                                                                                              \
        char text[64];                                                                             \
        snprintf(text, sizeof(text), "%d %g", n, x);                                               \
        return strtod(text, NULL) + (double)strlen(text) + sin(x);                                 \
    }
#define ENTRY(n)  {"method_" #n, method_##n, "what method " #n " does"},
#define TEN(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7) X(n##8) X(n##9)

TEN(METHOD, 1)
TEN(METHOD, 2)
TEN(METHOD, 3)
TEN(METHOD, 4)

VISIBLE extern const struct method cua_methods[];
const struct method cua_methods[] = {TEN(ENTRY, 1) TEN(ENTRY, 2) TEN(ENTRY, 3) TEN(ENTRY, 4)};

VISIBLE int cua_plugin_init(void);

int cua_plugin_init(void)
{
    void *memory = calloc(1, 64);
    time_t now = time(NULL);

    if (!memory)
        return -errno;
    memcpy(memory, &now, sizeof(now));
    free(memory);
    return 0;
}
