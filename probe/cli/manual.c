/* SPDX-License-Identifier: Apache-2.0 */
/* The description of each verb and its options. */
#include "cli/manual.h"

#include <string.h>

#include "base/policy.h"

#define OUTPUT                                                                                     \
    {                                                                                              \
        'o', "output", "FILE", "write to FILE; if that fails, an existing FILE stays as it was"    \
    }
#define POLICY(what)                                                                               \
    {                                                                                              \
        'y', "policy", "POLICY", CUA_POLICY_WORDS what                                             \
    }
#define RUN_EXIT(usage)                                                                            \
    "That of the command; or 2: " usage "; 125: cuarbiter itself failed, or one of its files is "  \
    "missing; 126: the command cannot be executed; 127: it was not found."

static const struct cua_manual_option status_options[] = {
    {'j', "json", NULL, "print JSON, described by status.schema.json"},
    {'P', "prom", NULL, "print metrics for the textfile collector of Prometheus' node exporter"},
    OUTPUT,
    {'p', "pid", "PID",
     "look at another process: which libcuda it has loaded, and which it would get"},
    POLICY("; overrides CUARBITER_POLICY"),
    {'t', "toolkit", "X.Y", "the CUDA version that the program was built with"},
    {'f', "program", "FILE",
     "answer for this program or library: which libcuda ld.so finds for it, and which functions it "
     "needs that a driver lacks"},
    {0, NULL, NULL, "To ask about another machine, real or not (nothing is loaded or tried then):"},
    {'s', "sysroot", "DIR", "look at the unpacked image in DIR instead of this system"},
    {'e', "env", "NAME=VALUE",
     "with --sysroot: set a variable as the image's configuration does; repeatable; your own "
     "environment is then ignored"},
    {'k', "kmd", "VERSION",
     "suppose a host with this kernel driver, whose libcuda the container runtime mounts"},
    {'u', "unmounted", NULL,
     "with --kmd: suppose that the host's libcuda is not mounted, so the image has only its own"},
    {'m', "mounted", NULL, NULL},
    {'g', "gpu", "MODEL", "suppose this GPU: 'RTX 4090', T4, A100; once for each GPU"},
    {'c', "cc", "X.Y",
     "the compute capability of that GPU; once for each --gpu, in the same order"},
    {'v', "visible", "LIST", "use LIST as CUDA_VISIBLE_DEVICES"},
    {0},
};

static const struct cua_manual_option inspect_options[] = {
    {'j', "json", NULL, "print JSON, an array with one object per file"},
    {0},
};

static const struct cua_manual_option trial_options[] = {
    {'t', "timeout", "SECONDS", "stop waiting after SECONDS, 1 to 600 (default: 10)"},
    {'j', "json", NULL, "print JSON"},
    {'n', "nvml", NULL, NULL},
    {'K', "kernel", NULL, NULL},
    {'H', "helper", "NUMBER", NULL},
    {0},
};

static const struct cua_manual_option run_options[] = {
    POLICY("; sets CUARBITER_POLICY"),
    {'l', "libcuda", "FILE", "use this libcuda; sets CUARBITER_LIBCUDA"},
    {'L', "log", "LEVEL", "error, warn, info or debug; sets CUARBITER_LOG"},
    {0},
};

static const struct cua_manual_option explain_options[] = {
    {'l', "list", NULL, "list all reason codes, and the CUDA errors that it can explain"},
    {0},
};

static const struct cua_manual_option doctor_options[] = {
    {'j', "json", NULL, "print JSON on standard output after the command has ended"},
    {'o', "output", "FILE", "write the JSON to FILE instead"},
    {0},
};

static const struct cua_manual_option report_options[] = {
    OUTPUT,
    {0},
};

static const struct cua_manual_option matrix_options[] = {
    {'i', "images", "DIR", "unpacked images, one or more root folders"},
    {'m', "machines", "FILE", "a CSV file with lines of name,kmd,gpus,cc,toolkit"},
    {'u', "unmounted", NULL, "suppose that no machine's own libcuda is mounted"},
    {'M', "mounted", NULL, NULL},
    {'e', "env", "NAME=VALUE", "set a variable as the images' configuration does; repeatable"},
    POLICY("; overrides CUARBITER_POLICY of --env; an image's /etc/cuarbiter.conf is not read"),
    {'j', "json", NULL, "print JSON"},
    OUTPUT,
    {0},
};

