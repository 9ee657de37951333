/* SPDX-License-Identifier: Apache-2.0 */
/* What the processes of a container agree on: the first to write it down decides for all, whoever
 * may not name a driver decides for the host's, and in all doubt it is the host's. */
/* First: its arguments are named as variables of the other are. */
#include "unit.h"
#include "machine.h"

#include "umd.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "decide/agreed.h"

static struct cua_umd *compat;
static char *env[] = {NULL};
static struct cua_subject own;
static char kept[PATH_MAX];

static struct cua_umd *file(const char *name, const char *version, unsigned number)
{
    char path[PATH_MAX];
    struct stat st;

    root_text(root, name, version);
    snprintf(path, sizeof(path), "%s%s", root, name);
    assert_int_equal(stat(path, &st), 0);
    struct cua_umd *umd = machine_umd(&facts, LIBDIR, version, number);
    free(umd->real);
    umd->real = strdup(path);
    HASH_DEL(facts.umds, umd);
    umd->key = cua_umd_key_of(&st);
    HASH_ADD(hh, facts.umds, key, sizeof(umd->key), umd);
    return umd;
}

static int begin(void **state)
{
    make_root(state);
    own = (struct cua_subject){.sysroot = root, .env = env};
    facts = (struct cua_facts){.gpu_count = 0};
    cua_version_parse(&facts.kmd.version, NATIVE);
    facts.native = facts.loader = file("/lib/libcuda.so." NATIVE, NATIVE, 1);
    compat = file("/compat/libcuda.so." NEWER, NEWER, 2);
    root_folder(root, "/tmp");
    root_mode(root, "/tmp", 01777);
    /* What a user of another number is to reach. */
    chmod(root, 0755);
    return 0;
}

static int what(bool settles)
{
    cua_agreed_gather(&facts, &own, settles);
    return facts.agreed.what;
}

static void settle(const struct cua_umd *chosen)
{
    struct cua_verdict verdict = {.chosen = chosen};

    cua_agreed_settle(&facts, &verdict, &own);
}

/* The name of the one file there; false where there is none, or more. */
static bool find_kept(void)
{
    char line[PATH_MAX], command[PATH_MAX];
    unsigned count = 0;

    snprintf(command, sizeof(command), "find %s -type f -name 'cuarbiter-agreed-*'", root);
    FILE *list = popen(command, "r");
    while (list && fgets(line, sizeof(line), list)) {
        line[strcspn(line, "\n")] = '\0';
        strcpy(kept, line);
        count++;
    }
    pclose(list);
    return count == 1;
}

/* The place is root's, and what another user may do is tried by giving up root. */
#define NEEDS_ROOT()                                                                               \
    if (geteuid() != 0)                                                                            \
    CUA_UNIT_SKIP("not root")

static void the_first_decides(void **state)
{
    (void)state;
    NEEDS_ROOT();
    assert_int_equal(what(false), CUA_AGREED_NOTHING);
    assert_int_equal(what(true), CUA_AGREED_NOTHING);
    assert_false(find_kept());
    assert_false(cua_agreed_is_made(&facts, &own));
    settle(compat);
    assert_true(cua_agreed_is_made(&facts, &own));
    assert_int_equal(facts.agreed.what, CUA_AGREED_FILE);
    assert_memory_equal(&facts.agreed.file, &compat->key, sizeof(compat->key));
    settle(facts.native); /* too late */
    assert_int_equal(facts.agreed.what, CUA_AGREED_FILE);
    assert_int_equal(what(false), CUA_AGREED_FILE);
    assert_true(find_kept());
}

static void native_too(void **state)
{
    (void)state;
    NEEDS_ROOT();
    settle(facts.native);
    assert_int_equal(facts.agreed.what, CUA_AGREED_NATIVE);
    settle(compat);
    assert_int_equal(facts.agreed.what, CUA_AGREED_NATIVE);
    assert_int_equal(what(true), CUA_AGREED_NATIVE);
}

/* Another kernel driver is another question, and another file in the place of the one that was
 * named is not that one. Which of two copies of native the loader takes makes no difference. */
static void it_holds_for_these_files(void **state)
{
    (void)state;
    NEEDS_ROOT();
    settle(compat);
    cua_version_parse(&facts.kmd.version, NEWER);
    assert_int_equal(what(false), CUA_AGREED_NOTHING);
    cua_version_parse(&facts.kmd.version, NATIVE);
    assert_int_equal(what(false), CUA_AGREED_FILE);
    facts.native = facts.loader = file("/lib2/libcuda.so." NATIVE, NATIVE, 3);
    assert_int_equal(what(false), CUA_AGREED_FILE);
    root_text(root, "/compat/libcuda.so." NEWER, "another one");
    assert_int_equal(what(false), CUA_AGREED_NATIVE);
}

