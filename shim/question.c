/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the question. Another thread may change ld.so's list of objects while it is read. So the
 * list is walked twice: if both walks find the same, it did not change between them. Every function
 * except cua_question_prepare runs in the keeper (keeper.h). */
#include "question.h"

#include <errno.h>

#include "objects.h"
#include "peek.h"
#include "process.h"
#include "state.h"
#include "syscalls.h"
#include "text.h"

#define MOST_OBJECTS 4096
#define MOST_NEEDED  256
#define MOST_ENTRIES 512 /* entries of one dynamic section */
#define MOST_TRIES   8
/* A list that keeps changing is read at least MOST_TRIES times, and until at least this many
 * objects were read. */
#define MANY_VISITS 1024
/* Bytes of one string of an object, such as its RUNPATH; the kernel has the same limit for one
 * argument of a program. */
#define MOST_TEXT  (128 * 1024)
#define MOST_WORDS (64 * 1024) /* bytes of a command line that are sent */
#define MOST_ENV   (1 << 18)   /* entries of the environment that are looked through */

/* The state of one reading. Lies on the keeper's stack, so it must be much smaller than STACK in
 * keeper.c. */
struct reading {
    struct cua_errand *errand;
    struct cua_peek peek;
    uintptr_t caller, nearest; /* nearest: the load address of the object closest below `caller` */
    size_t index;              /* that object's index in the list */
    size_t libcudas;           /* number of libcudas among the objects */
    size_t visits;             /* number of objects that were read, in all walks together */
    char text[CUA_TEXT_MOST];
};

struct dynamic {
    const char *strings;
    /* Offsets in the string table; 0: none. */
    ElfW(Xword) soname, rpath, runpath, needed[MOST_NEEDED];
    size_t count;
};

/* Writes a record with the text `name`, in parts if it is long, as a search path may be. Returns
 * false if the text is too long or cannot be read; the record is ended even then. */
static bool put_name(struct reading *reading, char kind, const char *name)
{
    size_t left = MOST_TEXT, n;

    cua_put(reading->errand, &kind, 1);
    for (; (n = cua_peek_text(&reading->peek, reading->text, sizeof(reading->text), name)) &&
           n <= left;
         left -= n, name += n) {
        cua_put(reading->errand, reading->text, n);
        if (!reading->text[n - 1])
            return true;
    }
    cua_put(reading->errand, "", 1);
    return false;
}

/* Copies 16 entries of a dynamic section at once. If the section ends before that, at the end of a
 * mapping, copies its entries one by one and fills up with zeros. False if no entry can be read. */
static bool peek_entries(struct reading *reading, ElfW(Dyn) entry[16], const ElfW(Dyn) * from)
{
    size_t i;

    if (cua_peek(&reading->peek, entry, from, 16 * sizeof(*entry)))
        return true;
    for (i = 0; i < 16; i++)
        entry[i] = (ElfW(Dyn)){.d_tag = DT_NULL};
    for (i = 0; i < 16 && cua_peek(&reading->peek, &entry[i], from + i, sizeof(*entry));)
        i++;
    return i;
}

static bool read_dynamic(struct reading *reading, const struct link_map *map,
                         struct dynamic *dynamic)
{
    ElfW(Dyn) entry[16];
    size_t i;

    for (i = 0; i < MOST_ENTRIES; i++) {
        if (i % 16 == 0 && !peek_entries(reading, entry, map->l_ld + i))
            return false;
        const ElfW(Dyn) *d = &entry[i % 16];
        if (d->d_tag == DT_NULL)
            return true;
        if (d->d_tag == DT_STRTAB)
            dynamic->strings = (const char *)cua_object_address(map, d->d_un.d_ptr);
        else if (d->d_tag == DT_SONAME)
            dynamic->soname = d->d_un.d_val;
        else if (d->d_tag == DT_RPATH)
            dynamic->rpath = d->d_un.d_val;
        else if (d->d_tag == DT_RUNPATH)
            dynamic->runpath = d->d_un.d_val;
        else if (d->d_tag == DT_NEEDED && dynamic->count < MOST_NEEDED)
            dynamic->needed[dynamic->count++] = d->d_un.d_val;
    }
    return false;
}

