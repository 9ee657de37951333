/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the new libcuda with the one that it would replace. Looks up in both, through their hash
 * tables, the functions that the binder (the code that needs libcuda) imports. Refuses the new
 * libcuda if only that one lacks a function, even if another object has the function. A function
 * that both lack does not matter: it is not libcuda's, or the program fails without cuarbiter
 * too. */
#include "loader/loadable.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/text.h"
#include "elf/imports.h"
#include "elf/symbols.h"
#include "loader/closure.h"
#include "loader/mapped.h"

struct check {
    struct cua_elf file, other;
    bool has_other, now;
    const char *binder; /* the file whose imports are being looked at */
    bool own; /* on_own has not been called yet: its first call is for the new libcuda itself */
    char *why;
    size_t size;
};

static bool open_elf(struct cua_elf *elf, const char *path)
{
    return cua_elf_open(elf, cua_real_open(&cua_here, path), NULL, EM_NONE) == CUA_ELF_FINE;
}

static bool offers(struct cua_elf *elf, const char *name)
{
    struct cua_elf_symbol symbol = {.name = name};

    return cua_elf_symbols(elf, &symbol, 1) && symbol.found;
}

/* A name of libcuda has "cu", then a capital letter. The names of cublas, cudart and others have a
 * small letter there. Names with cuFile belong to another library. */
bool cua_loadable_lacks(struct cua_elf *libcuda, const char *name)
{
    return cua_starts(name, "cu") && name[2] >= 'A' && name[2] <= 'Z' &&
           !cua_starts(name, "cuFile") && !offers(libcuda, name);
}

/* Adds a name to the list, or `more` if no room for `more` would be left after the name. */
static void add_name(struct check *check, const char *name, const char *more)
{
    size_t used = strlen(check->why);

    if (cua_append(check->why, check->size, ", ") && cua_append(check->why, check->size, name) &&
        strlen(check->why) + strlen(more) < check->size)
        return;
    check->why[used] = '\0';
    cua_append(check->why, check->size, more);
}

static void on_import(void *data, const char *name)
{
    static const char more[] = " and more";
    struct check *check = data;

    if (!cua_loadable_lacks(&check->file, name) ||
        (check->has_other && !offers(&check->other, name)))
        return;
    if (!check->why[0])
        snprintf(check->why, check->size, "lacks functions that %s needs: %s",
                 cua_basename(check->binder), name);
    else if (cua_starts(check->why, "lacks ") && !cua_ends(check->why, more))
        add_name(check, name, more);
}

/* The file may be damaged, or not readable for this user. */
static void say_unread(struct check *check, const char *path)
{
    snprintf(check->why, check->size,
             "may not load: cuarbiter cannot read which functions %.80s needs", cua_basename(path));
}

static void on_binder(void *data, const char *path, struct cua_elf *elf)
{
    struct check *check = data;

    check->binder = path;
    if (elf && !cua_elf_imports(elf, check->now || cua_elf_binds_now(elf), on_import, check))
        say_unread(check, path);
}

/* Whether any object before index `at` in the list of mapped objects needs the object at `at`. If
 * none does, the object at `at` was preloaded (LD_PRELOAD). */
static bool is_needed(const struct cua_mapped *mapped, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (cua_mapped_needs(&mapped->object[i], &mapped->object[at]))
            return true;
    return false;
}

/* Checks the imports of all objects that ld.so mapped at program start, except libcuda itself, the
 * vDSO, and a program whose path is not known. Stops at the first reason to refuse the new
 * libcuda. */
static void each_mapped(struct check *check)
{
    const struct cua_mapped *mapped = cua_mapped();
    struct cua_elf elf;

    for (size_t i = 0; i < mapped->count && !check->why[0]; i++) {
        const char *path = i ? mapped->object[i].name : cua_mapped_program();
        if (!strchr(path, '/') || strcmp(mapped->object[i].soname, "libcuda.so.1") == 0)
            continue;
        if (!open_elf(&elf, path)) {
            say_unread(check, path);
            break;
        }
        on_binder(check, path, &elf);
        /* This object is not libcuda. If it exports cuInit and was not preloaded, the program calls
         * its cuInit. The new libcuda would be preloaded and so take over these calls. Therefore
         * the new libcuda is refused. */
        if (i && !check->why[0] && offers(&elf, "cuInit") && is_needed(mapped, i))
            snprintf(check->why, check->size,
                     "would be called instead of %s, whose cuInit the program calls now",
                     cua_basename(path));
        cua_elf_close(&elf);
    }
}

/* Called for the new libcuda and each library that it needs. Checks that the library was found, and
 * that ld.so could map it as code: a mount with noexec forbids that, and a security module may. */
static void on_own(void *data, const char *name, struct cua_elf *elf)
{
    static const char no_code[] = "cannot be mapped as code (is its mount noexec?)";
    void *page = elf ? mmap(NULL, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, elf->fd, 0) : MAP_FAILED;
    struct check *check = data;

    if (page != MAP_FAILED)
        munmap(page, 1);
    else if (!check->why[0] && check->own)
        snprintf(check->why, check->size, "%s", elf ? no_code : "is damaged or cannot be read");
    else if (!check->why[0])
        snprintf(check->why, check->size, "needs %s, which %s", cua_basename(name),
                 elf ? no_code : "is missing, damaged or not readable");
    check->own = false;
}

static void each(struct check *check, const struct cua_subject *subject,
                 const struct cua_requester *requester, const char *name, cua_closure_visit *visit)
{
    char libcuda[PATH_MAX], *needed[CUA_NEEDED + 1];
    int error =
        cua_loader_brings_libcuda(subject, requester, name, libcuda, NULL, needed, visit, check);

    for (char **one = needed; *one; one++)
        free(*one);
    if (error < 0 && !check->why[0])
        snprintf(check->why, check->size, "may not load: %.80s %s", cua_basename(name),
                 error == -ENOMEM    ? "could not be checked: there is no memory"
                 : error == -ENOEXEC ? "is damaged"
                 : error == -EAGAIN  ? "or a library that it needs could not be read"
                                     : "cannot be found or opened");
}

bool cua_loadable(const struct cua_subject *subject, const struct cua_binder *binder,
                  const char *file, const char *instead_of, char *why, size_t size)
{
    struct check check = {.now = binder->now, .own = true, .why = why, .size = size};
    bool own = cua_subject_is_own(subject);

    why[0] = 0;
    if (own)
        each(&check, subject, binder->requester, file, on_own);
    if (why[0] || !(binder->linked || binder->library))
        return !why[0];
    if (!open_elf(&check.file, file)) {
        if (own)
            snprintf(why, size, "may not load: it can no longer be read");
        return !own;
    }
    check.has_other = instead_of[0] && open_elf(&check.other, instead_of);
    /* NVIDIA's libcuda has no symbol versions. If this file has some, the binder might need others.
     * That is not checked, so such a file is refused. */
    if (cua_elf_value(&check.file, DT_VERDEF, &(uint64_t){0}))
        snprintf(why, size, "may not load: unlike NVIDIA's libcuda it has symbol versions");
    else if (binder->linked)
        each_mapped(&check);
    else
        each(&check, subject, binder->requester, binder->library, on_binder);
    cua_elf_close(&check.file);
    if (check.has_other)
        cua_elf_close(&check.other);
    return !why[0];
}
