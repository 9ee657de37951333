/* SPDX-License-Identifier: Apache-2.0 */
int need(void);
int need(void)
{
    return 1;
}
