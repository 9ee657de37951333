/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of a log folder, which others may write. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "command/summary/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct cua_record record;
    char *line = malloc(size + 1);

    if (!line)
        return 0;
    memcpy(line, bytes, size);
    line[size] = '\0';
    if (cua_record_parse(&record, line, size) == CUA_RECORD_CHOICE &&
        (strlen(record.exe) >= sizeof record.exe || strlen(record.from) >= sizeof record.from ||
         strlen(record.to) >= sizeof record.to || strlen(record.host) >= sizeof record.host))
        abort();
    free(line);
    return 0;
}
