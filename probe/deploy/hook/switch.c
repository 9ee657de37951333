/* SPDX-License-Identifier: Apache-2.0 */
#include "deploy/hook/switch.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/oldstat.h"
#include "base/policy.h"
#include "base/text.h"
#include "machine/site.h"

const char *cua_switch_policy(const char *own, char *trouble, size_t size)
{
    char variable[64];
    struct cua_settings settings = {.env = (char *[]){own[0] ? variable : NULL, NULL}};
    struct stat st, folder;
    struct cua_site site;

    *trouble = '\0';
    snprintf(variable, sizeof(variable), CUA_ENV_POLICY "=%s", own);
    cua_site_load(&site, CUA_FILE_SWITCH, false);
    if (site.trouble[0])
        snprintf(trouble, size,
                 "%s: cuarbiter is off in containers without a site file of their own",
                 site.trouble);
    else if (site.text && (cua_stat(CUA_FILE_SWITCH, &st) || cua_stat(CUA_DIR_SITE, &folder) ||
                           !(st.st_mode & 004) || !(folder.st_mode & 001)))
        cua_copy(trouble, size,
                 "users other than root cannot read it: cuarbiter is off for them in containers");
    const char *value = cua_site_value(&site, &settings, CUA_ENV_POLICY, NULL);
    int found = value ? cua_policy_find(value) : CUA_POLICY_AUTO;
    if (found < 0)
        snprintf(trouble, size,
                 CUA_ENV_POLICY "=%.64s is not one of " CUA_POLICY_WORDS
                                ": cuarbiter is off in containers that set no policy of their own",
                 value);
    bool off = site.disabled || trouble[0];
    cua_site_release(&site);
    return off ? "disabled" : cua_policies[found];
}
