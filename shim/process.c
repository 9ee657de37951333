/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the environment and the auxiliary vector on the stack, and edits them in place. */
#include "cuarbiter/names.h"

#include "process.h"
#include "syscalls.h"
#include "text.h"

#define ENV_MOST (8 << 20) /* in bytes; from Linux 4.13 on no environment is this large */

static void read_env(struct cua_process *process)
{
    char **entry = process->env;

    for (; *entry; entry++) {
        if (**entry == 'L' && (*entry)[1] == 'D') {
            /* If LD_PRELOAD is set twice, keep the last entry: ld.so uses the last, though getenv
             * returns the first. */
            if (cua_starts(*entry, CUA_PRELOAD))
                process->preload = entry;
            else if (cua_starts(*entry, "LD_LIBRARY_PATH="))
                process->library_path = *entry + sizeof("LD_LIBRARY_PATH=") - 1;
        } else if (**entry == 'C' && (*entry)[1] == 'U') {
            if (cua_starts(*entry, CUA_ENV_SYSROOT "="))
                process->sysroot = (*entry)[sizeof(CUA_ENV_SYSROOT)] != 0;
            else if (cua_same(*entry, CUA_ENV_POLICY "=off"))
                process->off = true;
            else if (cua_same(*entry, CUA_ENV_LOG "=debug"))
                process->debug = true;
        }
    }
    process->entries = (size_t)(entry - process->env);
}

/* More than one NULL may follow the environment. For a program with raised privileges ld.so removes
 * LD_LIBRARY_PATH, TMPDIR and others. Each removed entry leaves one more NULL after the last
 * entry. */
ElfW(auxv_t) * cua_process_vector(char **env)
{
    while (*env)
        env++;
    while (!*env)
        env++;
    return (ElfW(auxv_t) *)(void *)env;
}

/* Returns the entry of this type, or the end of the vector if there is none. */
static ElfW(auxv_t) * find_entry(ElfW(auxv_t) * vector, unsigned long type)
{
    while (vector->a_type != AT_NULL && vector->a_type != type)
        vector++;
    return vector;
}

uintptr_t cua_process_aux(ElfW(auxv_t) * vector, unsigned long type)
{
    vector = find_entry(vector, type);
    return vector->a_type == type ? vector->a_un.a_val : 0;
}

void cua_process_read(struct cua_process *process, int argc, char **argv, char **env)
{
    const ElfW(auxv_t) * entry;

    *process = (struct cua_process){.argc = argc, .argv = argv, .env = env};
    read_env(process);
    process->auxv = cua_process_vector(env + process->entries);
    entry = find_entry(process->auxv, AT_SECURE);
    process->secure = entry->a_type == AT_NULL || entry->a_un.a_val;
}

/* Removes the two entries that the first run added. The first becomes the NULL that ends env; the
 * second and the old NULL become one entry AT_IGNORE before the auxiliary vector. So the vector
 * does not move, which matters because libc has stored its address. Code that looks for the vector
 * after the end of env still finds it. */
static void remove_entries(struct cua_process *process)
{
    char **first = process->env + process->entries - 2;
    ElfW(auxv_t) *ignored = (ElfW(auxv_t) *)(void *)(first + 1);

    first[0] = NULL;
    ignored->a_type = AT_IGNORE;
    ignored->a_un.a_val = 0;
    process->entries -= 2;
}

static void restore_file(const struct cua_process *process, const char *file)
{
    size_t size = cua_length(file) + 1;
    ElfW(auxv_t) *entry = find_entry(process->auxv, AT_EXECFN);
    char *copy = cua_sys_map(size);

    if (!copy || entry->a_type == AT_NULL)
        return;
    cua_mempcpy(copy, file, size);
    entry->a_un.a_val = (uintptr_t)copy;
}

static void clear(char *text)
{
    while (*text)
        *text++ = 0;
}

/* Removes the text from `cut` to the end of its string, and moves the later strings, up to `end`,
 * into the gap. Clearing the text would leave empty strings, which readers of /proc/self/environ,
 * such as sanitizers, may take for the end. */
static void take_out(struct cua_process *process, char *cut, char *end)
{
    size_t gone = cua_length(cut);
    char **entry;

    for (entry = process->env; *entry; entry++)
        if (*entry > cut && *entry < end)
            *entry -= gone;
    if (process->library_path > cut && process->library_path < end)
        process->library_path -= gone;
    for (cut = cua_mempcpy(cut, cut + gone, (size_t)(end - cut) - gone); cut < end; cut++)
        *cut = 0;
}

bool cua_process_second_run(struct cua_process *process)
{
    char **last = process->env + process->entries - 1, name[16] = "", *at, *cut = NULL;
    size_t length;

    if (process->entries < 2 || !process->preload || !cua_starts(*last, CUA_NOTE))
        return false;
    at = *last + sizeof(CUA_NOTE) - 1;
    length = (size_t)(*at - 'A') % sizeof(name);
    if (cua_length(at++) <= length) /* no shim wrote this: it is shorter than its letter says */
        return false;
    cua_mempcpy(name, at, length);
    if (length)
        cua_syscall(SYS_prctl, PR_SET_NAME, (long)name, 0, 0, 0, 0);
    if (at[length])
        restore_file(process, at + length);
    for (at = *process->preload; at[0]; at++)
        if (at[0] == ':' && at[1] == ':')
            cut = at;
    if (process->preload == last - 1) {
        cut = *process->preload;
        process->preload = NULL;
    }
    /* In memory the kernel puts the vector first, then the strings in the order of their entries in
     * env. If that array was edited, an entry may point elsewhere; then its text is only
     * cleared. */
    if (cut && (char *)process->auxv < cut && cut < *last)
        take_out(process, cut, *last + cua_length(*last));
    else if (cut)
        clear(cut);
    clear(*last);
    remove_entries(process);
    return true;
}

static bool has_note(const char *at, const char *end)
{
    for (; at < end; at += cua_length(at) + 1)
        if (cua_starts(at, CUA_NOTE))
            return true;
    return false;
}

/* Looks for the note in the strings that the kernel copied for the process, because the array of
 * pointers to them may have changed. The strings lie after the auxiliary vector. The last one is
 * the path of the file that was executed, to which AT_EXECFN points. */
bool cua_process_was_executed(const struct cua_process *process)
{
    const char *from = (const char *)(find_entry(process->auxv, AT_NULL) + 1);
    const char *file = (const char *)cua_process_aux(process->auxv, AT_EXECFN);
    char *text;
    bool was;

    if (cua_process_aux(process->auxv, AT_BASE))
        return has_note(from, file);
    /* ld.so itself was executed, and has set AT_EXECFN to the program's path. That is an argument,
     * which lies before the environment. So read /proc instead; if that fails, return false. */
    text = cua_sys_map(ENV_MOST);
    if (!text)
        return true;
    was = has_note(text, text + cua_sys_read_file("/proc/self/environ", text, ENV_MOST - 1));
    cua_sys_unmap(text, ENV_MOST);
    return was;
}
