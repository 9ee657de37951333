/* SPDX-License-Identifier: Apache-2.0 */
/* cuarbiter's hook in others' CDI specifications: the node's, for every GPU container. */
#ifndef CUA_CDI_MERGE_H
#define CUA_CDI_MERGE_H

/* Puts `hook`, a JSON object on one line, into the specification `file`, or takes it out (NULL).
 * Twice is the same as once; what is right already is not written. The new text replaces the file
 * at once, and no change of others is lost. Returns an exit code, after a complaint where it is not
 * 0. */
int cua_cdi_merge(const char *file, const char *hook);

/* The same of every specification of NVIDIA's tools that is there. */
int cua_cdi_merge_all(const char *hook);

#endif
