/* SPDX-License-Identifier: Apache-2.0 */
/* The names in a folder. */
#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/listing.h"
#include "root.h"

/* Many more than one call lists. */
#define FILES 300

static char *root;

static int make_root(void **state)
{
    char path[64];

    (void)state;
    root = root_make();
    for (int i = 0; i < FILES; i++) {
        snprintf(path, sizeof path, "/many/a-name-of-some-length-%03d", i);
        root_text(root, path, "");
    }
    root_link(root, "/few/link", "nowhere");
    root_folder(root, "/few/folder");
    return 0;
}

static int remove_root(void **state)
{
    (void)state;
    root_remove(root);
    return 0;
}

static int list(const char *folder, int (*fn)(void *data, const char *name, unsigned char type),
                void *data)
{
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s%s", root, folder);
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return cua_list(fd < 0 ? -errno : fd, fn, data);
}

static int count(void *data, const char *name, unsigned char type)
{
    int number, *seen = data;

    (void)type;
    if (sscanf(name, "a-name-of-some-length-%d", &number) == 1)
        seen[number]++;
    return 0;
}

static void tells_every_name_once(void **state)
{
    int seen[FILES] = {0};

    (void)state;
    assert_int_equal(list("/many", count, seen), 0);
    for (int i = 0; i < FILES; i++)
        assert_int_equal(seen[i], 1);
}

static int check_type(void *data, const char *name, unsigned char type)
{
    int *types = data;

    if (type == DT_UNKNOWN || (strcmp(name, "link") == 0 && type == DT_LNK) ||
        (strcmp(name, "folder") == 0 && type == DT_DIR))
        ++*types;
    return 0;
}

static void tells_what_they_are(void **state)
{
    int types = 0;

    (void)state;
    assert_int_equal(list("/few", check_type, &types), 0);
    CUA_UNIT_WITHIN(types, 2, 4);
}

static int stop_at_third(void *data, const char *name, unsigned char type)
{
    int *calls = data;

    (void)name;
    (void)type;
    return ++*calls == 3 ? 7 : 0;
}

static void ends_where_it_is_told_to(void **state)
{
    int calls = 0;

    (void)state;
    assert_int_equal(list("/many", stop_at_third, &calls), 7);
    assert_int_equal(calls, 3);
}

static void tells_why_it_cannot(void **state)
{
    int calls = 0;

    (void)state;
    assert_int_equal(list("/missing", stop_at_third, &calls), -ENOENT);
    assert_int_equal(list("/many/a-name-of-some-length-000", stop_at_third, &calls), -ENOTDIR);
    assert_int_equal(calls, 0);
}

static int list_without_getdents64(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getdents64, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof *code, code};
    int calls = 0;

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        return 2;
    return list("/many", stop_at_third, &calls) == -EPERM && calls == 0 ? 0 : 1;
}

/* Else a folder that was not read would pass for one that has nothing in it. */
static void tells_that_it_may_not(void **state)
{
    int status = 0;
    pid_t child = fork();

    (void)state;
    if (child == 0)
        _exit(list_without_getdents64());
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
        CUA_UNIT_SKIP("no seccomp filters here");
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_every_name_once),    cmocka_unit_test(tells_what_they_are),
        cmocka_unit_test(ends_where_it_is_told_to), cmocka_unit_test(tells_why_it_cannot),
        cmocka_unit_test(tells_that_it_may_not),
    };
    return cmocka_run_group_tests_name("listing", tests, make_root, remove_root);
}
