/* SPDX-License-Identifier: Apache-2.0 */
/* To link against, where a driver's own SONAME is not wanted. */
int cuInit(unsigned flags);

int cuInit(unsigned flags)
{
    return (int)flags + 34;
}
