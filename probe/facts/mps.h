/* SPDX-License-Identifier: Apache-2.0 */
/* Whether an MPS daemon lives that libcuda of the subject's process would connect to. */
#ifndef CUA_MPS_H
#define CUA_MPS_H

#include <stdbool.h>
#include "machine/subject.h"

bool cua_mps_live(const struct cua_subject *subject);

#endif
