/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter summary`: reads a log folder that many hosts share, and shows which libcuda their
 * processes got, or would have got. */
#ifndef CUA_VERB_SUMMARY_H
#define CUA_VERB_SUMMARY_H

#include "cli/verb.h"

extern const struct cua_verb cua_verb_summary;

#endif
