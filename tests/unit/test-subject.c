/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "root.h"
#include "machine/subject.h"
#include "machine/trust.h"
#include "loader/ldso_args.h"
#include "command/process.h"

static char *root;
static struct cua_subject subject;

static int make_root(void **state)
{
    (void)state;
    root = root_make();
    subject = (struct cua_subject){.sysroot = root};
    return 0;
}

static int remove_root(void **state)
{
    (void)state;
    root_remove(root);
    return 0;
}

static void assert_resolves(const char *path, const char *inside)
{
    char out[PATH_MAX];

    assert_int_equal(cua_subject_resolve(&subject, path, out), 0);
    assert_string_equal(cua_subject_inside(&subject, out), inside);
    assert_int_equal(strncmp(out, root, strlen(root)), 0);
}

static void keeps_links_inside_the_sysroot(void **state)
{
    (void)state;
    root_text(root, "/usr/lib/real", "x");
    root_link(root, "/lib", "usr/lib");
    root_link(root, "/usr/local/absolute", "/usr/lib/real");
    root_link(root, "/usr/local/up", "../../../../../../usr/lib/real");
    root_link(root, "/usr/local/chain", "absolute");
    root_link(root, "/usr/local/folder", "/lib/");
    assert_resolves("/lib/real", "/usr/lib/real");
    assert_resolves("//lib//./real", "/usr/lib/real");
    assert_resolves("/usr/local/absolute", "/usr/lib/real");
    assert_resolves("/usr/local/up", "/usr/lib/real");
    assert_resolves("/usr/local/chain", "/usr/lib/real");
    assert_resolves("/usr/local/folder/real", "/usr/lib/real");
    assert_resolves("/../../usr/./lib/../lib/real", "/usr/lib/real");
    assert_resolves("/", "/");
    assert_resolves("/usr/lib/../..", "/");
}

static void names_what_cannot_be_resolved(void **state)
{
    char out[PATH_MAX], longest[PATH_MAX + 16];

    (void)state;
    root_link(root, "/loop", "/loop");
    root_link(root, "/a", "b");
    root_link(root, "/b", "a");
    root_link(root, "/dangling", "nowhere");
    root_text(root, "/file", "x");
    assert_int_equal(cua_subject_resolve(&subject, "/loop", out), -ELOOP);
    assert_int_equal(cua_subject_resolve(&subject, "/a", out), -ELOOP);
    assert_string_equal(out, "");
    assert_int_equal(cua_subject_resolve(&subject, "/dangling", out), -ENOENT);
    assert_int_equal(cua_subject_resolve(&subject, "/file/below", out), -ENOTDIR);
    assert_int_equal(cua_subject_resolve(&subject, "/file/", out), -ENOTDIR);
    assert_int_equal(cua_subject_resolve(&subject, "relative", out), -ENOENT);
    assert_int_equal(cua_subject_resolve(&subject, "", out), -ENOENT);
    memset(longest, 'x', sizeof longest - 1);
    longest[0] = '/';
    longest[sizeof longest - 1] = 0;
    assert_int_equal(cua_subject_resolve(&subject, longest, out), -ENAMETOOLONG);
}

static void follows_links_as_long_as_a_path(void **state)
{
    char text[PATH_MAX], out[PATH_MAX];

    (void)state;
    memset(text, '/', sizeof text);
    /* With "/real" behind it and its NUL it fills a path. */
    strcpy(text + sizeof text - strlen("/usr/lib/real") - 1, "/usr/lib");
    root_text(root, "/usr/lib/real", "x");
    root_link(root, "/long", text);
    assert_resolves("/long/real", "/usr/lib/real");
    assert_int_equal(cua_subject_resolve(&subject, "/long//real", out), -ENAMETOOLONG);
}

/* `count` times `text`, from `at` on; returns where it ends. */
static char *repeat(char *at, const char *text, size_t count)
{
    for (; count; count--)
        at = stpcpy(at, text);
    return at;
}

/* Each name that comes after a ".." costs a walk from the root. */
static void bounds_the_walk_of_a_path(void **state)
{
    char path[PATH_MAX], deep[PATH_MAX], name[16], out[PATH_MAX], *end;
    const size_t depth = 700;

    (void)state;
    repeat(deep, "/x", 2 * depth);
    root_folder(root, deep);
    assert_resolves(deep, deep);
    end = repeat(path, "/x", 2 * depth);
    repeat(end, "/..", depth / 2);
    deep[2 * (2 * depth - depth / 2)] = 0;
    assert_resolves(path, deep);

    end = repeat(path, "/x", depth);
    repeat(end, "/x/..", (PATH_MAX - 2 * depth) / 5 - 1);
    assert_int_equal(cua_subject_resolve(&subject, path, out), -ELOOP);
    for (int i = 0; i < 36; i++) {
        repeat(repeat(path, "/x", depth), "/..", depth);
        snprintf(path + strlen(path), 16, i ? "/L%d" : "/x", i - 1);
        snprintf(name, sizeof name, "/L%d", i);
        root_link(root, name, path);
    }
    assert_resolves("/L2", "/x");
    assert_int_equal(cua_subject_resolve(&subject, "/L35", out), -ELOOP);
}

