/* SPDX-License-Identifier: Apache-2.0 */
/* A library that needs libcuda.so.1, as an extension module of Python does. */
int cuInit(unsigned flags);
int plugin_init(const void **address);

__attribute__((visibility("default"))) int plugin_init(const void **address)
{
    *address = (const void *)cuInit;
    return cuInit(0);
}
