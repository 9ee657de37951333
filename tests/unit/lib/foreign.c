/* SPDX-License-Identifier: Apache-2.0 */
/* A libcuda of another maker. */
int cuInit(unsigned flags);

__attribute__((visibility("default"))) int cuInit(unsigned flags)
{
    return flags ? 1 : 0;
}
