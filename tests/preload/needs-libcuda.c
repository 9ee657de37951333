/* SPDX-License-Identifier: Apache-2.0 */
/* Another preload, which needs libcuda itself. */
int who(void);
int needs_libcuda(void);

int needs_libcuda(void)
{
    return who();
}
