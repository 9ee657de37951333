/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the policy in force. This is not part of settings.h, because reading the policy writes to
 * the log, and the log needs the settings. */
#include "machine/policy.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cuarbiter/names.h"
#include "machine/log.h"
#include "base/oldstat.h"
#include "base/text.h"
#include "machine/site.h"

#define CUA_TIMEOUT_MOST 600

static unsigned read_timeout(const char *value)
{
    char *end;

    if (!value)
        return CUA_TIMEOUT_DEFAULT;
    unsigned long seconds = strtoul(value, &end, 10);
    if (*value >= '0' && *value <= '9' && !*end && seconds >= 1 && seconds <= CUA_TIMEOUT_MOST)
        return (unsigned)seconds;
    cua_log(CUA_LOG_WARN, "bad-value", "%s=%s is not a number of seconds from 1 to %d: %d is used",
            CUA_ENV_TRIAL_TIMEOUT, value, CUA_TIMEOUT_MOST, CUA_TIMEOUT_DEFAULT);
    return CUA_TIMEOUT_DEFAULT;
}

/* Of a long value shows the beginning, so that the reason is not cut off. */
static void log_libcuda(const char *value, const char *why)
{
    cua_log(CUA_LOG_WARN, "bad-libcuda", "%s=%.600s%s is ignored: %s", CUA_ENV_LIBCUDA, value,
            strlen(value) > 600 ? "..." : "", why);
}

static void read_libcuda(struct cua_policy *policy, const char *value)
{
    const char *why = NULL;

    if (value && value[0] != '/')
        why = "it is not an absolute path";
    else if (value && !cua_copy(policy->libcuda, sizeof(policy->libcuda), value))
        why = "it is too long";
    if (why)
        log_libcuda(value, why);
}

void cua_policy_check(struct cua_policy *policy, const struct cua_subject *subject)
{
    struct stat st;

    subject = cua_subject_is_own(subject) ? &cua_here : subject;
    int error = policy->libcuda[0] ? cua_subject_stat(subject, policy->libcuda, &st) : 0;
    if (!error)
        return;
    log_libcuda(policy->libcuda, strerror(-error));
    policy->libcuda[0] = '\0';
}

/* cuarbiter's OCI hook creates CUA_FILE_HOOK_OFF beside cuarbiter's files in a container if the
 * node's administrator has switched off NVIDIA's own hook. This means that bundled drivers are not
 * wanted. */
bool cua_policy_hook_off(const struct cua_policy *policy)
{
    char path[PATH_MAX];
    struct stat st;

    return policy->home && cua_join(path, sizeof(path), policy->home, CUA_FILE_HOOK_OFF) &&
           cua_stat(path, &st) == 0;
}

void cua_policy_read(struct cua_policy *policy, const struct cua_settings *settings)
{
    struct cua_site site;
    const char *value;
    int found;

    /* Clears all members up to the first byte of `libcuda`. The rest of that buffer, as large as a
     * page and mostly unused, is not touched. */
    memset(policy, 0, offsetof(struct cua_policy, libcuda) + 1);
    cua_site_read(&site);
    cua_log_setup(settings, &site);
    if (site.trouble[0])
        cua_log(CUA_LOG_WARN, "site-file", "%s: %s%s", site.file, site.trouble,
                site.disabled ? ": cuarbiter is off" : ": its settings do not apply");

    policy->site = site.file;
    value = cua_site_value(&site, settings, CUA_ENV_POLICY, &policy->from);
    found = value ? cua_policy_find(value) : CUA_POLICY_AUTO;
    if (site.disabled) {
        policy->disabled = true;
        policy->kind = CUA_POLICY_OFF;
        policy->from = "site";
    } else if (found >= 0) {
        policy->kind = (enum cua_policy_kind)found;
    } else {
        /* Any value shows that the user does not want the default, so an unknown policy counts as
         * off. */
        cua_log_each("bad-value", "%s=%s is not one of " CUA_POLICY_WORDS ": off is used",
                     CUA_ENV_POLICY, value);
        policy->kind = CUA_POLICY_OFF;
    }

    value = cua_site_value(&site, settings, CUA_ENV_TRIAL, NULL);
    found = value ? cua_find(cua_trial_kinds, CUA_TRIAL_KINDS, value) : CUA_TRIAL_AUTO;
    if (found >= 0)
        policy->trial = (enum cua_trial_kind)found;
    else
        cua_log(CUA_LOG_WARN, "bad-value", "%s=%s is not one of auto, never, always: auto is used",
                CUA_ENV_TRIAL, value);

    value = cua_site_value(&site, settings, CUA_ENV_MINOR, NULL);
    found = value ? cua_find(cua_minor_kinds, CUA_MINOR_KINDS, value) : CUA_MINOR_AUTO;
    if (found >= 0)
        policy->minor = (enum cua_minor_kind)found;
    else
        cua_log(CUA_LOG_WARN, "bad-value", "%s=%s is not one of auto, no, yes: auto is used",
                CUA_ENV_MINOR, value);

    policy->home = settings->home;
    value = cua_site_value(&site, settings, CUA_ENV_DRIVERS, NULL);
    policy->unbrought = value && strcmp(value, "yes") != 0;
    if (policy->unbrought && strcmp(value, "no") != 0)
        cua_log(CUA_LOG_WARN, "bad-value", "%s=%s is not one of yes, no: no is used",
                CUA_ENV_DRIVERS, value);
    policy->store[0] = '\0';
    if (site.store)
        cua_copy(policy->store, sizeof(policy->store), site.store);

    policy->trial_timeout =
        read_timeout(cua_site_value(&site, settings, CUA_ENV_TRIAL_TIMEOUT, NULL));
    read_libcuda(policy, cua_site_value(&site, settings, CUA_ENV_LIBCUDA, NULL));
    cua_site_release(&site);
}
