/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names that users see: files, environment variables, exit codes. They keep their meaning until
 * the next major version.
 *
 * The shim is the library that is preloaded into a program. It asks the answerer, a program, which
 * file a request for libcuda gets. The command is `cuarbiter`. A node is a machine that runs
 * containers; our OCI hook adds cuarbiter to the containers.
 */
#ifndef CUARBITER_NAMES_H
#define CUARBITER_NAMES_H

/* The shim, the answerer and the command lie in one folder, and look for each other only there.
 * CUA_FILE_SITE has the settings of a machine or an image (the site file). */
#define CUA_FILE_SHIM     "libcuarbiter.so"
#define CUA_FILE_ANSWERER "cuarbiter-answer"
#define CUA_FILE_COMMAND  "cuarbiter"
#define CUA_FILE_SITE     "/etc/cuarbiter.conf"
/* NVIDIA's own hook makes ld.so find the driver that an image bundles. If the node's administrator
 * has switched that hook off, our OCI hook creates this file beside the shim in the container. Then
 * cuarbiter keeps a host's driver that works, even if a bundled driver has a later minor CUDA.
 * CUARBITER_MINOR=yes overrides this file. */
#define CUA_FILE_HOOK_OFF "nvidia-compat-hook-is-off"
/* Where the OCI hook puts cuarbiter's files in a container. */
#define CUA_FOLDER_NODE "/opt/cuarbiter"
/* The node's site file, where containers with our OCI hook see it. It is read if CUA_FILE_SITE is
 * missing. */
#define CUA_FOLDER_SITE_NODE CUA_FOLDER_NODE "/site"
#define CUA_FILE_SITE_NODE   CUA_FOLDER_SITE_NODE "/cuarbiter.conf"
/* The node's folder that containers with our OCI hook see as CUA_FOLDER_SITE_NODE. If the node has
 * a folder `site` beside the command, containers see that folder instead. A container that could
 * make a mount writable has a copy of the site file there, made when it started. */
#define CUA_DIR_SITE "/etc/cuarbiter/site"
/* If the node has this folder, our OCI hook writes a line for each container to a file in it. */
#define CUA_DIR_LOG "/var/log/cuarbiter"
/* A folder on the node that only root can enter. */
#define CUA_DIR_RUN "/run/cuarbiter"
/* The node's folder with the socket CUA_FILE_REPORTS, by which 'cuarbiter node collect' receives
 * log lines from processes in containers. Containers with our OCI hook see this folder as
 * CUA_FOLDER_REPORTS if the socket exists when they start, and they could not make a mount
 * writable. */
#define CUA_DIR_REPORTS    CUA_DIR_RUN "/reports"
#define CUA_FOLDER_REPORTS CUA_FOLDER_NODE "/reports"
#define CUA_FILE_REPORTS   "socket"
/* Each data file in this folder replaces the built-in one of the same name. The folder must belong
 * to root, and nobody else may write to it. */
#define CUA_DIR_DATA "/etc/cuarbiter/data"

#define CUA_ENV_PREFIX        "CUARBITER_"
#define CUA_ENV_POLICY        "CUARBITER_POLICY"
#define CUA_ENV_LIBCUDA       "CUARBITER_LIBCUDA"
#define CUA_ENV_LOG           "CUARBITER_LOG"
#define CUA_ENV_LOG_FILE      "CUARBITER_LOG_FILE"
#define CUA_ENV_LOG_FORMAT    "CUARBITER_LOG_FORMAT"
#define CUA_ENV_TRIAL         "CUARBITER_TRIAL"
#define CUA_ENV_TRIAL_TIMEOUT "CUARBITER_TRIAL_TIMEOUT"
#define CUA_ENV_MINOR         "CUARBITER_MINOR"
#define CUA_ENV_SYSROOT       "CUARBITER_SYSROOT"
/* "no": the drivers that 'cuarbiter driver add' has stored are not used. */
#define CUA_ENV_DRIVERS "CUARBITER_DRIVERS"
/* Only for 'cuarbiter driver add': a server to download NVIDIA's archives from, instead of NVIDIA's
 * own. */
#define CUA_ENV_DRIVER_MIRROR "CUARBITER_DRIVER_MIRROR"
/* The file to which the audit module (LD_AUDIT) of 'cuarbiter doctor' appends what it sees in a
 * process: the libraries that are mapped, and the results of cuInit. Only `doctor` sets this
 * variable. */
#define CUA_ENV_DOCTOR_SEEN "CUARBITER_DOCTOR_SEEN"

/* Exit codes of 'cuarbiter status', and of other verbs where noted. */
enum cua_exit {
    CUA_EXIT_WORKS = 0,     /* the process gets a libcuda that works */
    CUA_EXIT_NONE = 1,      /* it gets none that works */
    CUA_EXIT_USAGE = 2,     /* for every verb: the command line is wrong */
    CUA_EXIT_UNKNOWN = 3,   /* not known whether it works */
    CUA_EXIT_NO_DRIVER = 4, /* no NVIDIA driver on this machine */
    CUA_EXIT_OUTPUT = 5,    /* for every verb: the answer could not be written */
    /* For `run`, `doctor` and `path`: cuarbiter itself failed. `run` and `doctor` also return 126
     * if the program cannot be executed, and 127 if it was not found. */
    CUA_EXIT_RUN = 125,
};

#endif
