/* SPDX-License-Identifier: Apache-2.0 */
#include "machine/mounts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/whole.h"

/* Limit for the text of mountinfo. 100,000 mounts, the default of fs.mount-max, normally take
 * less. */
#define MOST_BYTES (16u << 20)

/* Replaces, in place, the kernel's octal escapes, such as \040 for a blank. */
static void unescape(char *path)
{
    char *to = path;

    for (const char *from = path; *from; to++) {
        if (from[0] == '\\' && from[1] >= '0' && from[1] <= '3' && from[2] >= '0' &&
            from[2] <= '7' && from[3] >= '0' && from[3] <= '7') {
            *to = (char)((from[1] - '0') * 64 + (from[2] - '0') * 8 + (from[3] - '0'));
            from += 4;
        } else {
            *to = *from++;
        }
    }
    *to = 0;
}

/* Finds the fourth and the fifth field of a line, as proc(5) describes it: "36 35 98:0 /root
 * /mount/point rw,noatime shared:1 - ext4 /dev/root rw". False if there are fewer. */
static bool split(char *line, char **root, char **file)
{
    for (int i = 0; i < 3; i++)
        strsep(&line, " ");
    *root = strsep(&line, " ");
    *file = strsep(&line, " ");
    if (!*file)
        return false;
    unescape(*root);
    unescape(*file);
    return true;
}

int cua_mounts_each(const struct cua_subject *subject,
                    int (*fn)(void *data, const char *point, const char *root), void *data)
{
    char path[64] = "/proc/self/mountinfo", *root, *point, *line;
    int ended = 0;

    /* Read another process's mountinfo in this process's own /proc: below the other one's root,
     * /proc may be missing. */
    if (subject->pid)
        snprintf(path, sizeof path, "/proc/%ld/mountinfo", (long)subject->pid);
    char *text =
        cua_whole(cua_subject_open(subject->pid ? &cua_here : subject, path), MOST_BYTES, NULL);
    for (char *rest = text; !ended && (line = strsep(&rest, "\n"));)
        if (split(line, &root, &point) && point[0] == '/')
            ended = fn(data, point, root);
    free(text);
    return ended;
}
