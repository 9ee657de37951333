/* SPDX-License-Identifier: Apache-2.0 */
/* A library with a need that is not mapped yet, so that the shim looks for it. */
int need(void);
int plain(void);

int plain(void)
{
    return need();
}
