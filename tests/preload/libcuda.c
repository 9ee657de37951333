/* SPDX-License-Identifier: Apache-2.0 */
/* Two files with libcuda's SONAME that can be told apart. */
int who(void);

int who(void)
{
    return WHO;
}