static bool put_dynamic(struct reading *reading, const struct link_map *map)
{
    struct dynamic dynamic;
    const char *strings;
    bool whole = true;
    size_t i;

    if (!map->l_ld)
        return true;
    dynamic.strings = NULL;
    dynamic.soname = dynamic.rpath = dynamic.runpath = dynamic.count = 0;
    if (!read_dynamic(reading, map, &dynamic))
        return false;
    strings = dynamic.strings;
    if (!strings)
        return true;
    if (dynamic.soname)
        whole &= put_name(reading, CUA_SAYS_SONAME, strings + dynamic.soname);
    if (dynamic.runpath)
        whole &= put_name(reading, CUA_SAYS_RUNPATH, strings + dynamic.runpath);
    else if (dynamic.rpath)
        whole &= put_name(reading, CUA_SAYS_RPATH, strings + dynamic.rpath);
    for (i = 0; whole && i < dynamic.count; i++)
        whole = put_name(reading, CUA_SAYS_NEEDED, strings + dynamic.needed[i]);
    return whole;
}

/* Stores the object's index if the caller's address lies between the object's load address and its
 * dynamic section, where its code lies as a rule. */
static void find_caller(struct reading *reading, const struct link_map *map, size_t index)
{
    if (map->l_addr > reading->nearest && map->l_addr <= reading->caller &&
        reading->caller < (uintptr_t)map->l_ld) {
        reading->nearest = map->l_addr;
        reading->index = index;
    }
}

/* What walk() does besides hashing the list. TO_COMPARE: nothing. TO_PUT: writes the objects, and
 * counts the libcudas among them. TO_COUNT: only counts these. */
enum purpose { TO_COMPARE, TO_PUT, TO_COUNT };

/* Walks the list, and returns a hash of it. Returns 0 if the list changed meanwhile, is damaged or
 * too long, if an object cannot be read, or if the errand has failed. */
static uint64_t walk(struct reading *reading, enum purpose purpose)
{
    const struct link_map *at = cua_objects(), *before = NULL;
    uint64_t sum = 1469598103934665603ull;
    struct link_map map;
    size_t index;

    reading->visits++;
    for (index = 0; at; before = at, at = map.l_next, index++, reading->visits++) {
        if (index == MOST_OBJECTS || reading->errand->error ||
            !cua_peek(&reading->peek, &map, at, sizeof(map)) || map.l_prev != before)
            return 0;
        sum = (sum ^ (uintptr_t)at) * 1099511628211ull;
        sum = (sum ^ map.l_addr ^ (uintptr_t)map.l_ld) * 1099511628211ull;
        sum = (sum ^ (uintptr_t)map.l_name) * 1099511628211ull;
        if (purpose == TO_COMPARE)
            continue;
        if (!(purpose == TO_PUT ? put_name(reading, CUA_SAYS_OBJECT, index ? map.l_name : "")
                                : cua_peek_text(&reading->peek, reading->text,
                                                sizeof(reading->text) - 1, map.l_name)))
            return 0;
        reading->libcudas += cua_starts(cua_file(reading->text), "libcuda.so");
        find_caller(reading, &map, index);
        if (purpose == TO_PUT && !put_dynamic(reading, &map))
            return 0;
    }
    return sum | 1;
}

static void put_objects(struct reading *reading)
{
    struct cua_errand *errand = reading->errand;
    int tries;

    for (tries = 0; tries < MOST_TRIES || reading->visits < MANY_VISITS; tries++) {
        reading->nearest = reading->index = reading->libcudas = 0;
        if (tries)
            cua_put_text(errand, CUA_SAYS_AGAIN, "");
        errand->objects = walk(reading, TO_PUT);
        errand->libcudas = reading->libcudas;
        if (errand->objects && errand->objects == walk(reading, TO_COMPARE))
            return;
        /* The list changed during each of MOST_TRIES tries. If this is the last attempt to ask
         * (ask_once), which has no `stands`, the question is sent although its list may be wrong.
         * Without an answer the program might get a libcuda that cannot work. */
        if (errand->objects && tries + 1 >= MOST_TRIES && !errand->stands)
            return;
    }
    errand->error = -EBUSY; /* the question stays incomplete, so no answer comes */
}

