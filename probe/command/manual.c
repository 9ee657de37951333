/* SPDX-License-Identifier: Apache-2.0 */
/* The description of each verb and its options. */
#include "command/manual.h"

#include <string.h>

#include "base/policy.h"

#define OUTPUT                                                                                     \
    {                                                                                              \
        'o', "output", "FILE", "write to FILE, which is replaced at once or not at all"            \
    }
#define POLICY(what)                                                                               \
    {                                                                                              \
        'y', "policy", "POLICY", CUA_POLICY_WORDS what                                             \
    }
#define RUN_EXIT                                                                                   \
    "The command's own. 2 usage or a file that is not there, 125 where cuarbiter fails itself, "   \
    "126 where the command cannot be executed, 127 where it is not found."

static const struct cua_manual_option status_options[] = {
    {'j', "json", NULL, "as JSON, described by status.schema.json"},
    {'P', "prom", NULL, "as metrics for the textfile collector of Prometheus' node exporter"},
    OUTPUT,
    {'p', "pid", "PID", "of another process: what it has mapped, and what it would get"},
    POLICY(", in place of CUARBITER_POLICY"),
    {'t', "toolkit", "X.Y", "the CUDA version that the program was built with"},
    {'f', "program", "FILE",
     "for this program or library: with the libcuda that ld.so takes for it, and the functions "
     "that "
     "it needs and a driver lacks"},
    {0, NULL, NULL, "For a machine that is not there; nothing is loaded or tried then:"},
    {'s', "sysroot", "DIR", "an unpacked image in place of this system"},
    {'e', "env", "NAME=VALUE",
     "a variable of its configuration; repeated; this environment does not count then"},
    {'k', "kmd", "VERSION",
     "a kernel driver of this version, with its own libcuda, as a container runtime mounts it"},
    {'u', "unmounted", NULL, "without that libcuda: the image has to do alone"},
    {'m', "mounted", NULL, NULL},
    {'g', "gpu", "MODEL", "such a GPU: 'RTX 4090', T4, A100; repeated, one per GPU"},
    {'c', "cc", "X.Y", "its compute capability; repeated, in the order of --gpu"},
    {'v', "visible", "LIST", "in place of CUDA_VISIBLE_DEVICES"},
    {0},
};

static const struct cua_manual_option inspect_options[] = {
    {'j', "json", NULL, "as JSON, an array with one object per file"},
    {0},
};

static const struct cua_manual_option trial_options[] = {
    {'t', "timeout", "SECONDS", "how long it may take, 1 to 600 (default: 10)"},
    {'j', "json", NULL, "as JSON"},
    {'n', "nvml", NULL, NULL},
    {'H', "helper", "NUMBER", NULL},
    {0},
};

static const struct cua_manual_option run_options[] = {
    POLICY(", as CUARBITER_POLICY"),
    {'l', "libcuda", "FILE", "this libcuda, as CUARBITER_LIBCUDA"},
    {'L', "log", "LEVEL", "error, warn, info or debug, as CUARBITER_LOG"},
    {0},
};

static const struct cua_manual_option explain_options[] = {
    {'l', "list", NULL, "all of them"},
    {0},
};

static const struct cua_manual_option doctor_options[] = {
    {'j', "json", NULL, "as JSON, on standard output once the command has ended"},
    {'o', "output", "FILE", "write the JSON to FILE instead"},
    {0},
};

static const struct cua_manual_option report_options[] = {
    OUTPUT,
    {0},
};

static const struct cua_manual_option matrix_options[] = {
    {'i', "images", "DIR", "root folders of images, one or more"},
    {'m', "machines", "FILE", "CSV lines: name,kmd,gpus,cc,toolkit"},
    {'u', "unmounted", NULL, "without each machine's own libcuda, which a runtime would mount"},
    {'M', "mounted", NULL, NULL},
    {'e', "env", "NAME=VALUE", "a variable of the images' configuration; repeated"},
    POLICY(", in place of the images' site files"),
    {'j', "json", NULL, "as JSON"},
    OUTPUT,
    {0},
};

static const struct cua_manual_option code_options[] = {
    {'g', "gpu", "MODEL", "for such a GPU: 'RTX 4090', T4, A100"},
    {'c', "cc", "X.Y", "for this compute capability"},
    {'k', "kmd", "VERSION", "for the libcuda that is chosen beside this kernel driver"},
    {'C', "cuda", "X.Y", "for a driver of this CUDA version"},
    {'L', "libcuda", "FILE", "for this libcuda; symbols that it lacks are found too"},
    {'s', "sysroot", "DIR", "an unpacked image in place of this system, the paths too"},
    {'l', "list", NULL, "every entry: kind, capability, PTX version, packing"},
    {'j', "json", NULL, "as JSON"},
    {0},
};

