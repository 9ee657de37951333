/* SPDX-License-Identifier: Apache-2.0 */
/* Does the same as spec_json.h for YAML in block style, as nvidia-ctk and Go's libraries write
 * it. */
#ifndef CUA_SPEC_YAML_H
#define CUA_SPEC_YAML_H

char *cua_spec_yaml(const char *text, const char *hook, const char **trouble);

#endif
