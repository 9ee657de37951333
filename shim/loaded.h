/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a library is loaded. */
#ifndef CUA_LOADED_H
#define CUA_LOADED_H

#include <stdbool.h>
#include <stdint.h>

/* Whether an object of this name or SONAME is mapped in the base namespace. `key` stands for the
 * name. If the object still lies where it lay at the last call with this key, that takes no lock.
 * Otherwise ld.so is asked, which takes its lock, as the program's own call is about to do; the
 * next dlerror still reports the program's call only. */
bool cua_is_loaded(const char *name, uint64_t key);

#endif
