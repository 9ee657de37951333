/* SPDX-License-Identifier: Apache-2.0 */
/* Whether libcuda in the subject (the process that is examined) would find a running daemon of MPS
 * (NVIDIA's Multi-Process Service). */
#ifndef CUA_MPS_H
#define CUA_MPS_H

#include <stdbool.h>
#include "machine/subject.h"

bool cua_mps_live(const struct cua_subject *subject);

#endif
