/* SPDX-License-Identifier: Apache-2.0 */
/* A library that does nothing: what ld.so says of a preload is about the file alone. */
int cua_empty;
