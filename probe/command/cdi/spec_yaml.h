/* SPDX-License-Identifier: Apache-2.0 */
/* The same as spec_json.h of YAML, in the block form that nvidia-ctk and Go's libraries write. */
#ifndef CUA_SPEC_YAML_H
#define CUA_SPEC_YAML_H

char *cua_spec_yaml(const char *text, const char *hook, const char **trouble);

#endif
