/* SPDX-License-Identifier: Apache-2.0 */
#include "cuarbiter/names.h"

#include "boot.h"
#include "syscalls.h"
#include "text.h"
#include "trail.h"

#define PRELOAD "LD_PRELOAD="

static void read_env(struct cua_boot *boot)
{
    char **entry = boot->env;

    for (; *entry; entry++) {
        if (**entry == 'L') {
            /* ld.so goes by the last one of a name, getenv by the first. */
            if (cua_starts(*entry, PRELOAD))
                boot->preload = entry;
            else if (cua_starts(*entry, "LD_LIBRARY_PATH="))
                boot->library_path = *entry + sizeof("LD_LIBRARY_PATH=") - 1;
        } else if (**entry == 'C' && cua_starts(*entry, CUA_ENV_SYSROOT "=")) {
            boot->sysroot = (*entry)[sizeof(CUA_ENV_SYSROOT)] != 0;
        }
    }
    boot->entries = (size_t)(entry - boot->env);
}

void cua_boot_read(struct cua_boot *boot, char **argv, char **env)
{
    const ElfW(auxv_t) * entry;
    char **word;

    boot->argv = argv;
    boot->env = env;
    boot->preload = NULL;
    boot->library_path = NULL;
    boot->sysroot = false;
    boot->secure = true;
    boot->explicit_loader = true;
    boot->file = NULL;
    read_env(boot);
    /* ld.so takes LD_LIBRARY_PATH, TMPDIR and others out of the environment of a program with
     * raised privileges; each of them leaves one more NULL behind the last entry. */
    word = env + boot->entries;
    while (!*word)
        word++;
    boot->auxv = (ElfW(auxv_t) *)(void *)word;
    for (entry = boot->auxv; entry->a_type != AT_NULL; entry++) {
        if (entry->a_type == AT_SECURE)
            boot->secure = entry->a_un.a_val;
        else if (entry->a_type == AT_BASE)
            boot->explicit_loader = !entry->a_un.a_val;
        else if (entry->a_type == AT_EXECFN)
            boot->file = (const char *)entry->a_un.a_val;
    }
}

/* ---- the second run -------------------------------------------------------------------------- */

/* The two entries that were added become the end of env and an entry of the auxiliary vector that
 * says nothing: for libc, which knows where that vector is, nothing moves, and whoever walks there
 * from the end of env finds it too. */
static void remove_entries(struct cua_boot *boot)
{
    char **first = boot->preload;
    ElfW(auxv_t) * ignored;

    if (first != boot->env + boot->entries - 2 || *first[1])
        return;
    first[0] = NULL;
    ignored = (ElfW(auxv_t) *)(void *)(first + 1);
    ignored->a_type = AT_IGNORE;
    ignored->a_un.a_val = 0;
    boot->preload = NULL;
    boot->entries -= 2;
}

static void restore_file(struct cua_boot *boot, const char *file)
{
    ElfW(auxv_t) * entry;

    for (entry = boot->auxv; entry->a_type != AT_NULL; entry++)
        if (entry->a_type == AT_EXECFN)
            entry->a_un.a_val = (uintptr_t)file;
    boot->file = file;
}

bool cua_second_run(struct cua_boot *boot)
{
    char *value, *at, *cut = NULL;
    struct cua_trail trail;

    if (!boot->preload)
        return false;
    value = *boot->preload + sizeof(PRELOAD) - 1;
    if (!cua_trail_read(value, &trail))
        return false;
    for (at = value; at[0]; at++)
        if (at[0] == ':' && at[1] == ':' && at[2] && at[2] != ':' && at[2] != ' ')
            cut = at;
    if (trail.what & CUA_TRAIL_ADDED)
        cut = *boot->preload;
    for (at = cut; at && *at; at++)
        *at = 0;
    if (trail.what & CUA_TRAIL_ADDED)
        remove_entries(boot);
    if (trail.what & CUA_TRAIL_NAME)
        cua_sys_prctl(PR_SET_NAME, trail.name);
    if (trail.what & CUA_TRAIL_FILE && trail.file)
        restore_file(boot, trail.file);
    return true;
}
