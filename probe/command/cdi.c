/* SPDX-License-Identifier: Apache-2.0 */
#include "command/cdi.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cuarbiter/names.h"
#include "command/jsonout.h"
#include "command/options.h"
#include "command/verb.h"
#include "command/home.h"

#define INSIDE       "/opt/cuarbiter" /* where the container sees the folder */
#define PRELOAD_FILE "ld.so.preload"
#define PRELOAD_LINE INSIDE "/" CUA_FILE_SHIM "\n"

struct spec {
    char folder[PATH_MAX];
    const char *name;
    bool env;
};

static void print_mount(const char *folder, const char *file, const char *inside)
{
    char path[PATH_MAX + 32];
    snprintf(path, sizeof(path), "%s%s", folder, file);
    fputs("          { \"hostPath\": ", stdout);
    cua_jsonout_quote(path);
    printf(",\n"
           "            \"containerPath\": \"%s\",\n"
           "            \"options\": [\"ro\", \"nosuid\", \"nodev\", \"bind\"] }",
           inside);
}

/* The edits stand inside the device: a container that does not ask for it stays as it is. */
static void print_spec(const struct spec *spec)
{
    printf("{\n"
           "  \"cdiVersion\": \"0.3.0\",\n"
           "  \"kind\": \"cuarbiter/shim\",\n"
           "  \"devices\": [\n"
           "    { \"name\": \"%s\",\n"
           "      \"containerEdits\": {\n",
           spec->name);
    if (spec->env)
        puts("        \"env\": [\"LD_PRELOAD=" INSIDE "/" CUA_FILE_SHIM "\"],");
    puts("        \"mounts\": [");
    print_mount(spec->folder, "", INSIDE);
    if (!spec->env) {
        puts(",");
        print_mount(spec->folder, "/" PRELOAD_FILE, "/etc/ld.so.preload");
    }
    puts("\n"
         "        ] } }\n"
         "  ]\n"
         "}");
}

static int write_preload_file(const char *path)
{
    char temporary[PATH_MAX + 64];
    snprintf(temporary, sizeof(temporary), "%s.%ld", path, (long)getpid());
    int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0)
        return -errno;
    ssize_t put = write(fd, PRELOAD_LINE, strlen(PRELOAD_LINE));
    int error = put < 0 ? -errno : put < (ssize_t)strlen(PRELOAD_LINE) ? -ENOSPC : 0;
    /* The umask of an administrator's shell must not lock the containers' users out. */
    if (!error && fchmod(fd, 0644))
        error = -errno;
    close(fd);
    if (!error && rename(temporary, path))
        error = -errno;
    if (error)
        unlink(temporary);
    return error;
}

/* ENV LD_PRELOAD of an image would be replaced by a variable in the spec; the loader's own file
 * leaves it alone. The file has to lie on the host for the mount. */
static int need_preload_file(const char *folder)
{
    char path[PATH_MAX + 32];
    char text[256];
    snprintf(path, sizeof(path), "%s/" PRELOAD_FILE, folder);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 && errno == ENOENT) {
        int error = write_preload_file(path);
        if (error)
            cua_complain("cdi", "%s: %s; the specification mounts it", path, strerror(-error));
        return error;
    }
    ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
    int error = got < 0 ? -errno : 0;
    if (fd >= 0)
        close(fd);
    text[got < 0 ? 0 : got] = '\0';
    if (!error && strcmp(text, PRELOAD_LINE))
        error = -EEXIST;
    if (error)
        cua_complain("cdi", "%s: %s; it must say " INSIDE "/" CUA_FILE_SHIM, path,
                     error == -EEXIST ? "says something else" : strerror(-error));
    return error;
}

static int need_files(const char *folder)
{
    static const char *const files[] = {CUA_FILE_SHIM, CUA_FILE_ENGINE, CUA_FILE_COMMAND};
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
        char path[PATH_MAX + 32];
        snprintf(path, sizeof(path), "%s/%s", folder, files[i]);
        if (access(path, R_OK)) {
            cua_complain("cdi", "%s: %s", path, strerror(errno));
            return -ENOENT;
        }
    }
    return 0;
}

static bool is_device_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    return *name && strchr(letters, name[0]) && strchr(letters, name[strlen(name) - 1]) &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:") ==
               strlen(name);
}

static int run(int argc, char **argv)
{
    static const struct option options[] = {
        {"dir", required_argument, NULL, 'd'},
        {"name", required_argument, NULL, 'n'},
        {"env", no_argument, NULL, 'e'},
        {NULL, 0, NULL, 0},
    };
    struct spec spec = {.name = "on"};
    const char *folder = cua_home();
    int option, code = 0;
    while ((option = cua_option(&cua_verb_cdi, argc, argv, options, false, &code)) != -1) {
        if (option == CUA_OPTION_DONE)
            return code;
        if (option == 'd')
            folder = optarg;
        else if (option == 'n')
            spec.name = optarg;
        else
            spec.env = true;
    }
    if (optind < argc)
        return cua_usage(&cua_verb_cdi, "one argument too many");
    if (!is_device_name(spec.name))
        return cua_usage(&cua_verb_cdi, "--name: letters, digits and -_.: inside");
    if (!realpath(folder, spec.folder)) {
        cua_complain("cdi", "%s: %s", folder, strerror(errno));
        return 1;
    }
    if (need_files(spec.folder) || (!spec.env && need_preload_file(spec.folder)))
        return 1;
    print_spec(&spec);
    if (fflush(stdout) || ferror(stdout)) {
        cua_complain("cdi", "standard output: %s", strerror(errno));
        return 1;
    }
    return 0;
}

const struct cua_verb cua_verb_cdi = {
    .name = "cdi",
    .summary = "a CDI specification for podman, containerd, CRI-O and Docker",
    .usage =
        "Usage: cuarbiter cdi [--dir DIR] [--name NAME] [--env] > /etc/cdi/cuarbiter.json\n"
        "\n"
        "Prints a CDI specification. A container that asks for the device cuarbiter/shim=on gets\n"
        "the folder at " INSIDE " and the shim in every process. Its image's own LD_PRELOAD\n"
        "stays; an /etc/ld.so.preload of the image's own is hidden.\n"
        "\n"
        "  --dir DIR    the host's folder with the three files; the command's own unless given.\n"
        "               DIR/" PRELOAD_FILE " is written there if it is missing\n"
        "  --name NAME  the device is cuarbiter/shim=NAME\n"
        "  --env        LD_PRELOAD as a variable: replaces the image's own LD_PRELOAD\n",
    .run = run,
};
