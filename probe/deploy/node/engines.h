/* SPDX-License-Identifier: Apache-2.0 */
/* Finds out how a node's container engines are configured: by asking the engines of this machine,
 * or by reading configuration files. For another node, whose root file system is in the folder
 * `root`, only reads files. */
#ifndef CUA_NODE_ENGINES_H
#define CUA_NODE_ENGINES_H

#include <stdbool.h>
#include <stddef.h>

/* Runs a program and returns what it printed, NUL-terminated, to be freed. NULL if it cannot be
 * started, ends with a status other than 0, prints a NUL, prints more than a mebibyte, or takes
 * more than five seconds. */
char *cua_engine_ask(const char *const *argv);

/* cua_engine_file: returns the text of the file at `path` below `root` ("": this machine), to be
 * freed; NULL if it cannot be read or is longer than a mebibyte. cua_engine_has: whether `path`
 * exists there. */
char *cua_engine_file(const char *root, const char *path);
bool cua_engine_has(const char *root, const char *path);

/* Returns the texts of the files in the folder `path` below `root` whose names end with `suffix`,
 * one after the other, ordered by name, as engines read drop-ins; to be freed. Leaves out a file
 * that cua_engine_file cannot read. NULL if there is no text. */
char *cua_engine_folder(const char *root, const char *path, const char *suffix);

/* Whether the folder has a file whose name ends with `suffix`. */
bool cua_engine_has_in(const char *root, const char *path, const char *suffix);

/* Returns the first version "N.N" in the text, as major * 1000 + minor; 0 if there is none, or
 * `text` is NULL. */
unsigned cua_engine_version(const char *text);

/* One assignment (key = value) of a TOML text, in the form that engines write: each value is on one
 * line. */
struct cua_toml {
    const char *at;    /* the text that is still to be read; at first the whole text */
    char section[256]; /* section of the assignment, without brackets and quotes */
    char key[64];
    char value[512]; /* without quotes, cut if too long; a list is one text, with its brackets */
};

/* Reads the next assignment; false after the last one. */
bool cua_toml_next(struct cua_toml *toml);

/* Copies the last value of `key` in the sections whose names end with `section` ("": in all). False
 * if there is none, or it does not fit. */
bool cua_toml_get(const char *text, const char *section, const char *key, char *value, size_t size);

#endif
