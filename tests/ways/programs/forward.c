/* SPDX-License-Identifier: Apache-2.0 */
/* A library that needs another one, which answers NEXT; itself it answers SELF. */
int NEXT(const void **address);
int SELF(const void **address);

int SELF(const void **address)
{
    return NEXT(address);
}
