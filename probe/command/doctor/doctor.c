/* SPDX-License-Identifier: Apache-2.0 */
#include "command/doctor/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuarbiter/names.h"
#include "command/doctor/findings.h"
#include "command/doctor/audit_log.h"
#include "command/doctor/error_scan.h"
#include "command/doctor/watch.h"
#include "cli/home.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/replace_file.h"
#include "cli/verb.h"

static const unsigned char audit_module[] = {
#include "audit_bytes.inc"
};

/* doctor's temporary folder and its files. `module`: the LD_AUDIT module (audit/audit.c). `seen`:
 * what that module writes. `log`: the log of the shim (libcuarbiter.so). */
struct ward {
    char folder[PATH_MAX];
    char module[PATH_MAX + 16], seen[PATH_MAX + 16], log[PATH_MAX + 16];
};

static void leave_ward(const struct ward *ward)
{
    unlink(ward->module);
    unlink(ward->seen);
    unlink(ward->log);
    rmdir(ward->folder);
}

/* Whether `folder` can hold doctor's temporary folder. It must be writable, and mounted without
 * noexec, because ld.so maps no library from a noexec mount. Its path must be absolute, not too
 * long, and free of ' ', ':' and '$'. ld.so splits lists of paths at the first two, and expands
 * '$'. */
static bool is_fit(const char *folder)
{
    struct statvfs fs;
    return *folder == '/' && !strpbrk(folder, " :$") && strlen(folder) < PATH_MAX - 64 &&
           !access(folder, W_OK | X_OK) && !statvfs(folder, &fs) && !(fs.f_flag & ST_NOEXEC);
}

/* Returns 0, -errno, or 1 if no folder is fit. */
static int enter_ward(struct ward *ward)
{
    const char *temporary = getenv("TMPDIR");
    const char *const folders[] = {temporary ? temporary : "", "/tmp", "/var/tmp", "/dev/shm"};
    for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
        if (!is_fit(folders[i]))
            continue;
        snprintf(ward->folder, sizeof(ward->folder), "%s/cuarbiter-doctor.XXXXXX", folders[i]);
        if (!mkdtemp(ward->folder))
            continue;
        snprintf(ward->module, sizeof(ward->module), "%s/audit.so", ward->folder);
        snprintf(ward->seen, sizeof(ward->seen), "%s/seen", ward->folder);
        snprintf(ward->log, sizeof(ward->log), "%s/log", ward->folder);
        int error =
            cua_replace_file(ward->module, audit_module, sizeof(audit_module), 0700, NULL, true);
        if (!error)
            error = cua_replace_file(ward->seen, "", 0, 0600, NULL, true);
        if (!error)
            return 0;
        leave_ward(ward);
        return error;
    }
    return 1;
}

/* Whether a list of paths for ld.so has `file` as an entry. */
static bool lists(const char *list, const char *file)
{
    size_t length = strlen(file), n;

    for (; *list; list += n + (list[n] != '\0')) {
        n = strcspn(list, " :");
        if (n == length && !memcmp(list, file, n))
            return true;
    }
    return false;
}

/* Appends `file` to a list of paths for ld.so, in the environment variable `name`. Does nothing if
 * the list contains `file`. Returns 0, or -1 with errno set. */
static int append(const char *name, const char *file)
{
    const char *old = getenv(name);
    char *value;
    if (!old || !*old)
        return setenv(name, file, 1);
    if (lists(old, file))
        return 0;
    if (asprintf(&value, "%s:%s", old, file) < 0)
        return -1;
    int result = setenv(name, value, 1);
    free(value);
    return result;
}

static int set_environment(const struct ward *ward, const char *shim, bool audit)
{
    const char *level = getenv(CUA_ENV_LOG);
    if (audit && (append("LD_AUDIT", ward->module) || setenv(CUA_ENV_DOCTOR_SEEN, ward->seen, 1)))
        return -1;
    return append("LD_PRELOAD", shim) || setenv(CUA_ENV_LOG_FILE, ward->log, 1) ||
           setenv(CUA_ENV_LOG_FORMAT, "text", 1) ||
           setenv(CUA_ENV_LOG, level && !strcmp(level, "debug") ? level : "info", 1);
}

static void end_unstarted(int failed, int code)
{
    _exit(write(failed, "", 1) == 1 ? code : CUA_EXIT_RUN);
}

/* Starts the command, with the pipe `error_end` as its stderr. `failed`: a pipe that receives a
 * byte if the command could not be started. Returns the PID, or -1 if fork failed. */
static pid_t start(const struct ward *ward, const char *shim, bool audit, char **argv,
                   int error_end, int failed)
{
    /* If SIGCHLD is ignored, the kernel drops the command's exit code. */
    void (*before)(int) = signal(SIGCHLD, SIG_DFL);
    pid_t child = fork();
    if (child)
        return child;
    signal(SIGCHLD, before);
    if (set_environment(ward, shim, audit)) {
        cua_complain("doctor", "%s", strerror(errno));
        end_unstarted(failed, CUA_EXIT_RUN);
    }
    /* From here on stderr is the pipe, through which the command's errors reach doctor. */
    if (dup2(error_end, STDERR_FILENO) < 0)
        end_unstarted(failed, CUA_EXIT_RUN);
    execvp(argv[0], argv);
    int error = errno;
    cua_complain("doctor", "%s: %s", argv[0], strerror(error));
    end_unstarted(failed, error == ENOENT ? CUA_EXIT_RUN + 2 : CUA_EXIT_RUN + 1);
    return -1;
}

