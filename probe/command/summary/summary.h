/* SPDX-License-Identifier: Apache-2.0 */
/* `cuarbiter summary`: shows what the processes of a fleet got, or would have got, by their log
 * folder. */
#ifndef CUA_VERB_SUMMARY_H
#define CUA_VERB_SUMMARY_H

#include "cli/verb.h"

extern const struct cua_verb cua_verb_summary;

#endif
