/* SPDX-License-Identifier: Apache-2.0 */
/* A library with a need that is not mapped yet, so that the engine is asked about it. */
int need(void);
int plain(void);

int plain(void)
{
    return need();
}