/* Whether an environment variable affects the decision even if no driver can be tried in a child
 * process (a trial). */
static bool is_setting(const char *entry)
{
    static const char heads[][20] = {
        "CUARBITER_", "CUDA_", "CONDA_PREFIX=", "XDG_RUNTIME_DIR=", "LD_BIND_NOW=", "NVIDIA_"};
    size_t i;

    for (i = 0; i < sizeof(heads) / sizeof(*heads); i++)
        if (cua_starts(entry, heads[i]))
            return true;
    return false;
}

/* Writes one variable. Returns false if it is left out or cut, because it cannot be read or is too
 * large. `size`: bytes of all variables written so far. A variable is left out if it does not fit
 * into what is left of CUA_ENV_MOST bytes; one that affects the decision (is_setting) may be
 * CUA_ENV_MOST bytes longer than that. One longer than MOST_TEXT is cut. */
static bool put_entry(struct reading *reading, const char *entry, size_t *size)
{
    const size_t room = sizeof(reading->text);
    size_t n = cua_peek_text(&reading->peek, reading->text, room, entry), length = n;
    size_t most = *size > CUA_ENV_MOST ? 0 : CUA_ENV_MOST - *size;

    if (n && is_setting(reading->text))
        most += CUA_ENV_MOST;
    for (; n == room && reading->text[n - 1] && length <= most; length += n)
        n = cua_peek_text(&reading->peek, reading->text, room, entry + length);
    if (!n || reading->text[n - 1] || length > most)
        return false;
    *size += length;
    if (length > room)
        return put_name(reading, CUA_SAYS_ENV, entry);
    cua_put(reading->errand, (const char[]){CUA_SAYS_ENV}, 1);
    cua_put(reading->errand, reading->text, length);
    return true;
}

/* Writes the environment, whose memory another thread may move meanwhile. If a variable is left out
 * or cut, adds a record that reports it (CUA_SAYS_ENV_CUT). */
static void put_environment(struct reading *reading, char *const *env)
{
    size_t size = 0, entries;
    bool cut = false;
    char *entry = NULL;

    for (entries = 0; env && entries < MOST_ENV; env++, entries++) {
        if (!cua_peek(&reading->peek, &entry, env, sizeof(entry)) || !entry)
            break;
        cut |= !put_entry(reading, entry, &size);
    }
    if (cut || entries == MOST_ENV)
        cua_put_text(reading->errand, CUA_SAYS_ENV_CUT, "");
}

/* Writes the arguments in the first MOST_WORDS bytes of the command line by which ld.so was
 * executed. That is enough: ld.so's own options come first, and only the program's arguments are
 * likely to be that long. */
static void put_words(struct reading *reading)
{
    static const char word = CUA_SAYS_WORD;
    int fd = cua_sys_open("/proc/self/cmdline");
    size_t left = MOST_WORDS;
    bool begins = true;
    long n, i;

    for (; fd >= 0 && left; left -= (size_t)n) {
        n = cua_syscall(SYS_read, fd, (long)reading->text,
                        (long)(left < sizeof(reading->text) ? left : sizeof(reading->text)), 0, 0,
                        0);
        if (n <= 0)
            break;
        for (i = 0; i < n; i++) {
            if (begins)
                cua_put(reading->errand, &word, 1);
            cua_put(reading->errand, &reading->text[i], 1);
            begins = !reading->text[i];
        }
    }
    if (!begins)
        cua_put(reading->errand, "", 1);
    cua_sys_close(fd);
}

