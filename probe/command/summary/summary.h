/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter summary`: shows which libcuda the processes of many hosts got, or would have got, by
 * the log folder that they share. */
#ifndef CUA_VERB_SUMMARY_H
#define CUA_VERB_SUMMARY_H

#include "cli/verb.h"

extern const struct cua_verb cua_verb_summary;

#endif
