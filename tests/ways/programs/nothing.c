/* SPDX-License-Identifier: Apache-2.0 */
int nothing(void);

int nothing(void)
{
    return 0;
}
