/* SPDX-License-Identifier: Apache-2.0 */
#include "machine/site.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/oldstat.h"
#include "cuarbiter/names.h"
#include "machine/trust.h"

#define MOST_BYTES (64 * 1024)

const char *const cua_site_keys[CUA_SITE_KEYS] = {
    CUA_ENV_POLICY, CUA_ENV_LIBCUDA,       CUA_ENV_LOG,     CUA_ENV_LOG_FILE, CUA_ENV_LOG_FORMAT,
    CUA_ENV_TRIAL,  CUA_ENV_TRIAL_TIMEOUT, CUA_ENV_SYSROOT, CUA_ENV_MINOR,    CUA_ENV_DRIVERS,
};

static int key_of(const char *name, size_t length)
{
    for (int i = 0; i < CUA_SITE_KEYS; i++)
        if (strlen(cua_site_keys[i]) == length && memcmp(cua_site_keys[i], name, length) == 0)
            return i;
    return -1;
}

static char *trim(char *s)
{
    static const char blanks[] = " \t\r\v\f";

    s += strspn(s, blanks);
    for (char *end = s + strlen(s); end > s && strchr(blanks, end[-1]);)
        *--end = '\0';
    return s;
}

static bool parse_lock(struct cua_site *site, char *list)
{
    bool good = true;

    for (char *rest, *name = strtok_r(list, ", \t", &rest); name;
         name = strtok_r(NULL, ", \t", &rest)) {
        int key = key_of(name, strlen(name));
        if (key < 0)
            good = false;
        else
            site->locks = site->locked[key] = true;
    }
    return good;
}

static bool parse_line(struct cua_site *site, char *line)
{
    char *value = strchr(line, '=');

    if (value)
        *value++ = '\0';
    char *name = trim(line);
    value = value ? trim(value) : NULL;

    if (strcmp(name, "disabled") == 0) {
        site->disabled = !value || (strcmp(value, "0") != 0 && strcmp(value, "no") != 0);
        return true;
    }
    if (!value)
        return false;
    if (strcmp(name, "lock") == 0)
        return parse_lock(site, value);
    if (strcmp(name, "store") == 0) {
        site->store = value;
        return value[0] == '/';
    }
    int key = strcmp(name, "minor") == 0     ? key_of(CUA_ENV_MINOR, strlen(CUA_ENV_MINOR))
              : strcmp(name, "drivers") == 0 ? key_of(CUA_ENV_DRIVERS, strlen(CUA_ENV_DRIVERS))
                                             : key_of(name, strlen(name));
    if (key < 0)
        return false;
    site->value[key] = value;
    return true;
}

void cua_site_parse(struct cua_site *site)
{
    char *rest = site->text, *line;

    for (unsigned number = 1; (line = strsep(&rest, "\n")); number++) {
        char *content = trim(strsep(&line, "#"));
        if (*content && !parse_line(site, content) && !site->trouble[0])
            snprintf(site->trouble, sizeof(site->trouble),
                     "line %u is not understood (a line is CUARBITER_NAME=VALUE, minor=VALUE, "
                     "drivers=VALUE, lock=NAMES, store=/FOLDER or disabled; cuarbiter(7) lists "
                     "the names)",
                     number);
    }
}

bool cua_site_load(struct cua_site *site, const char *file, bool mounted)
{
    memset(site, 0, sizeof(*site));
    site->file = file;
    site->text = cua_root_text(&cua_here, file, MOST_BYTES, mounted);
    if (!site->text && (errno == ENOENT || errno == ENOTDIR))
        return false;
    /* Permanent trouble disables cuarbiter: a line that is not understood (site->text is set then),
     * or one of these errors. Other errors may be temporary and do not disable cuarbiter: a process
     * keeps its first decision, and would otherwise never use cuarbiter. */
    bool lasts =
        site->text || errno == EINVAL || errno == EPERM || errno == EACCES || errno == EFBIG;
    if (site->text)
        cua_site_parse(site);
    else
        snprintf(site->trouble, sizeof(site->trouble), "not read: %s",
                 errno == EINVAL  ? "not a regular file, or it contains NUL bytes"
                 : errno == EPERM ? "it must belong to root and nobody else may write it"
                                  : strerror(errno));
    site->disabled |= lasts && site->trouble[0];
    return true;
}

void cua_site_read(struct cua_site *site)
{
    struct stat st;

    if (cua_site_load(site, CUA_FILE_SITE, false) || cua_stat(CUA_FOLDER_SITE_NODE, &st) != 0)
        return;
    cua_site_load(site, CUA_FILE_SITE_NODE, true);
    if (st.st_nlink)
        return;
    strcpy(site->trouble, "the folder of this file was removed on the node");
    site->disabled = true;
}

void cua_site_release(struct cua_site *site)
{
    free(site->text);
    site->text = NULL;
}

const char *cua_site_value(const struct cua_site *site, const struct cua_settings *settings,
                           const char *name, const char **from)
{
    int key = key_of(name, strlen(name));
    const char *site_value = key < 0 ? NULL : site->value[key], *value = NULL;

    if (key < 0 || !site->locked[key])
        value = cua_settings_env(settings, name);
    bool own = value && *value;
    if (from)
        *from = own ? "environment" : site_value ? "site" : "default";
    return own ? value : site_value;
}

static bool is_ours(const char *name, size_t length)
{
    static const char *const others[] = {CUA_ENV_DOCTOR_SEEN, CUA_ENV_DRIVER_MIRROR};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (length == strlen(others[i]) && memcmp(name, others[i], length) == 0)
            return true;
    return key_of(name, length) >= 0;
}

bool cua_site_unknown(const struct cua_settings *settings, size_t *at, char *name, size_t size)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
    char *const *env = settings->env ? settings->env : environ;

    while (env && env[*at]) {
        const char *entry = env[(*at)++];
        size_t length = strcspn(entry, "=");
        if (strncasecmp(entry, CUA_ENV_PREFIX, strlen(CUA_ENV_PREFIX)) != 0 ||
            is_ours(entry, length))
            continue;
        snprintf(name, size, "%.*s", (int)length, entry);
        for (char *c = name; *(c += strspn(c, letters)); c++)
            *c = '?';
        return true;
    }
    return false;
}

const char *cua_site_sysroot(const char *value)
{
    struct cua_site site;

    if (!value || value[0] != '/' || !value[1])
        return "";
    cua_site_read(&site);
    bool kept = site.disabled || site.locks;
    cua_site_release(&site);
    return kept ? "" : value;
}
