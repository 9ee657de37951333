/* SPDX-License-Identifier: Apache-2.0 */
/* version.json of a toolkit, and the names of its libraries. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "facts/toolkit.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *text = calloc(1, size + 1);
    bool exact;

    memcpy(text, bytes, size);
    cua_toolkit_json(text, size);
    cua_toolkit_file(text, &exact);
    free(text);
    return 0;
}