static void agrees_with_realpath_without_a_sysroot(void **state)
{
    const struct cua_subject machine = {.sysroot = ""};
    static const char *const paths[] = {"/lib", "/usr/lib/../bin/sh", "/proc/self/exe", "/",
                                        ".",    "/etc/os-release"};
    char out[PATH_MAX], expected[PATH_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        /* qemu-user answers for itself there, and differently by the call; of "/" the kernel says
         * which folder qemu shows in its place. */
        if (getenv("MESON_EXE_WRAPPER") &&
            (!strcmp(paths[i], "/proc/self/exe") || !strcmp(paths[i], "/")))
            continue;
        if (!realpath(paths[i], expected))
            continue;
        assert_int_equal(cua_subject_resolve(&machine, paths[i], out), 0);
        assert_string_equal(out, expected);
    }
}

/* What the kernel calls by a name that leads nowhere keeps its own. */
static void keeps_a_path_that_has_no_other_name(void **state)
{
    char path[64], out[PATH_MAX];
    int fd = memfd_create("gone", 0);

    (void)state;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    assert_int_equal(cua_subject_resolve(&cua_here, path, out), 0);
    assert_string_equal(out, path);
    close(fd);
    assert_int_equal(cua_subject_resolve(&cua_here, path, out), -ENOENT);
}

/* The descriptor belongs to the file whose path and owner are reported. */
static void finds_a_file_by_one_descriptor(void **state)
{
    char path[] = "/tmp/cuarbiter-unit.XXXXXX", link[64], out[PATH_MAX], missing[64];
    struct stat st, of_fd;
    struct cua_opened at = {.fd = -1};
    int made = mkstemp(path);

    (void)state;
    assert_true(made >= 0);
    snprintf(link, sizeof link, "%s.link", path);
    snprintf(missing, sizeof missing, "%s.missing", path);
    assert_int_equal(symlink(path, link), 0);
    assert_int_equal(cua_subject_find(&cua_here, link, out, &st, &at), 0);
    assert_string_equal(out, path);
    assert_int_equal(fstat(at.fd, &of_fd), 0);
    assert_true(of_fd.st_dev == st.st_dev && of_fd.st_ino == st.st_ino);
    assert_int_equal(read(at.fd, &of_fd, 1), 0);
    close(at.fd);
    assert_int_equal(cua_subject_find(&cua_here, missing, out, &st, &at), -ENOENT);
    assert_int_equal(at.fd, -1);
    unlink(link);
    unlink(path);
    close(made);
}

static void reads_small_files_whole(void **state)
{
    char buf[16];

    (void)state;
    root_bytes(root, "/etc/nul", "a\0b", 3);
    assert_int_equal(cua_subject_read(&subject, "/etc/nul", buf, sizeof buf), 3);
    assert_string_equal(buf, "a\nb");
    root_text(root, "/etc/long", "0123456789abcdefghij");
    assert_int_equal(cua_subject_read(&subject, "/etc/long", buf, sizeof buf), 15);
    assert_string_equal(buf, "0123456789abcde");
    assert_int_equal(cua_subject_read(&subject, "/etc/none", buf, sizeof buf), -ENOENT);
    assert_string_equal(buf, "");
}

static void opens_nothing_but_files(void **state)
{
    (void)state;
    root_fifo(root, "/pipe");
    root_folder(root, "/folder");
    assert_int_equal(cua_subject_open(&subject, "/pipe"), -EINVAL);
    assert_int_equal(cua_subject_open(&subject, "/folder"), -EINVAL);
    assert_int_equal(cua_subject_open(&subject, "/none"), -ENOENT);
}

static void closes_what_it_opens_on_exec(void **state)
{
    int fd;

    (void)state;
    root_text(root, "/file", "x");
    fd = cua_subject_open(&subject, "/file");
    assert_true(fd >= 0);
    assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    close(fd);
}

static void reads_the_environment_given(void **state)
{
    char *const env[] = {(char *)"AB=1", (char *)"A=2", (char *)"EMPTY=", NULL};

    (void)state;
    subject.env = env;
    assert_string_equal(cua_subject_env(&subject, "A"), "2");
    assert_string_equal(cua_subject_env(&subject, "EMPTY"), "");
    assert_null(cua_subject_env(&subject, "B"));
}

