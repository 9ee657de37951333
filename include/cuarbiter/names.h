/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names that users meet: files, environment variables, exit codes. Everything in here is
 * promised to stay; a change of meaning is a new major version.
 */
#ifndef CUARBITER_NAMES_H
#define CUARBITER_NAMES_H

/* Shim, answerer and command lie in one folder and find each other there and nowhere else. */
#define CUA_FILE_SHIM     "libcuarbiter.so"
#define CUA_FILE_ANSWERER "cuarbiter-answer"
#define CUA_FILE_COMMAND  "cuarbiter"
#define CUA_FILE_SITE     "/etc/cuarbiter.conf"
/* Beside them in a container: the node has switched off NVIDIA's hook for bundled drivers. */
#define CUA_FILE_HOOK_OFF "nvidia-compat-hook-is-off"
/* Where the OCI hook puts cuarbiter's files in a container. */
#define CUA_FOLDER_NODE "/opt/cuarbiter"
/* The node's, in a container that the OCI hook has served; read where the one above is missing. */
#define CUA_FOLDER_SITE_NODE CUA_FOLDER_NODE "/site"
#define CUA_FILE_SITE_NODE   CUA_FOLDER_SITE_NODE "/cuarbiter.conf"
/* The folder on a node that such containers see it in, unless `site` lies beside the command. */
#define CUA_DIR_SITE "/etc/cuarbiter/site"
/* Where the hook writes a line for each container, on a node that has it. */
#define CUA_DIR_LOG "/var/log/cuarbiter"
/* The folder with the socket of the node's collector, in one that only root can enter, and where
 * containers that the OCI hook has served see that folder. */
#define CUA_DIR_RUN        "/run/cuarbiter"
#define CUA_DIR_REPORTS    CUA_DIR_RUN "/reports"
#define CUA_FOLDER_REPORTS CUA_FOLDER_NODE "/reports"
#define CUA_FILE_REPORTS   "socket"
/* A root-owned folder whose data files replace the built-in ones, file by file. */
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
/* "no": brought drivers are not looked at. */
#define CUA_ENV_DRIVERS "CUARBITER_DRIVERS"
/* Of `driver add` alone: where NVIDIA's archives lie instead of NVIDIA's own address. */
#define CUA_ENV_DRIVER_MIRROR "CUARBITER_DRIVER_MIRROR"
/* From doctor to its audit module, nobody else's. */
#define CUA_ENV_DOCTOR_SEEN "CUARBITER_DOCTOR_SEEN"

/* Exit codes of `cuarbiter status`. */
enum cua_exit {
    CUA_EXIT_WORKS = 0,     /* a verdict that works */
    CUA_EXIT_NONE = 1,      /* no libcuda here works */
    CUA_EXIT_USAGE = 2,     /* for every verb: the command line is wrong */
    CUA_EXIT_UNKNOWN = 3,   /* not known */
    CUA_EXIT_NO_DRIVER = 4, /* no NVIDIA driver on this machine */
    CUA_EXIT_OUTPUT = 5,    /* for every verb: the answer could not be written */
    CUA_EXIT_RUN =
        125, /* `run`: cuarbiter itself failed; 126: found, not executable; 127: not found */
};

#endif
