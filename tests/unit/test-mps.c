/* SPDX-License-Identifier: Apache-2.0 */
/* A live MPS daemon, and what is left of a dead one. */
#include "unit.h"
#include "root.h"
#include "facts/mps.h"
#include "command/process.h"
#include "machine/subject.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static char *root;

static int make_root(void **state)
{
    (void)state;
    root = root_make();
    return 0;
}

static int remove_root(void **state)
{
    (void)state;
    root_remove(root);
    return 0;
}

static bool live(const char *env, bool whatif)
{
    char *environment[] = {(char *)env, NULL};
    struct cua_subject subject = {.sysroot = root, .env = environment, .whatif = whatif};

    errno = EXDEV;
    bool answer = cua_mps_live(&subject);
    assert_int_equal(errno, EXDEV);
    return answer;
}

static int listen_at(const char *path, int type)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

    snprintf(address.sun_path, sizeof(address.sun_path), "%s%s", root, path);
    assert_return_code(bind(fd, (struct sockaddr *)&address, sizeof(address)), errno);
    if (type != SOCK_DGRAM)
        assert_return_code(listen(fd, 0), errno);
    return fd;
}

static void nothing_there(void **state)
{
    (void)state;
    assert_false(live(NULL, false));
    root_text(root, "/tmp/nvidia-mps/control", "a file");
    assert_false(live(NULL, false));
}

static void a_socket_lives_while_somebody_listens(void **state)
{
    (void)state;
    root_folder(root, "/tmp/nvidia-mps");
    int fd = listen_at("/tmp/nvidia-mps/control", SOCK_STREAM);
    for (int i = 0; i < 8; i++) /* its queue is full after the first: never blocks */
        assert_true(live(NULL, false));
    assert_true(live("CUDA_MPS_PIPE_DIRECTORY=", false));
    assert_false(live("CUDA_MPS_PIPE_DIRECTORY=/elsewhere", false));
    assert_false(live(NULL, true));
    close(fd);
    assert_false(live(NULL, false));
}

static void sockets_of_other_types_count(void **state)
{
    (void)state;
    root_folder(root, "/mps");
    int fd = listen_at("/mps/control", SOCK_SEQPACKET);
    assert_true(live("CUDA_MPS_PIPE_DIRECTORY=/mps", false));
    close(fd);
}

static void a_pipe_lives_while_somebody_reads(void **state)
{
    char path[128];

    (void)state;
    root_fifo(root, "/tmp/nvidia-mps/control");
    assert_false(live(NULL, false));
    snprintf(path, sizeof(path), "%s/tmp/nvidia-mps/control", root);
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(live(NULL, false));
    close(fd);
}

/* From here nobody speaks to another process's daemon, and opening its pipe would look like a
 * client. */
static void another_process_has_it_where_the_node_is(void **state)
{
    char folder[300], *environment[] = {folder, NULL};
    struct cua_subject other = {0};

    (void)state;
    /* A look below another root goes by descriptors, which an emulator leads elsewhere. */
    if (getenv("MESON_EXE_WRAPPER"))
        CUA_UNIT_SKIP("an emulator's /proc/PID/root");
    assert_int_equal(cua_subject_of_process(&other, getpid()), 0);
    struct cua_subject subject = other;
    subject.env = environment;
    snprintf(folder, sizeof(folder), "CUDA_MPS_PIPE_DIRECTORY=%s/mps", root);
    root_text(root, "/mps/control", "a file");
    assert_false(cua_mps_live(&subject));
    root_remove(root);
    root = root_make();
    snprintf(folder, sizeof(folder), "CUDA_MPS_PIPE_DIRECTORY=%s/mps", root);
    root_fifo(root, "/mps/control");
    assert_true(cua_mps_live(&subject));
    subject = (struct cua_subject){.env = environment};
    assert_false(cua_mps_live(&subject));
    cua_subject_release(&other);
}

static void a_name_too_long_to_ask_is_taken_for_live(void **state)
{
    char folder[256] = "/", name[300];

    (void)state;
    memset(folder + 1, 'd', 120);
    root_folder(root, folder);
    assert_return_code(chdir(root), errno);
    int dir = open(folder + 1, O_PATH | O_CLOEXEC);
    assert_return_code(fchdir(dir), errno);
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "control"};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_return_code(bind(fd, (struct sockaddr *)&address, sizeof(address)), errno);
    snprintf(name, sizeof(name), "CUDA_MPS_PIPE_DIRECTORY=%s", folder);
    assert_true(live(name, false));
    assert_return_code(chdir("/"), errno);
    close(fd);
    close(dir);
}

int main(void)
{
#define IN_ROOT(test) cmocka_unit_test_setup_teardown(test, make_root, remove_root)
    const struct CMUnitTest tests[] = {
        IN_ROOT(nothing_there),
        IN_ROOT(a_socket_lives_while_somebody_listens),
        IN_ROOT(sockets_of_other_types_count),
        IN_ROOT(a_pipe_lives_while_somebody_reads),
        IN_ROOT(another_process_has_it_where_the_node_is),
        IN_ROOT(a_name_too_long_to_ask_is_taken_for_live),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
