/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a daemon of MPS (NVIDIA's Multi-Process Service) is running that libcuda would connect to
 * in the subject (the process that is examined). */
#ifndef CUA_MPS_H
#define CUA_MPS_H

#include <stdbool.h>
#include "machine/subject.h"

bool cua_mps_live(const struct cua_subject *subject);

#endif