static void put_program(struct reading *reading, const struct cua_question *question)
{
    struct cua_errand *errand = reading->errand;
    long n = cua_syscall(SYS_readlinkat, AT_FDCWD, (long)"/proc/self/exe", (long)reading->text,
                         sizeof(reading->text) - 1, 0, 0);

    reading->text[n > 0 ? n : 0] = 0;
    cua_put_text(errand, CUA_SAYS_EXE, reading->text);
    if (question->started)
        put_name(reading, CUA_SAYS_STARTED, question->started);
    if (question->by_loader)
        put_words(reading);
}

/* Initializes `reading`. Sets the fields one by one: for an initializer gcc would call memset, and
 * the keeper must not call libc. */
static void begin(struct reading *reading, struct cua_errand *errand)
{
    const struct cua_question *question = errand->data;

    reading->errand = errand;
    reading->peek = (struct cua_peek){.pipes = false};
    reading->caller = (uintptr_t)question->caller;
    reading->nearest = reading->index = reading->libcudas = reading->visits = 0;
    reading->text[sizeof(reading->text) - 1] = 0;
}

/* Another thread may have opened or closed a libcuda meanwhile, by a call that the shim does not
 * see. Then the answer is out of date, and this returns false. Other changes of the list do not
 * matter, so if the lists differ, the numbers of libcudas are compared. */
bool cua_question_stands(struct cua_errand *errand)
{
    struct reading reading;
    int tries;

    begin(&reading, errand);
    if (walk(&reading, TO_COMPARE) == errand->objects)
        return true;
    for (tries = 0; tries < MOST_TRIES; tries++, reading.libcudas = 0)
        if (walk(&reading, TO_COUNT))
            return reading.libcudas == errand->libcudas;
    return false;
}

void cua_question_write(struct cua_errand *errand)
{
    const struct cua_question *question = errand->data;
    const char ask[] = {(char)question->ask, 0}, *kept = question->kept ? question->kept : "";
    struct reading reading;

    begin(&reading, errand);
    cua_put_text(errand, CUA_SAYS_FRAME, CUA_FRAME);
    cua_put_text(errand, CUA_SAYS_ASK, ask);
    cua_put_number(errand, CUA_SAYS_FLAGS, (unsigned)question->flags);
    cua_put_text(errand, CUA_SAYS_NAME, question->name);
    if (question->why)
        cua_put_text(errand, CUA_SAYS_WHY, question->why);
    cua_put_number(errand, CUA_SAYS_PID, (unsigned)question->pid);
    if (CUA_GET(library_path))
        cua_put_text(errand, CUA_SAYS_LIST, CUA_GET(library_path));
    cua_put_text(errand, CUA_SAYS_HOME, cua_folder());
    if (question->glibc)
        cua_put_text(errand, CUA_SAYS_GLIBC, question->glibc);
    if (errand->lines)
        cua_put_text(errand, CUA_SAYS_STDERR, "");
    put_program(&reading, question);
    put_environment(&reading, question->env);
    for (; *kept; kept += cua_length(kept) + 1)
        cua_put_text(errand, CUA_SAYS_KEPT, kept);
    put_objects(&reading);
    cua_put_number(errand, CUA_SAYS_CALLER, reading.index);
    cua_put_text(errand, CUA_SAYS_END, "");
}

void cua_question_prepare(struct cua_question *question)
{
    typedef const char *version(void);
    typedef unsigned long auxiliary(unsigned long);
    const struct link_map *libc = CUA_GET(libc);
    version *glibc = (version *)cua_object_symbol(libc, "gnu_get_libc_version");
    auxiliary *value = (auxiliary *)cua_object_symbol(libc, "getauxval");
    ElfW(auxv_t) *vector = CUA_GET(vector);
    char ***environment = question->env ? NULL : cua_first_symbol("__environ");

    question->glibc = glibc ? glibc() : NULL;
    question->pid = (int)cua_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
    if (environment)
        question->env = *environment;
    if (vector) {
        question->started = (const char *)cua_process_aux(vector, AT_EXECFN);
        question->by_loader = !cua_process_aux(vector, AT_BASE);
    } else if (value) {
        question->started = (const char *)value(AT_EXECFN);
        question->by_loader = !value(AT_BASE);
    }
}