static const struct cua_manual_option code_options[] = {
    {'g', "gpu", "MODEL", "check for this GPU: 'RTX 4090', T4, A100; repeatable"},
    {'c', "cc", "X.Y", "check for this compute capability; repeatable"},
    {'k', "kmd", "VERSION",
     "check for the libcuda that cuarbiter would choose with this kernel driver; repeatable"},
    {'C', "cuda", "X.Y", "check for a driver with this CUDA version; repeatable"},
    {'L', "libcuda", "FILE", "check for this libcuda, and report functions that it lacks"},
    {'s', "sysroot", "DIR",
     "look at the unpacked image in DIR instead of this system; PATHs are inside it"},
    {'a', "all", NULL, "print a line for each file as well as one for its package"},
    {'F', "fail-on", "LIST",
     "exit with 1 only for these errors (35, 100, 200, 209, 222); a 209 then counts even if "
     "another file of the package has code for the GPU"},
    {'I', "ignore", "GLOB", "skip files whose path or name matches; repeatable"},
    {'l', "list", NULL,
     "list each piece of GPU code: kind, compute capability, PTX version, compression"},
    {'j', "json", NULL, "print JSON"},
    {0},
};

static const struct cua_manual_option summary_options[] = {
    {'j', "json", NULL, "print JSON"},
    OUTPUT,
    {0},
};

static const struct cua_manual_option cdi_options[] = {
    {'d', "dir", "DIR",
     "the host's folder with cuarbiter's three files, or a link to it (default: the folder of this "
     "command)"},
    {'n', "name", "NAME", "the name of the device: cuarbiter/shim=NAME (default NAME: on)"},
    OUTPUT,
    {'m', "merge", NULL, "add cuarbiter to the specifications FILE, or to those named above"},
    {'w', "watch", NULL,
     "with --merge: stay, and merge again whenever a specification is written anew"},
    {'r', "remove", NULL, "undo --merge"},
    {'c', "dry-run", NULL,
     "with --merge or --remove: print what would be done, but change nothing"},
    {0},
};

static const struct cua_manual_option dockerfile_options[] = {
    {'f', "from", "DIR",
     "the folder in the build context with cuarbiter's three files and cuarbiter-entrypoint "
     "(default: dist/)"},
    {'t', "to", "DIR", "the folder in the image that they are copied to (default: /opt/cuarbiter)"},
    {'e', "env", NULL,
     "set ENV LD_PRELOAD instead of an entry point: this also covers docker exec and health "
     "checks, but some image policies forbid it"},
    OUTPUT,
    {0},
};

static const struct cua_manual_option install_options[] = {
    {'r', "root", "DIR", "the root folder of the unpacked image"},
    {'n', "dry-run", NULL, "print what would be done, but change nothing"},
    {'y', "yes", NULL, "allow DIR to be /, the machine or container that this runs in"},
    {0},
};

static const struct cua_manual_option hook_options[] = {
    {'d', "dir", "DIR",
     "the host's folder with cuarbiter's three files (default: the folder of this command)"},
    {'a', "always", NULL, "add cuarbiter to containers without a GPU too"},
    {'l', "log", "FILE", "append a line for each container: 'added', or why not"},
    {0},
};

static const struct cua_manual_option node_options[] = {
    {'d', "dir", "DIR",
     "the folder with cuarbiter's three files, or a link to it; the container engines get this "
     "path (default: the folder of this command)"},
    {'j', "json", NULL, "with check: print JSON"},
    {'r', "sysroot", "ROOT",
     "with check: read the files of another node below ROOT; no program is started"},
    {0},
};

static const struct cua_manual_option driver_options[] = {
    {'a', "auto", NULL, "add the driver that this machine needs for the program's CUDA"},
    {'g', "for-gpu", "MODEL",
     "add the driver that such a GPU needs, with --kmd and --cuda; repeatable"},
    {'k', "kmd", "VERSION", "the version of that machine's kernel driver"},
    {'c', "cuda", "X.Y",
     "the CUDA version of the program (default: that of the image this runs in)"},
    {'u', "url", "URL",
     "download the archive from URL; if its checksum is not known, add --sha256"},
    {'S', "sha256", "SUM",
     "the checksum that the archive must have; it cannot override one that cuarbiter knows"},
    {'T', "trust-manifest", NULL,
     "for a driver that cuarbiter does not know: take address and checksum from NVIDIA's manifest "
     "of that CUDA version, or from the manifest that --url names"},
    {'s', "store", "DIR", "use another folder for drivers"},
    {'y', "yes", NULL,
     "do not ask before a download, nor before a change of the driver that programs get"},
    {'n', "dry-run", NULL,
     "show what would be downloaded and what would change for programs, but add nothing"},
    {'N', "now", NULL,
     "with remove: delete the files at once, not at the first add or remove after a reboot"},
    {'j', "json", NULL, "print JSON"},
    {0},
};

