/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the machine is a confidential virtual one, by what processor and hypervisor answer to the
 * instruction cpuid. On Azure's such machines a layer below the guest keeps the devices by which
 * others are known. */
#ifndef CUA_ISOLATION_H
#define CUA_ISOLATION_H

#include <stdbool.h>

/* `ask` gives EAX, EBX, ECX and EDX of a leaf. */
bool cua_isolated_by(void (*ask)(unsigned leaf, unsigned out[4]));

/* Asks this machine; false on processors without cpuid. */
bool cua_isolated(void);

#endif