static bool was_started(int failed)
{
    char byte;

    return read(failed, &byte, 1) != 1;
}

/* Waits until the command ends. Returns its exit code, or 128 plus its signal. Meanwhile passes on
 * and scans the command's stderr (`end`: the pipe's reading end), and looks at the command's
 * processes. Stops looking when all of them have closed stderr. Does not wait for end-of-file,
 * because a process that the command leaves behind may keep the pipe open for ever. */
static int attend(pid_t child, int end, struct cua_error_scan *scan, struct cua_watch *watch)
{
    int status = 0;
    bool ended = false;
    for (;;) {
        struct pollfd ready = {.fd = end, .events = POLLIN};
        const struct timespec wait = {.tv_nsec = ended ? 0 : cua_watch_look(watch) * 1000};
        if (!ended)
            ended = waitpid(child, &status, WNOHANG) == child;
        /* A sandbox may refuse ppoll. The command's end is then noticed at end-of-file. */
        if (ppoll(&ready, 1, &wait, NULL) < 0 && errno != EINTR)
            ready.revents = POLLIN;
        if (ready.revents) {
            char bytes[4096];
            ssize_t got = read(end, bytes, sizeof(bytes));
            if (got > 0) {
                cua_error_scan_take(scan, bytes, (size_t)got);
                fwrite(bytes, 1, (size_t)got, stderr);
                continue;
            }
            if (!ended)
                waitpid(child, &status, 0);
            break;
        }
        if (ended)
            break;
    }
    cua_error_scan_take(scan, "\n", 1);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static const char *why_blind(void)
{
    unsigned major = 0, minor = 0;
    static char text[160];
    if (sscanf(gnu_get_libc_version(), "%u.%u", &major, &minor) == 2 &&
        (major > 2 || (major == 2 && minor >= 35)))
        return NULL;
    snprintf(text, sizeof(text),
             "cuInit's answers are shown only with glibc 2.35 or later, and this is %s",
             gnu_get_libc_version());
    return text;
}

static void report(const struct ward *ward, const struct cua_error_scan *scan,
                   const struct cua_watch *watch, const char *blind, bool json, int result)
{
    struct cua_seen_all all = {0};
    int error = cua_seen_read(&all, ward->seen, ward->log);

    if (error)
        cua_complain("doctor", "%s", strerror(-error));
    else if (json)
        cua_doctor_json(&all, scan, watch, blind, result);
    else
        cua_doctor_report(&all, scan, watch, blind, result);
    cua_seen_free(&all);
}

static int examine(char **argv, bool json, const char *output)
{
    struct ward ward;
    struct cua_error_scan scan = {0};
    struct cua_watch watch = {0};
    int ends[2], failed[2];
    char shim[PATH_MAX];
    const char *blind = why_blind();
    const char *why = cua_home_shim(shim);
    if (why) {
        cua_complain(shim, "%s", why);
        return CUA_EXIT_RUN;
    }
    int error = enter_ward(&ward);
    if (error) {
        cua_complain("doctor", "cannot write temporary files: %s",
                     error < 0 ? strerror(-error)
                               : "needs one of $TMPDIR, /tmp, /var/tmp, /dev/shm that is writable, "
                                 "is not mounted noexec, and has no space, ':' or '$' in its path");
        return CUA_EXIT_RUN;
    }
    int result = CUA_EXIT_RUN;
    if (pipe2(ends, O_CLOEXEC)) {
        cua_complain("doctor", "%s", strerror(errno));
        leave_ward(&ward);
        return result;
    }
    if (pipe2(failed, O_CLOEXEC | O_NONBLOCK)) {
        cua_complain("doctor", "%s", strerror(errno));
        goto out;
    }
    fflush(NULL);
    pid_t child = start(&ward, shim, !blind, argv, ends[1], failed[1]);
    close(ends[1]);
    close(failed[1]);
    if (child < 0) {
        cua_complain("doctor", "%s", strerror(errno));
    } else {
        /* Ctrl-C is meant for the command; doctor must still print its report. */
        signal(SIGINT, SIG_IGN);
        signal(SIGQUIT, SIG_IGN);
        watch.command = child;
        result = attend(child, ends[0], &scan, &watch);
        /* stdout is redirected to --output only now, because the command inherits the original
         * one. */
        if (was_started(failed[0]) && !(output && cua_output_to(output)))
            report(&ward, &scan, &watch, blind, json, result);
        cua_watch_free(&watch);
    }
    close(failed[0]);
out:
    close(ends[0]);
    leave_ward(&ward);
    return result;
}

static int run(int argc, char **argv)
{
    int code = CUA_EXIT_RUN;
    const char *output = NULL;
    bool json = false;
    int option;
    while ((option = cua_option(&cua_verb_doctor, argc, argv, true, &code)) != -1) {
        if (option == CUA_OPTION_DONE)
            return code;
        if (option == 'o')
            output = optarg;
        else
            json = true;
    }
    if (output && !json)
        return cua_usage(&cua_verb_doctor, "--output needs --json");
    if (optind == argc)
        return cua_usage(&cua_verb_doctor, "a command is needed");
    return examine(argv + optind, json, output);
}

const struct cua_verb cua_verb_doctor = {
    .name = "doctor",
    .run = run,
};