static const struct cua_manual_option no_options[] = {{0}};

const struct cua_manual cua_manual[] = {
    {
        "status",
        "which libcuda a process gets here, and why",
        "[OPTION]...",
        "Shows which libcuda a process gets here, and why: the drivers found, the GPUs, the "
        "decision with its reason, what the loader alone would take and what its cuInit would "
        "answer, and whether cuarbiter is active here.",
        status_options,
        "0: the process gets a libcuda that works; 1: none works; 2: wrong usage, or a file or "
        "folder "
        "does not exist; 3: not known; 4: no NVIDIA driver here.",
        "",
    },
    {
        "inspect",
        "a libcuda file's version, CUDA and supported branches",
        "[--json] FILE...",
        "Shows a file's version, CUDA version, build-id, SONAME, NVIDIA's note on forward "
        "compatibility, and whether the companion libraries are in the same folder. Nothing is "
        "loaded.",
        inspect_options,
        "0: all files are usable; 1: one is not a usable libcuda; 2: wrong usage, or a file does "
        "not exist.",
        "FILE",
    },
    {
        "trial",
        "call cuInit of one file in a child process",
        "[OPTION]... FILE",
        "Calls cuInit of this libcuda in a child process, without LD_PRELOAD, and prints what it "
        "answers. Companion libraries come from the file's own folder. A child that does not "
        "answer in time is killed; if that fails, it is left running and reported.",
        trial_options,
        "0: cuInit and the queries for GPUs answer 0; 1: one answers another code, or the file "
        "cannot be tried; 2: wrong usage, or the file does not exist; 3: no answer in time, or no "
        "child process could be "
        "started.",
        "FILE",
    },
    {
        "run",
        "run a command with cuarbiter",
        "[OPTION]... [--] COMMAND [ARGUMENT]...",
        "Runs a command with cuarbiter's library in LD_PRELOAD, in front of what is there already.",
        run_options,
        RUN_EXIT("wrong usage, or a FILE does not exist"),
        "COMMAND",
    },
    {
        "explain",
        "what a reason code or a CUDA error means, and what to do",
        "CODE...\n--list",
        "CODE is a reason code of status or of the log (newer-brand), or a CUDA error: its number "
        "(803), its name (cudaErrorSystemDriverMismatch, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH), or a "
        "line that a program printed, in quotes. Upper and lower case are the same.",
        explain_options,
        "0: explained; 1: a code is not known; 2: wrong usage.",
        "CODE",
    },
    {
        "doctor",
        "which libcuda each process of a command got, and what cuInit answered",
        "[--json [--output FILE]] [--] COMMAND [ARGUMENT]...",
        "Runs a command with cuarbiter and reports for each of its processes which libcuda and "
        "companion libraries it got and why, what cuInit answered, which problems the GPU code of "
        "its loaded files has, and what the errors that it printed mean. The report goes to "
        "standard error.\ncuInit is watched by an LD_AUDIT module, which needs glibc 2.35 or "
        "later; with an older glibc the report says so, and shows no answers of cuInit.",
        doctor_options,
        RUN_EXIT("wrong usage"),
        "COMMAND",
    },
    {
        "report",
        "one file for a bug report",
        "[--output FILE]",
        "Prints what a bug report needs, as Markdown: versions, the system, the output of status "
        "as text and as JSON, files that the loader reads, and those environment variables that "
        "concern CUDA, the loader and cuarbiter, no others. On a machine with a GPU it also tries "
        "each driver in a child process; that part can become an entry in docs/hardware.md. Read "
        "the report before you pass it on.\nIn a container do not use --output, and let the host "
        "write the file:\n  docker run ... --entrypoint /opt/cuarbiter/cuarbiter IMAGE report "
        ">report.md",
        report_options,
        "0: done; 2: wrong usage; 3: nothing could be found out.",
        "",
    },
    {
        "matrix",
        "images on machines: which pairs work",
        "--images DIR... --machines FILE [OPTION]...",
        "Shows for every unpacked image on every machine which libcuda a process would get, and "
        "whether it works. Nothing is loaded or tried. Each machine's own libcuda counts as "
        "mounted. Variables of your own environment are not used for the images.\nA machine is a "
        "line of the CSV file. Several GPUs are joined by semicolons, and so are their compute "
        "capabilities, in the same order; the last two fields may be empty:\n  "
        "a100,535.161.07,A100;A100,8.0;8.0,12.4\nWORKS: whether CUDA works with cuarbiter. "
        "LIBCUDA: the file that a process gets. WITHOUT: what cuInit would answer without "
        "cuarbiter (-: not known). HOOK: the same if NVIDIA's hook enable-cuda-compat runs when "
        "the container starts, as in container toolkit 1.20. REASON: pass it to explain.\n--json "
        "prints an array of what status --json prints, with the members machine and image.",
        matrix_options,
        "0: every pair works; 1: at least one does not; 2: wrong usage, or a file or folder does "
        "not "
        "exist; 3: for at least one it is not known.",
        "",
    },
    {
        "code",
        "whether the GPU code in files runs on a driver and a GPU",
        "[OPTION]... PATH...",
        "Shows which GPU code in files and folders can run with a driver and a GPU: this machine's "
        "GPU and the libcuda that cuarbiter chooses here, unless you name others. Reads the "
        "headers of ELF files, .fatbin, .cubin and .ptx, also inside wheels, zips, tars and saved "
        "images; nothing is loaded. A module is a piece of code that a program loads as a whole. "
        "The driver runs or compiles it, or it fails with 222 (its PTX is too new), 200 "
        "(compressed in a way that the driver cannot read) or 209 (it has no code for this GPU); "
        "of a file with 'part' some modules fail. A whole file fails with 35 if the driver is too "
        "old for its CUDA runtime, and every file with 100 if the driver does not support the "
        "GPU.\nA Python package, and a folder, get one line, with the worst result of their files. "
        "Several GPUs and drivers make a table of each GPU with each driver.\nIt is not known "
        "which modules a program uses, or what it compiles while it runs: 'ok?' for a file does "
        "not promise that it works.",
        code_options,
        "0: no problem found, or only 209 where another file of the package has code for the GPU; "
        "1: a problem; 2: wrong usage, or a file or folder of an option does not exist; 3: the GPU "
        "or "
        "the driver is not known, or a file is not understood or cannot be read.",
        "FILE",
    },
    {
        "driver",
        "add a driver that neither the image nor the host has",
        "[OPTION]... add CUDA|VERSION|FILE|FOLDER\n"
        "[OPTION]... add --auto|--for-gpu MODEL... --kmd VERSION --cuda X.Y\n"
        "[--store DIR] [--json] list|check|try [VERSION]...\n"
        "[--store DIR] [--now] remove VERSION...\n"
        "[--store DIR] export VERSION [FILE]\n"
        "[OPTION]... import FILE",
        "add stores a newer libcuda with its companion libraries in the folder drivers beside "
        "cuarbiter's files (if installed from a package: /var/lib/cuarbiter/drivers), or, if you "
        "cannot write there, in ~/.local/share/cuarbiter/drivers. For a CUDA version (13.2) or a "
        "driver version (595.45.04) it downloads NVIDIA's own archive with curl and checks its "
        "checksum before it unpacks it. You can also pass an archive that you downloaded elsewhere "
        "(.tar.xz, .deb, .rpm, .conda), or a folder that has the libraries in it, in compat or in "
        "lib. cuarbiter ships nothing of NVIDIA's: you download it, under NVIDIA's "
        "licence.\n--auto and --for-gpu choose by the same rules as status: of the archives that "
        "are certain to work on every GPU, the one with the lowest CUDA version that is enough for "
        "the program. They add none if the host's own driver has that CUDA major version.\nA "
        "program gets an added driver where nothing else runs it, or if CUARBITER_LIBCUDA names "
        "it:\n  cuarbiter driver add 13.2\n  "
        "CUARBITER_LIBCUDA=/opt/cuarbiter/drivers/595.45.04/libcuda.so.1\nIf programs that get an "
        "added driver now would get the new one instead, add says which and asks first; without a "
        "terminal it needs --yes.\ncheck reads every file "
        "again and finds damage, but no manipulation: who can write there can change the checksums "
        "too. try runs a small kernel on each GPU of this machine with an added driver, in a child "
        "process, and keeps the answer: where the kernel ran on every GPU, programs get the driver "
        "as if its note listed this machine, and where it failed they do not. remove keeps the "
        "files until the next boot of this machine, because programs that use the driver may still "
        "open "
        "its PTX compiler. export writes a driver to one file "
        "(.tar.zst, .tar.xz, .tar.gz or .tar), for a machine without network; import adds it "
        "there, if it is as its manifest says.\nCUARBITER_DRIVER_MIRROR names another "
        "server to download NVIDIA's archives from.",
        driver_options,
        "0: done; 1: refused or failed, or list or check finds a driver that is damaged, "
        "incomplete "
        "or cannot be used, or try finds one that does not run; 2: wrong usage.",
        "add list check try remove export import",
    },
    {
        "summary",
        "which libcuda the processes of many hosts got, from their log folder",
        "[OPTION]... FOLDER",
        "Summarises the log files in a folder that CUARBITER_LOG_FILE named: how many processes "
        "asked for libcuda, of which programs and on how many hosts, which libcuda they got, and "
        "what cuInit of the loader's choice answers; after a dry run (CUARBITER_POLICY=report) "
        "also which one they would have got. Similar processes form a group, and the largest group "
        "comes first. Reads every *.jsonl file there: HOST-UID.jsonl of processes, reports.jsonl "
        "of "
        "cuarbiter node collect, and containers.jsonl of the hook, in which each container counts "
        "by "
        "its latest line. Links are not followed, and lines that are incomplete or not log lines "
        "are counted and skipped.\nThe JSON has the members "
        "processes, programs, hosts, users, first, last, dry, changed, lines, unknown, containers, "
        "off, left, bring, full, unread, and groups with processes, exe, hosts, policy, reason, "
        "got, from, to and without; exe, policy, reason, from, to and without are as in "
        "log.schema.json.\n  CUARBITER_POLICY=report CUARBITER_LOG_FILE=/var/log/cuarbiter "
        "python train.py\n  cuarbiter summary /var/log/cuarbiter",
        summary_options,
        "0: done; 2: wrong usage, or the folder does not exist; 3: a file cannot be read, or "
        "the logs have neither a process nor a container.",
        "FILE",
    },
    {
        "cdi",
        "a CDI specification for podman, containerd, CRI-O and Docker",
        "[--dir DIR] [--name NAME] [--output FILE]\n"
        "[--dir DIR] --merge [--dry-run] [FILE]...\n"
        "[--dir DIR] --merge --watch\n"
        "--remove [--dry-run] [FILE]...",
        "Prints a CDI specification. A container that asks for the device cuarbiter/shim=on gets "
        "cuarbiter in every process, through the OCI hook (cuarbiter help hook); its own "
        "LD_PRELOAD and /etc/ld.so.preload stay in force.\nWith --merge, cuarbiter is added to "
        "other specifications, so that every container that asks for one of their devices gets it "
        "too. Without FILE these are, if they exist, nvidia.yaml in /etc/cdi and /var/run/cdi, and "
        "in the latter k8s.device-plugin.nvidia.com-gpu.json and management.nvidia.com-gpu.yaml. "
        "Everything else in these files stays as it is; a file that is not a valid specification "
        "is refused.\n  cuarbiter cdi --dir /opt/cuarbiter --output /etc/cdi/cuarbiter.json",
        cdi_options,
        "0: done; 1: failed; 2: wrong usage, or a file or folder does not exist or cannot be "
        "opened.",
        "FILE",
    },
    {
        "dockerfile",
        "the Dockerfile lines that put cuarbiter into an image",
        "[OPTION]...",
        "Prints the Dockerfile lines FROM, COPY, ENTRYPOINT and CMD that add cuarbiter to an "
        "image; the image's own ENTRYPOINT and CMD still run. Reads from standard input what "
        "docker inspect, podman inspect or buildah inspect prints for one image:\n  docker inspect "
        "IMAGE | cuarbiter dockerfile",
        dockerfile_options,
        "0: done; 1: the input does not describe an image; 2: wrong usage.",
        "",
    },
    {
        "install",
        "put cuarbiter into an unpacked image, for every process in it",
        "--root DIR [--dry-run] [--yes]",
        "Copies cuarbiter's three files to /opt/cuarbiter/VERSION in DIR and adds the library to "
        "DIR's /etc/ld.so.preload, so that an LD_PRELOAD in the image still works. Before that, it "
        "starts the image's own loader with the library as a test; if the test fails, nothing is "
        "changed. Running it again is harmless. Other installed versions stay, for programs that "
        "are running with them.",
        install_options,
        "0: done, or nothing to do; 1: failed; 2: wrong usage, or DIR does not exist.",
        "",
    },
    {
        "uninstall",
        "remove what install added",
        "--root DIR [--dry-run] [--yes]",
        "First removes the library from /etc/ld.so.preload, then every version from "
        "/opt/cuarbiter. Files there that are not cuarbiter's stay, and are listed. Programs that "
        "are already running keep the library; if they open libcuda after this, they get the one "
        "that ld.so finds.",
        install_options,
        "0: done, or nothing to do; 1: failed; 2: wrong usage, or DIR does not exist.",
        "",
    },
    {
        "node",
        "add cuarbiter to every GPU container of this node",
        "[--dir DIR] on|print|nri\n[--dir DIR] print-oci [FILE]\n"
        "[--dir DIR] check [--json] [--sysroot ROOT]\noff|collect",
        "on tests the hook (cuarbiter help hook) in a container that it makes for that. If the "
        "hook works, it writes cuarbiter.json to /etc/containers/oci/hooks.d and "
        "/usr/share/containers/oci/hooks.d, one of which podman and CRI-O read, and creates "
        "/etc/cuarbiter/site/cuarbiter.conf if there is none. off removes cuarbiter.json. check "
        "tests the hook, and lists the ways in which containers of this node can ask for a GPU: "
        "whether the hook reaches them, why, and what you can do; then the drivers added with "
        "cuarbiter driver add, and which programs in containers can get them. print prints "
        "cuarbiter.json. "
        "print-oci prints the hook for a runtime's configuration, or prints FILE (config.json, a "
        "base runtime specification) with the hook added.\ncollect stays, and writes what "
        "processes of containers got to /var/log/cuarbiter/reports.jsonl, one line for each "
        "process, "
        "with the container's ID; cuarbiter summary counts these lines. Containers that start "
        "later see its socket as "
        "/opt/cuarbiter/reports/socket. "
        "nri is a plugin for NRI, by which containerd (1.7 and later) adds the hook to each new "
        "container of a pod; it serves until containerd closes the connection.\nEven if "
        "cuarbiter's files are lost or "
        "broken, every container starts: a shell runs the hook for a second at most and always "
        "ends with 0.",
        node_options,
        "0: done; 1: failed, or the hook does not work here or does not reach all containers; 2: "
        "wrong usage, or a folder does not exist; 3: check could not find out.",
        "on off check collect print print-oci nri",
    },
    {
        "hook",
        "add cuarbiter to a container that an engine is about to start",
        "[--dir DIR] [--always] [--log FILE]",
        "This is an OCI createContainer hook: a container engine starts it, with the container's "
        "state on standard input. A container with a GPU gets copies of cuarbiter's three files on "
        "a read-only tmpfs at /opt/cuarbiter, the node's folder /etc/cuarbiter/site as "
        "/opt/cuarbiter/site, the drivers that were brought to the node (cuarbiter help driver), "
        "read-only, and one more line in its /etc/ld.so.preload (mounted, so the image's "
        "file is not changed). In case of doubt the container starts as it would without the "
        "hook.\nA container can refuse cuarbiter with CUARBITER_POLICY=off in its environment, or "
        "with the annotation cuarbiter-policy, whatever its value.",
        hook_options,
        "0: done; 2: wrong usage.",
        "",
    },
    {
        "path",
        "print the path of libcuarbiter.so, for LD_PRELOAD",
        "",
        "Prints the path of cuarbiter's library:\n  LD_PRELOAD=$(cuarbiter path) python train.py",
        no_options,
        "0: done; 2: wrong usage; 125: the library's path cannot be used in LD_PRELOAD, or one of "
        "cuarbiter's files is missing.",
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
