/* SPDX-License-Identifier: Apache-2.0 */
/* The least that a preload can be. */
int cua_empty;
