/* SPDX-License-Identifier: Apache-2.0 */
/* Recognizes a confidential virtual machine (TDX; SEV-SNP only under Hyper-V) by the instruction
 * cpuid, which the processor and the hypervisor answer. Azure's confidential machines need this:
 * there the devices by which circumstances.c recognizes other machines are not in the guest, but in
 * a layer below it. */
#ifndef CUA_ISOLATION_H
#define CUA_ISOLATION_H

#include <stdbool.h>

/* Whether the answers of cpuid show such a machine. `ask` writes what cpuid returns for a leaf to
 * `out`: EAX, EBX, ECX and EDX. */
bool cua_isolated_by(void (*ask)(unsigned leaf, unsigned out[4]));

/* The same for this machine; false on processors without cpuid. */
bool cua_isolated(void);

#endif
