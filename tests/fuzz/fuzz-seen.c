/* SPDX-License-Identifier: Apache-2.0 */
/* What doctor reads: its audit module's file, the shim's log and what the command prints. The
 * processes that are watched can write all of them. */
#include <stdint.h>

#include "command/doctor/audit_log.c"
#include "command/doctor/error_scan.c"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct cua_error_scan whole = {0}, parts = {0};
    struct cua_seen_all all = {0};
    char *text = strndup((const char *)bytes, size), *rest = text, *line;

    while ((line = strsep(&rest, "\n")))
        if (strncmp(line, "cuarbiter[", 10) ? take_seen(&all, line) : take_log(&all, line))
            abort();
    for (size_t i = 0; i < all.count; i++)
        if (!all.seen[i].program || all.seen[i].file_count > CUA_SEEN_FILES ||
            all.seen[i].init_count > CUA_SEEN_INITS || all.seen[i].line_count > CUA_SEEN_LINES)
            abort();
    cua_seen_free(&all);
    free(text);
    /* However it is cut, the result is the same. */
    cua_error_scan_take(&whole, (const char *)bytes, size);
    for (size_t at = 0, part; at < size; at += part) {
        part = 1 + bytes[at] % 7;
        part = part < size - at ? part : size - at;
        cua_error_scan_take(&parts, (const char *)bytes + at, part);
    }
    if (memcmp(whole.found, parts.found, sizeof(whole.found)) != 0 ||
        whole.undefined_symbol != parts.undefined_symbol || whole.length != parts.length)
        abort();
    return 0;
}
