/* SPDX-License-Identifier: Apache-2.0 */
/* Two files with libcuda's SONAME that differ in their answers. */
int who(void);

int who(void)
{
    return WHO;
}