static void what_is_not_as_it_should_be_is_native(void **state)
{
    static const char *const texts[] = {"", "x", "cuarbiter-agreed 1\n",
                                        "cuarbiter-agreed 2\nnative\n"};

    (void)state;
    NEEDS_ROOT();
    settle(compat);
    assert_true(find_kept());
    assert_int_equal(chmod(kept, 0666), 0);
    assert_int_equal(what(false), CUA_AGREED_NATIVE);
    assert_int_equal(chmod(kept, 0644), 0);
    assert_int_equal(what(false), CUA_AGREED_FILE);
    assert_int_equal(chown(kept, 1000, 1000), 0); /* neither root's nor the reader's */
    assert_int_equal(what(false), CUA_AGREED_NATIVE);
    assert_int_equal(chown(kept, 0, 0), 0);
    for (size_t i = 0; i < COUNT(texts); i++) {
        root_text("", kept, texts[i]);
        assert_int_equal(what(false), CUA_AGREED_NATIVE);
    }
    unlink(kept);
    root_link("", kept, "/etc/passwd");
    assert_int_equal(what(false), CUA_AGREED_NATIVE);
    unlink(kept);
    root_fifo("", kept);
    assert_int_equal(what(false), CUA_AGREED_NATIVE);
    unlink(kept);
    root_folder("", kept);
    assert_int_equal(what(false), CUA_AGREED_NATIVE);
    settle(compat);
    assert_int_equal(facts.agreed.what, CUA_AGREED_NATIVE);
    assert_int_equal(rmdir(kept), 0);
}

static void without_a_place_it_is_native(void **state)
{
    (void)state;
    root_mode(root, "/tmp", 0777); /* anybody could take away what is there */
    assert_int_equal(what(true), CUA_AGREED_NATIVE);
    settle(compat);
    assert_int_equal(facts.agreed.what, CUA_AGREED_NATIVE);
    NEEDS_ROOT();
    root_folder(root, "/dev/shm"); /* the second */
    root_mode(root, "/dev/shm", 01777);
    assert_int_equal(what(true), CUA_AGREED_NOTHING);
    settle(compat);
    assert_int_equal(what(true), CUA_AGREED_FILE);
    root_mode(root, "/tmp", 01777); /* the first, where nothing is */
    assert_int_equal(what(true), CUA_AGREED_NOTHING);
    facts.native = NULL;
    assert_int_equal(what(true), CUA_AGREED_NATIVE);
    own.whatif = true; /* of an image nothing is known */
    assert_int_equal(what(true), CUA_AGREED_NOTHING);
}

/* As another user, in a child; the container's first process is root's here. */
static int as_user(bool settles)
{
    int status;
    pid_t child = fork();

    if (child == 0)
        _exit(setresgid(1000, 1000, 1000) || setresuid(1000, 1000, 1000) ? 99 : what(settles));
    assert_int_equal(waitpid(child, &status, 0), child);
    return WEXITSTATUS(status);
}

/* Under qemu-user another user's child gets other answers; why was not looked into. */
#define NEEDS_ANOTHER_USER()                                                                       \
    struct stat st;                                                                                \
    NEEDS_ROOT();                                                                                  \
    if (getenv("MESON_EXE_WRAPPER"))                                                               \
        CUA_UNIT_SKIP("another user under an emulator");                                           \
    if (stat("/proc/1", &st) != 0 || st.st_uid != 0)                                               \
    CUA_UNIT_SKIP("the first process is not root's")

static void another_user_goes_by_root(void **state)
{
    (void)state;
    NEEDS_ANOTHER_USER();
    umask(077);
    settle(compat);
    umask(022);
    assert_int_equal(as_user(true), CUA_AGREED_FILE);
}

static void another_user_decides_for_the_host(void **state)
{
    (void)state;
    NEEDS_ANOTHER_USER();
    assert_int_equal(as_user(false), CUA_AGREED_NATIVE); /* writes nothing */
    assert_int_equal(what(true), CUA_AGREED_NOTHING);
    assert_int_equal(as_user(true), CUA_AGREED_NATIVE);
    assert_int_equal(what(true), CUA_AGREED_NATIVE);
    settle(compat); /* root comes second */
    assert_int_equal(facts.agreed.what, CUA_AGREED_NATIVE);
}

/* Sixteen at once, half of them for the one and half for the other. */
static void all_have_the_same(void **state)
{
    int status, first = -1, go[2];
    pid_t child[16];
    char word;

    (void)state;
    NEEDS_ROOT();
    assert_int_equal(pipe(go), 0);
    for (int i = 0; i < 16; i++)
        if (!(child[i] = fork())) {
            close(go[1]);
            if (read(go[0], &word, 1) < 0)
                _exit(99);
            settle(i & 1 ? compat : facts.native);
            _exit((int)facts.agreed.what);
        }
    close(go[0]);
    close(go[1]);
    for (int i = 0; i < 16; i++) {
        assert_int_equal(waitpid(child[i], &status, 0), child[i]);
        first = first < 0 ? WEXITSTATUS(status) : first;
        assert_int_equal(WEXITSTATUS(status), first);
    }
    CUA_UNIT_WITHIN(first, CUA_AGREED_NATIVE, CUA_AGREED_FILE);
    assert_true(find_kept()); /* and nothing half written */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_first_decides, begin, remove_root),
        cmocka_unit_test_setup_teardown(native_too, begin, remove_root),
        cmocka_unit_test_setup_teardown(it_holds_for_these_files, begin, remove_root),
        cmocka_unit_test_setup_teardown(what_is_not_as_it_should_be_is_native, begin, remove_root),
        cmocka_unit_test_setup_teardown(without_a_place_it_is_native, begin, remove_root),
        cmocka_unit_test_setup_teardown(another_user_goes_by_root, begin, remove_root),
        cmocka_unit_test_setup_teardown(another_user_decides_for_the_host, begin, remove_root),
        cmocka_unit_test_setup_teardown(all_have_the_same, begin, remove_root),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
