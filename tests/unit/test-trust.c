/* SPDX-License-Identifier: Apache-2.0 */
/* Which of the candidates may be used: what nobody but root and the caller could have put there. */
#include "machine/trust.h"
#include "umd.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* What others can write is refused, and the folder that makes it so is named. */
static void refuses_what_others_could_have_put_there(void **state)
{
    static const struct {
        const char *path;
        unsigned mode;
    } cases[] = {
        {COMPAT "/libcuda.so." NEWER, 0666}, {COMPAT, 0777}, {COMPAT, 01777}, {COMPAT, 0775},
        {"/usr/local/cuda-12.4", 0777},      {"/usr", 0757}, {"", 0777}};
    struct cua_umd *umd;

    (void)state;
    put_driver(LIBDIR, NATIVE);
    put_driver(COMPAT, NEWER);
    gather();
    assert_true(must_find(COMPAT "/libcuda.so." NEWER)->trusted);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        root_mode(root, cases[i].path, cases[i].mode);
        gather();
        umd = must_find(COMPAT "/libcuda.so." NEWER);
        assert_false(umd->trusted);
        assert_string_equal(umd->distrust, cases[i].path[0] ? cases[i].path : "/");
        assert_true(must_find(LIBDIR "/libcuda.so." NATIVE)->trusted);
        root_mode(root, cases[i].path, 0755);
    }
    if (geteuid() != 0)
        return;
    assert_int_equal(chown(must_find(COMPAT "/libcuda.so." NEWER)->real, 1234, 0), 0);
    gather();
    assert_false(must_find(COMPAT "/libcuda.so." NEWER)->trusted);
}

static char *below(const char *path)
{
    static char full[2][PATH_MAX];
    static int turn;

    turn = !turn;
    snprintf(full[turn], sizeof full[turn], "%s%s", root, path);
    return full[turn];
}

/* A file that others could have put there by one name, and nobody by another one. */
static void keeps_the_name_that_is_trusted(void **state)
{
    struct cua_umd *umd;

    (void)state;
    put_driver(LIBDIR, NATIVE);
    put_driver(COMPAT, NEWER);
    root_folder(root, "/open");
    root_mode(root, "/open", 01777);
    assert_int_equal(link(below(COMPAT "/libcuda.so." NEWER), below("/open/libcuda.so." NEWER)), 0);
    subject.library_path = (char[]){"/open"};
    gather();
    assert_null(find("/open/libcuda.so." NEWER));
    umd = must_find(COMPAT "/libcuda.so." NEWER);
    assert_true(umd->trusted && umd->companions && !umd->distrust);
    assert_string_equal(umd->version.text, NEWER);
    assert_string_equal(umd->real, below(COMPAT "/libcuda.so." NEWER));
    assert_int_equal(umd->found, CUA_FOUND_LIBRARY_PATH | CUA_FOUND_COMPAT);
    /* Nor do others say which driver it is. */
    assert_int_equal(unlink(below("/open/libcuda.so." NEWER)), 0);
    assert_int_equal(link(below(COMPAT "/libcuda.so." NEWER), below("/open/libcuda.so." NATIVE)),
                     0);
    gather();
    assert_string_equal(must_find(COMPAT "/libcuda.so." NEWER)->version.text, NEWER);
    /* The first trusted one stays. */
    root_mode(root, "/open", 0755);
    gather();
    assert_true(must_find("/open/libcuda.so." NATIVE)->trusted);
}

static int look_at_a_folder_that_is_mounted_twice(void)
{
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount(below("/opt/driver"), below("/open/driver"), NULL, MS_BIND, NULL) != 0)
        return 2;
    gather();
    const struct cua_umd *umd = find("/opt/driver/libcuda.so." NEWER);
    return umd && umd->trusted ? 0 : 1;
}

static void keeps_the_trusted_name_of_a_folder(void **state)
{
    int status = 0;

    (void)state;
    put_driver(LIBDIR, NATIVE);
    put_driver("/opt/driver", NEWER);
    assert_int_equal(unlink(below("/opt/driver/libcuda.so.1")), 0); /* not what ld.so takes */
    root_folder(root, "/open/driver");
    root_mode(root, "/open", 01777);
    subject.library_path = (char[]){"/open/driver:/opt/driver"};
    pid_t child = fork();
    if (child == 0)
        _exit(look_at_a_folder_that_is_mounted_twice());
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
        CUA_UNIT_SKIP("no mount namespaces here");
    assert_int_equal(status, 0);
}