static const struct cua_manual_option summary_options[] = {
    {'j', "json", NULL, "as JSON"},
    OUTPUT,
    {0},
};

static const struct cua_manual_option cdi_options[] = {
    {'d', "dir", "DIR",
     "the host's folder with the three files; or a link to it (default: the command's own)"},
    {'n', "name", "NAME", "the device is cuarbiter/shim=NAME (default: on)"},
    OUTPUT,
    {'m', "merge", NULL, "add the hook to the specifications FILE, or to all of NVIDIA's tools"},
    {'r', "remove", NULL, "take it out of them again"},
    {0},
};

static const struct cua_manual_option dockerfile_options[] = {
    {'f', "from", "DIR",
     "the folder with the three files and cuarbiter-entrypoint, in the build context "
     "(default: dist/)"},
    {'t', "to", "DIR", "where they go in the image (default: /opt/cuarbiter)"},
    {'e', "env", NULL,
     "ENV LD_PRELOAD instead of an entry point; it reaches docker exec and health checks too, but "
     "some image policies refuse it"},
    OUTPUT,
    {0},
};

static const struct cua_manual_option install_options[] = {
    {'r', "root", "DIR", "the root file system"},
    {'n', "dry-run", NULL, "print what would be done, and do nothing"},
    {'y', "yes", NULL, "DIR may be /, the machine or container that it runs in"},
    {0},
};

static const struct cua_manual_option hook_options[] = {
    {'d', "dir", "DIR", "the host's folder with the three files (default: the command's own)"},
    {'a', "always", NULL, "for containers without a GPU too"},
    {'l', "log", "FILE", "append a line for each container: what was done, or why nothing was"},
    {0},
};

static const struct cua_manual_option node_options[] = {
    {'d', "dir", "DIR",
     "the folder with the three files, the path that engines are given; or a link to it "
     "(default: the command's own)"},
    {0},
};

static const struct cua_manual_option no_options[] = {{0}};

