/* SPDX-License-Identifier: Apache-2.0 */
/* A link stub as the CUDA toolkit has them. */
int cuInit(unsigned flags);

__attribute__((visibility("default"))) int cuInit(unsigned flags)
{
    (void)flags;
    return 34;
}