/* In a user namespace that knows only its user the host's root has no number. */
static int look_from_a_rootless_container(void)
{
    static const char map[] = "12345 12345 1\n";
    const struct cua_umd *umd;
    int fd;

    if (setresuid(12345, 12345, 12345) != 0 || prctl(PR_SET_DUMPABLE, 1) != 0 ||
        unshare(CLONE_NEWUSER) != 0)
        return 2;
    fd = open("/proc/self/uid_map", O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, map, sizeof map - 1) < 0)
        return 2;
    close(fd);
    gather();
    umd = find(COMPAT "/libcuda.so." NEWER);
    return umd && umd->trusted ? 0 : 1;
}

static void trusts_the_hosts_root_in_a_rootless_container(void **state)
{
    int status = 0;
    pid_t child;

    (void)state;
    if (geteuid() != 0)
        CUA_UNIT_SKIP("not root, whose files are wanted");
    put_driver(LIBDIR, NATIVE);
    put_driver(COMPAT, NEWER);
    child = fork();
    if (child == 0)
        _exit(look_from_a_rootless_container());
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
        CUA_UNIT_SKIP("no user namespaces for everybody here");
    assert_int_equal(status, 0);
}

/* In a user namespace of 40 ranges, of which the last has the uid 65534. */
static int look_from_a_namespace_of_many_ranges(int ready, int mapped)
{
    char byte = 0;

    if (unshare(CLONE_NEWUSER) != 0 || write(ready, &byte, 1) != 1 || read(mapped, &byte, 1) != 1)
        return 2;
    return cua_is_outsider(65534, false) ? 1 : 0;
}

static bool map_many(pid_t child)
{
    char path[64], map[40 * 32];
    int fd, length = 0;
    bool written;

    for (int i = 0; i < 39; i++)
        length += snprintf(map + length, sizeof map - (size_t)length, "%d %d 1\n", i * 2, i * 2);
    length += snprintf(map + length, sizeof map - (size_t)length, "65534 65534 1\n");
    snprintf(path, sizeof path, "/proc/%d/uid_map", (int)child);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    written = fd >= 0 && write(fd, map, (size_t)length) == length;
    close(fd);
    return written;
}

static void knows_the_user_65534_of_a_long_map(void **state)
{
    int ready[2], mapped[2], status = 0;
    bool written;
    char byte;

    (void)state;
    assert_int_equal(pipe(ready) | pipe(mapped), 0);
    pid_t child = fork();
    if (child == 0) {
        close(ready[0]);
        close(mapped[1]);
        _exit(look_from_a_namespace_of_many_ranges(ready[1], mapped[0]));
    }
    close(ready[1]);
    written = read(ready[0], &byte, 1) == 1 && map_many(child) && write(mapped[1], "", 1) == 1;
    close(mapped[1]);
    assert_int_equal(waitpid(child, &status, 0), child);
    close(ready[0]);
    close(mapped[0]);
    if (!written)
        CUA_UNIT_SKIP("not root, or no user namespaces here");
    assert_int_equal(status, 0);
}

static void trusts_no_relative_entry(void **state)
{
    char cwd[PATH_MAX];
    struct cua_umd *umd;

    (void)state;
    assert_non_null(getcwd(cwd, sizeof cwd));
    put_driver("/first", NATIVE);
    put_driver("/here", NEWER);
    assert_int_equal(chdir(strcat(strcpy((char[PATH_MAX]){0}, root), "/here")), 0);
    subject = (struct cua_subject){.sysroot = "", .env = no_environment};
    subject.library_path = strcat(strcpy((char[PATH_MAX]){0}, root), "/first:.");
    gather();
    assert_int_equal(chdir(cwd), 0);
    umd = must_find(strcat(strcpy((char[PATH_MAX]){0}, root), "/here/libcuda.so." NEWER));
    assert_false(umd->trusted);
    assert_non_null(strstr(umd->distrust, "relative"));
    assert_int_equal(umd->found, CUA_FOUND_LIBRARY_PATH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_ROOT(refuses_what_others_could_have_put_there),
        IN_ROOT(keeps_the_name_that_is_trusted),
        IN_ROOT(keeps_the_trusted_name_of_a_folder),
        IN_ROOT(trusts_the_hosts_root_in_a_rootless_container),
        cmocka_unit_test(knows_the_user_65534_of_a_long_map),
        IN_ROOT(trusts_no_relative_entry),
    };

    return cmocka_run_group_tests_name("trust", tests, NULL, NULL);
}
