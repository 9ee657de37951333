/* SPDX-License-Identifier: Apache-2.0 */
/* A library that needs libcuda.so.1. */
int cuInit(unsigned flags);
int plugin_init(const void **address);

int plugin_init(const void **address)
{
    *address = (const void *)cuInit;
    return cuInit(0);
}
