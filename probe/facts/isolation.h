/* SPDX-License-Identifier: Apache-2.0 */
/* Recognizes a confidential virtual machine (TDX, SEV-SNP) by the instruction cpuid, to which the
 * processor and the hypervisor answer. Azure's confidential machines need this: the devices by
 * which others are recognized (circumstances.c) are not in the guest, but in a layer below it. */
#ifndef CUA_ISOLATION_H
#define CUA_ISOLATION_H

#include <stdbool.h>

/* `ask` writes what cpuid returns for a leaf to `out`: EAX, EBX, ECX and EDX. */
bool cua_isolated_by(void (*ask)(unsigned leaf, unsigned out[4]));

/* The same for this machine; false on processors without cpuid. */
bool cua_isolated(void);

#endif