static void sees_another_process(void **state)
{
    char *const env[] = {(char *)"LD_LIBRARY_PATH=/some/where", (char *)"X=y", NULL};
    struct cua_subject other = {.sysroot = ""};
    int in[2], out[2];
    char byte;
    pid_t child;

    (void)state;
    assert_int_equal(pipe(in) | pipe(out), 0);
    child = fork();
    if (child == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        close(in[1]);
        close(out[0]);
        execle("/bin/sh", "sh", "-c", "echo; read x", (char *)NULL, env);
        _exit(127);
    }
    assert_true(child > 0);
    assert_int_equal(read(out[0], &byte, 1), 1);
    assert_int_equal(cua_subject_of_process(&other, child), 0);
    assert_string_equal(cua_subject_env(&other, "X"), "y");
    assert_string_equal(other.library_path, "/some/where");
    assert_string_equal(other.sysroot, "");
    assert_int_equal(other.pid, child);
    cua_subject_release(&other);
    close(in[1]);
    waitpid(child, NULL, 0);
    assert_int_equal(cua_subject_of_process(&other, child), -ESRCH);
    close(in[0]);
    close(out[0]);
    close(out[1]);
}

/* A link that could not be followed, or a file that was put in its place since it was looked at. */
static void trusts_no_path_to_another_file(void **state)
{
    struct cua_trust trust = {.folder = ""};
    char real[PATH_MAX], other[PATH_MAX], link[PATH_MAX], distrust[PATH_MAX];
    struct stat of_real, of_other;

    (void)state;
    root_text(root, "/lib/a.so", "a");
    root_text(root, "/lib/b.so", "b");
    root_link(root, "/lib/link.so", "a.so");
    snprintf(link, sizeof link, "%s/lib/link.so", root);
    assert_int_equal(cua_subject_find(&subject, "/lib/link.so", real, &of_real, NULL), 0);
    assert_int_equal(cua_subject_find(&subject, "/lib/b.so", other, &of_other, NULL), 0);
    assert_true(cua_trusted(&trust, &subject, real, &of_real, false, distrust));
    assert_false(cua_trusted(&trust, &subject, real, &of_other, false, distrust));
    assert_false(cua_trusted(&trust, &subject, link, &of_real, false, distrust));
    /* Where the kernel has named it, by its owner and mode alone. */
    trust.named = true;
    assert_true(cua_trusted(&trust, &subject, real, &of_real, false, distrust));
    of_real.st_mode |= S_IWOTH;
    assert_false(cua_trusted(&trust, &subject, real, &of_real, false, distrust));
}

static const char *told(const char *words, size_t size)
{
    const char *path = cua_ldso_args_path(words, size);

    return path ? path : "none";
}
#define TOLD(words) told(words, sizeof(words))

static void reads_what_ldso_was_told(void **state)
{
    (void)state;
    assert_string_equal(TOLD("ld.so\0--library-path\0/a:/b\0./app"), "/a:/b");
    assert_string_equal(TOLD("ld.so\0--inhibit-cache\0--preload\0--library-path\0"
                             "--library-path\0/a\0app"),
                        "/a");
    assert_string_equal(TOLD("ld.so\0--argv0\0x\0--library-path\0\0app"), "");
    assert_string_equal(TOLD("ld.so\0app\0--library-path\0/a"), "none");
    assert_string_equal(TOLD("ld.so\0--\0--library-path\0/a"), "none");
    assert_string_equal(TOLD("ld.so\0--library-path"), "none");
    assert_string_equal(told("ld.so\0--library-path\0/a", 23), "none");
    assert_string_equal(TOLD("ld.so"), "none");
    assert_string_equal(told("", 0), "none");
}

#define IN_ROOT(test) cmocka_unit_test_setup_teardown(test, make_root, remove_root)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_ROOT(keeps_links_inside_the_sysroot),
        IN_ROOT(names_what_cannot_be_resolved),
        IN_ROOT(follows_links_as_long_as_a_path),
        IN_ROOT(bounds_the_walk_of_a_path),
        IN_ROOT(agrees_with_realpath_without_a_sysroot),
        IN_ROOT(keeps_a_path_that_has_no_other_name),
        cmocka_unit_test(finds_a_file_by_one_descriptor),
        IN_ROOT(reads_small_files_whole),
        IN_ROOT(opens_nothing_but_files),
        IN_ROOT(closes_what_it_opens_on_exec),
        IN_ROOT(reads_the_environment_given),
        cmocka_unit_test(reads_what_ldso_was_told),
        IN_ROOT(sees_another_process),
        IN_ROOT(trusts_no_path_to_another_file),
    };

    return cmocka_run_group_tests_name("subject", tests, NULL, NULL);
}
