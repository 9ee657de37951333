/* SPDX-License-Identifier: Apache-2.0 */
/* libleaf.so lies beside the plugin and is in no folder that ld.so searches by itself. */
int leaf(void);

int leaf(void)
{
    return 42;
}