const struct cua_manual cua_manual[] = {
    {
        "status",
        "which libcuda a process gets here, and why",
        "[OPTION]...",
        "Which libcuda a process gets here, and why: the drivers found, the GPUs, the verdict with "
        "its reason, what the loader alone would take and what cuInit of that would answer, and "
        "whether the library is active here.",
        status_options,
        "0 a libcuda that works, 1 none works, 2 usage, 3 not known, 4 no NVIDIA driver "
        "here.",
        "",
    },
    {
        "inspect",
        "a libcuda file's version, CUDA and supported branches",
        "[--json] FILE...",
        "Version, CUDA version, build-id, SONAME, the note on forward compatibility, and whether "
        "the companion libraries lie beside it. Nothing is loaded.",
        inspect_options,
        "0, 1 where a file is not a usable libcuda, 2 usage or a file that is not there.",
        "FILE",
    },
    {
        "trial",
        "call cuInit of one file in a child process",
        "[OPTION]... FILE",
        "Calls cuInit of this libcuda in a child process, without LD_PRELOAD, and prints what it "
        "answers. Companion libraries come from the file's own folder. A child that does not "
        "answer in time is killed; one that cannot be killed is left behind and reported.",
        trial_options,
        "0 cuInit answers 0, 1 another code or a file that cannot be tried, 2 usage or a file that "
        "is not there, 3 no answer in time.",
        "FILE",
    },
    {
        "run",
        "run a command with cuarbiter",
        "[OPTION]... [--] COMMAND [ARGUMENT]...",
        "Runs a command with the library first in LD_PRELOAD, before what is there already.",
        run_options,
        RUN_EXIT,
        "COMMAND",
    },
    {
        "explain",
        "what a reason code or a CUDA error means, and what to do",
        "CODE...\n--list",
        "A reason code of status or of the log (newer-brand), or a CUDA error by number (803), by "
        "name (cudaErrorSystemDriverMismatch, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH) or by a line or "
        "message that a program printed, in quotes. Upper and lower case are the same.",
        explain_options,
        "0, 1 where a code is not known, 2 usage.",
        "CODE",
    },
    {
        "doctor",
        "what each process of a command got, and what cuInit answered",
        "[--json [--output FILE]] [--] COMMAND [ARGUMENT]...",
        "Runs a command with the library and reports for each of its processes which libcuda and "
        "companions it got and why, what cuInit answered, what is found against the GPU code of "
        "the "
        "files that it had mapped, and what the errors that it printed mean. The report goes to "
        "standard error.\n"
        "cuInit is watched by an LD_AUDIT module, which "
        "takes glibc 2.35 or later; with an older one the report has no codes, and the reason why.",
        doctor_options,
        RUN_EXIT,
        "COMMAND",
    },
    {
        "report",
        "one file for a bug report",
        "[--output FILE]",
        "What a bug report needs, as Markdown: versions, the system, status as text and as JSON, "
        "files that the loader reads, and of the environment only the variables that concern CUDA, "
        "the loader and cuarbiter. On a machine with a GPU each driver is tried in a child, and "
        "that part is an entry for docs/hardware.md. Read it before you pass it on.\n"
        "In a container leave --output out, and let the host write the file:\n"
        "  docker run ... /opt/cuarbiter/cuarbiter report >report.md",
        report_options,
        "0; 2 usage, 3 where nothing is known.",
        "",
    },
    {
        "matrix",
        "images on machines: which pairs work",
        "--images DIR... --machines FILE [OPTION]...",
        "For every unpacked image on every machine: which libcuda a process would get, and whether "
        "it works. Nothing is loaded or tried. Each machine's own libcuda counts as mounted. The "
        "caller's environment is not the images'.\n"
        "A machine is a line of the CSV file. GPUs, and "
        "their compute capabilities in the same order, are joined by semicolons; the last two "
        "fields may be empty:\n"
        "  a100,535.161.07,A100;A100,8.0;8.0,12.4\n"
        "WORKS is the answer with "
        "cuarbiter, LIBCUDA the file that a process gets, WITHOUT what cuInit would answer without "
        "cuarbiter (- where that is not known); explain knows the REASON.\n"
        "--json prints an array "
        "of what status --json prints, with the members machine and image.",
        matrix_options,
        "0 every pair works, 1 one does not, 2 usage, 3 of one it is not known.",
        "",
    },
    {
        "code",
        "what a driver and a GPU make of the code in files",
        "[OPTION]... PATH...",
        "Which of the GPU code in files and folders a driver and a GPU take: this machine's with "
        "the libcuda that is chosen here, unless an option names others. Reads ELF files, .fatbin, "
        ".cubin and .ptx, the headers alone; nothing is loaded. A module is a unit that a program "
        "loads as a whole; it runs or is compiled by the driver, or ends in 222 (its PTX is too "
        "new), 200 (packed so that the driver cannot unpack it) or 209 (nothing in it is for this "
        "GPU, as builds leave GPUs out).\n"
        "Which modules a program uses, and what it compiles while it runs, is not known: nothing "
        "found against a file does not mean that it works.",
        code_options,
        "0 no module ends in 222 or 200; 1 one does, 2 usage, 3 a file is not known or cannot be "
        "read.",
        "FILE",
    },
    {
        "summary",
        "what a fleet's processes got, by their log folder",
        "[OPTION]... FOLDER",
        "Counts what lies in a folder that CUARBITER_LOG_FILE named: how many processes decided, "
        "of "
        "which programs and on how many hosts, which libcuda they got and what cuInit of the "
        "loader's choice answers; after a dry run (CUARBITER_POLICY=report) also which one they "
        "would have got. Processes that are alike are one group, the largest first. Files are "
        "HOST-UID.jsonl; links are not followed, and lines that are not log lines, or are cut "
        "short, are counted and skipped.\n"
        "The JSON has the members processes, programs, hosts, users, first, last, dry, changed, "
        "lines, unknown, full, unread, and groups with processes, exe, hosts, policy, reason, got, "
        "from, to and without, as in log.schema.json.\n"
        "  CUARBITER_POLICY=report CUARBITER_LOG_FILE=/var/log/cuarbiter python train.py\n"
        "  cuarbiter summary /var/log/cuarbiter",
        summary_options,
        "0; 2 usage or a folder that is not there, 3 where a file cannot be read or no process is "
        "in it.",
        "FILE",
    },
    {
        "cdi",
        "a CDI specification for podman, containerd, CRI-O and Docker",
        "[--dir DIR] [--name NAME] [--output FILE]\n"
        "[--dir DIR] --merge [FILE]...\n"
        "--remove [FILE]...",
        "Prints a CDI specification. A container that asks for the device cuarbiter/shim=on gets "
        "the library by the OCI hook (cuarbiter help hook): every process has it, and an "
        "LD_PRELOAD "
        "or an /etc/ld.so.preload that is there stays.\n"
        "With --merge every container that asks for a device of another specification gets it. "
        "Without FILE these are, where they exist, nvidia.yaml in /etc/cdi and /var/run/cdi, and "
        "in the latter k8s.device-plugin.nvidia.com-gpu.json and management.nvidia.com-gpu.yaml. "
        "What others wrote there stays as it is; a file that does not load is refused.\n"
        "  cuarbiter cdi --dir /opt/cuarbiter --output /etc/cdi/cuarbiter.json",
        cdi_options,
        "0; 1 failed, 2 usage or a file that is not there.",
        "FILE",
    },
    {
        "dockerfile",
        "the Dockerfile lines that put cuarbiter into an image",
        "[OPTION]...",
        "Prints the lines FROM, COPY, ENTRYPOINT and CMD that put the library into an image, with "
        "its own ENTRYPOINT and CMD kept. Reads from standard input what docker inspect, podman "
        "inspect or buildah inspect prints for one image:\n"
        "  docker inspect IMAGE | cuarbiter "
        "dockerfile",
        dockerfile_options,
        "0; 1 where what is read describes no image, 2 usage.",
        "",
    },
    {
        "install",
        "put cuarbiter into an unpacked image, for every process in it",
        "--root DIR [--dry-run] [--yes]",
        "Copies the three files to /opt/cuarbiter/VERSION in the root file system and names the "
        "library in its /etc/ld.so.preload, so that an LD_PRELOAD of the image's own stays. First "
        "runs the target's own loader with the library; if that fails, nothing is changed. Run "
        "again, it changes nothing. Versions that are there stay for the programs that run on "
        "them.",
        install_options,
        "0 done or nothing to do, 1 failed, 2 usage.",
        "",
    },
    {
        "uninstall",
        "take out what install put in",
        "--root DIR [--dry-run] [--yes]",
        "Takes the library out of /etc/ld.so.preload first, then removes every version from "
        "/opt/cuarbiter. Files of others in there stay, and are named. Programs that run on keep "
        "the "
        "library that they have mapped; a libcuda that they open from then on is the one that "
        "ld.so "
        "finds.",
        install_options,
        "0 done or nothing to do, 1 failed, 2 usage.",
        "",
    },
    {
        "node",
        "the library for every GPU container of this node",
        "[--dir DIR] on|off|check|print|print-oci [FILE]",
        "on tries the hook (cuarbiter help hook) on a container that it makes for that, and if it "
        "works writes cuarbiter.json to /etc/containers/oci/hooks.d and /usr/share/containers/oci/"
        "hooks.d, which podman and CRI-O read, and, if it is missing, "
        "/etc/cuarbiter/site/cuarbiter.conf. off takes the former away. check "
        "only tries. print prints that file for other places, print-oci the hook as it is in a "
        "runtime's configuration, or FILE (config.json, a base runtime specification) with it.\n"
        "Whatever becomes of cuarbiter's files, every container starts: the hook runs below a "
        "shell "
        "that ends with 0, for a second at most.",
        node_options,
        "0; 1 it does not work here or failed, 2 usage.",
        "on off check print print-oci",
    },
    {
        "hook",
        "give the library to a container that an engine is about to start",
        "[--dir DIR] [--always] [--log FILE]",
        "An OCI createContainer hook: a container engine starts it, with the container's state on "
        "standard input. A container with a GPU gets copies of the three files on a read-only "
        "tmpfs at /opt/cuarbiter, the node's folder /etc/cuarbiter/site as /opt/cuarbiter/site, "
        "and a line at the end of its /etc/ld.so.preload, in a file of its own. Where anything is "
        "in doubt the container starts as it would without the hook.\n"
        "A container refuses by CUARBITER_POLICY=off in its environment, or by the annotation "
        "cuarbiter-policy: off.",
        hook_options,
        "0; 2 usage.",
        "",
    },
    {
        "path",
        "the path of libcuarbiter.so, for LD_PRELOAD",
        "",
        "Prints the path of the library:\n"
        "  LD_PRELOAD=$(cuarbiter path) python train.py",
        no_options,
        "0; 2 usage, 125 where the library cannot be an entry of LD_PRELOAD.",
        "",
    },
};
const size_t cua_manual_count = sizeof(cua_manual) / sizeof(*cua_manual);

const struct cua_manual *cua_manual_find(const char *name)
{
    for (size_t i = 0; i < cua_manual_count; i++)
        if (strcmp(cua_manual[i].name, name) == 0)
            return &cua_manual[i];
    return NULL;
}
