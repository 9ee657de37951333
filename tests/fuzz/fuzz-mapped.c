/* SPDX-License-Identifier: Apache-2.0 */
/* ld.so's list while objects come and go: what is kept from one reading to the next is what a
 * first reading would find. */
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "loader/mapped.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#define OBJECTS 24
#define ENTRIES 6

/* As it lies in memory. ld.so has checked it before anybody is shown it: the strings lie in it, and
 * the section ends. */
static struct object {
    ElfW(Dyn) dynamic[ENTRIES + 2];
    ElfW(Phdr) header[2];
    char strings[64], name[16];
} * object[OBJECTS];
static size_t count;
static unsigned long long adds, subs;

static int iterate(int (*fn)(struct dl_phdr_info *, size_t, void *), void *data)
{
    int rc = 0;

    for (size_t i = 0; i < count && !rc; i++) {
        struct dl_phdr_info info = {.dlpi_addr = (ElfW(Addr))object[i],
                                    .dlpi_name = object[i]->name,
                                    .dlpi_phdr = object[i]->header,
                                    .dlpi_phnum = 2,
                                    .dlpi_adds = adds,
                                    .dlpi_subs = subs};
        rc = fn(&info, sizeof(info), data);
    }
    return rc;
}

static struct object *make(const uint8_t *bytes)
{
    static const ElfW(Sxword) tags[] = {DT_NEEDED, DT_SONAME, DT_RPATH, DT_RUNPATH, DT_NULL, 77};
    struct object *o = calloc(1, sizeof(*o));
    ElfW(Addr) strings = offsetof(struct object, strings);

    memcpy(o->strings, bytes, sizeof(o->strings) - 1);
    memcpy(o->name, bytes + 8, sizeof(o->name) - 1);
    o->dynamic[0].d_tag = DT_STRTAB;
    o->dynamic[0].d_un.d_ptr = bytes[0] & 1 ? strings : (ElfW(Addr))o + strings;
    for (size_t i = 0; i < ENTRIES; i++) {
        o->dynamic[i + 1].d_tag = tags[bytes[i] / 2 % 6];
        o->dynamic[i + 1].d_un.d_val = bytes[i + ENTRIES] % sizeof(o->strings);
    }
    o->header[0] = (ElfW(Phdr)){.p_type = PT_LOAD, .p_memsz = sizeof(*o)};
    o->header[1] = (ElfW(Phdr)){.p_type = PT_DYNAMIC};
    return o;
}

/* Against the object itself. */
static void check(const struct cua_mapped *mapped)
{
    if (mapped->count != count)
        abort();
    for (size_t i = 0; i < count; i++) {
        const struct cua_mapped_object *m = &mapped->object[i];
        const struct object *o = object[i];
        const char *soname = "", *needs = m->needs;
        if (m->low != (uintptr_t)o || m->high != (uintptr_t)(o + 1) ||
            strcmp(m->name, i ? o->name : "") != 0 || cua_mapped_at(mapped, o->strings) != m)
            abort();
        for (const ElfW(Dyn) *d = o->dynamic + 1; d->d_tag != DT_NULL; d++) {
            const char *text = o->strings + d->d_un.d_val;
            if (d->d_tag == DT_SONAME)
                soname = text;
            /* An empty one ends them. */
            if (d->d_tag != DT_NEEDED || !needs)
                continue;
            if (strcmp(needs, text) != 0)
                abort();
            needs = text[0] ? needs + strlen(text) + 1 : NULL;
        }
        if (strcmp(m->soname, soname) != 0 || (needs && needs[0]) ||
            (soname[0] &&
             (!cua_mapped_find(mapped, soname) || cua_mapped_find(mapped, soname) > m)))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct cua_mapped mapped;

    cua_mapped_iterate = iterate;
    /* Nothing of the list of the input before. */
    subs++;
    for (; size; bytes++, size--) {
        switch (bytes[0] % 5) {
        case 0:
            if (count < OBJECTS && size > sizeof(object[0]->strings)) {
                object[count++] = make(bytes + 1);
                adds++;
                bytes += sizeof(object[0]->strings) - 1;
                size -= sizeof(object[0]->strings) - 1;
            }
            break;
        case 1:
            if (count > 1) {
                size_t gone = 1 + bytes[0] / 5 % (count - 1);
                free(object[gone]);
                memmove(&object[gone], &object[gone + 1], (--count - gone) * sizeof(*object));
                subs++;
            }
            break;
        case 2:
            if (count && cua_mapped_read(&mapped) == 0) {
                check(&mapped);
                cua_mapped_free(&mapped);
            }
            break;
        case 3:
            if (count) {
                const struct object *asked = object[bytes[0] / 5 % count];
                if (cua_mapped_read(&mapped) != 0 ||
                    cua_mapped_at(&mapped, asked)->low != (uintptr_t)asked)
                    abort();
                cua_mapped_free(&mapped);
            }
            break;
        case 4: { /* another namespace, of whose objects ld.so takes off the square */
            unsigned others = bytes[0] / 5 % 4;
            adds += others;
            subs -= others * others - others;
            break;
        }
        }
    }
    while (count)
        free(object[--count]);
    return 0;
}
