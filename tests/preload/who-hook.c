/* SPDX-License-Identifier: Apache-2.0 */
/* A hook before libcuda. */
int who(void);

int who(void)
{
    return 3;
}
