/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The messages between the shim and the answerer: one question and its answer. The shim is the
 * library that is preloaded into a program. It executes the answerer, which decides which file a
 * dlopen request gets.
 *
 * A message is a sequence of records; each record is a letter, a text and a NUL. The first record
 * has the frame number (CUA_FRAME); in an answer a CUA_ANSWERS_TRIAL may come before it. The last
 * record is an END. A message with another frame number, or without an END, is ignored, and the
 * program goes on as without cuarbiter.
 *
 * Shim and answerer may come from different builds: a program that was started before an upgrade
 * has the old shim, and asks the new answerer. So raise CUA_FRAME when a record changes its
 * meaning, or when a new record must be understood. A new record that may be ignored needs no new
 * number.
 *
 * Numbers in records are hexadecimal; only seconds are decimal.
 *
 * The answerer is executed with an empty environment, and its own path is its only argument.
 */
#ifndef CUARBITER_FRAME_H
#define CUARBITER_FRAME_H

#define CUA_FRAME "1"

/* The answerer's descriptors for question and answer. Its descriptors 0 to 2 are /dev/null. If
 * there is no /dev/null, they are the root folder, opened with O_PATH. No other descriptor is
 * open. */
#define CUA_FD_QUESTION 3
#define CUA_FD_ANSWER   4

/* The records of a question. */
enum cua_says {
    CUA_SAYS_FRAME = 'Q', /* the first record: CUA_FRAME */
    CUA_SAYS_ASK = 'a',   /* one letter of enum cua_ask */
    CUA_SAYS_FLAGS = 'f', /* the flags, as given to dlopen */
    /* The name or path that was passed to dlopen. For CUA_ASK_LINKED: the path of the mapped
     * libcuda. For CUA_ASK_UNDONE: the path of the libcuda that was to be preloaded. For
     * CUA_ASK_ACTIVE: "". */
    CUA_SAYS_NAME = 'n',
    CUA_SAYS_WHY = 'y',    /* for CUA_ASK_UNDONE: why the program was not executed again */
    CUA_SAYS_CALLER = 'i', /* index of the OBJECT that called dlopen; 0: the program, or unknown */
    CUA_SAYS_PID = 'p',
    CUA_SAYS_LIST = 'l',    /* LD_LIBRARY_PATH when the shim was loaded; absent: not set */
    CUA_SAYS_HOME = 'h',    /* the folder of shim, answerer and command; no slash at its end */
    CUA_SAYS_GLIBC = 'g',   /* the version of the program's glibc, such as "2.36" */
    CUA_SAYS_EXE = 'e',     /* the target of /proc/self/exe */
    CUA_SAYS_STARTED = 'x', /* AT_EXECFN: the path that was executed */
    CUA_SAYS_WORD = 'w',    /* an argument of ld.so; only if ld.so itself was executed */
    CUA_SAYS_STDERR = 't',  /* present if standard error takes log lines (stderr.h) */
    CUA_SAYS_ENV = 'v',     /* an entry of the environment, NAME=VALUE, as it is now */
    /* An entry was left out or cut, so the answerer must not try a driver. */
    CUA_SAYS_ENV_CUT = 'V',
    CUA_SAYS_KEPT = 'k', /* a text that an earlier answer has sent as CUA_ANSWERS_KEPT */
    /* The l_name of a mapped object, "" for the program; the objects come in ld.so's order. Records
     * of the next four kinds are strings from the dynamic section of the object before them. */
    CUA_SAYS_OBJECT = 'o',
    CUA_SAYS_SONAME = 'S',
    CUA_SAYS_RPATH = 'R',
    CUA_SAYS_RUNPATH = 'P',
    CUA_SAYS_NEEDED = 'd',
    CUA_SAYS_AGAIN = '!', /* the list of objects has changed: all of them follow once more */
    CUA_SAYS_END = 'Z',   /* the last record */
};

enum cua_ask {
    CUA_ASK_NAMED = 'n',   /* a library of libraries.h is requested: which file is to be opened? */
    CUA_ASK_BROUGHT = 'b', /* some other library is requested: does it need libcuda? */
    CUA_ASK_LINKED = 'l',  /* the program was started with a libcuda mapped: is it the right one? */
    /* These two ask nothing, but are logged. ACTIVE: cuarbiter acts in this process. UNDONE: the
     * program could not be executed again with the file in CUA_SAYS_NAME. */
    CUA_ASK_ACTIVE = 'v',
    CUA_ASK_UNDONE = 'u',
};

/* The records of an answer. */
enum cua_answers {
    /* Optional, before all other records: a driver is now tried in a child process (a trial), so
     * the answer may take this many seconds longer. */
    CUA_ANSWERS_TRIAL = 'T',
    CUA_ANSWERS_FRAME = 'A', /* CUA_FRAME */
    /* Begins a row; the text is a library's name. The records up to the next row are about requests
     * for that library. The first row holds for the name and the caller in the question. The other
     * rows are for companions of the chosen libcuda (libraries that libcuda opens, see
     * libraries.h), and hold for every caller. */
    CUA_ANSWERS_ROW = 'r',
    CUA_ANSWERS_ACTION = 'a', /* one letter of enum cua_action; absent: CUA_LEAVE */
    CUA_ANSWERS_PATH = 'p',   /* the file to open: absolute; absent for CUA_LEAVE */
    CUA_ANSWERS_FILE = 'f',   /* device and inode of that file, with a colon between */
    CUA_ANSWERS_KEEP = '!',   /* the row also holds for later requests of its library */
    CUA_ANSWERS_KEPT =
        'k', /* a text to send with every later question; an answer's texts replace earlier ones */
    CUA_ANSWERS_LINE = 'L', /* a log line for standard error, with its newline */
    CUA_ANSWERS_END = 'Z',  /* the last record */
};

enum cua_action {
    CUA_LEAVE = 'l', /* pass the request on as it is */
    /* Open the row's path instead. For CUA_ASK_NAMED, and in the rows for companions. */
    CUA_RENAME = 'r',
    /* For CUA_ASK_BROUGHT: open the row's path with RTLD_LOCAL, then pass the request on. */
    CUA_FIRST = 'f',
    CUA_EXEC = 'e', /* for CUA_ASK_LINKED: execute the program again with the path preloaded */
};

/* Limit for an answer, in bytes; a longer one is ignored. */
#define CUA_ANSWER_MOST (64 * 1024)
/* Limit for a name, and for a kept text (CUA_ANSWERS_KEPT), in bytes, with the NUL. No question is
 * asked about a longer name. */
#define CUA_TEXT_MOST 8192
/* Limit for the environment in a question, in bytes. A variable that affects the decision is added
 * even beyond this limit, if its own length is within the limit. */
#define CUA_ENV_MOST (256 * 1024)
/* How long the shim waits for the answer, in milliseconds. During a trial (CUA_ANSWERS_TRIAL) only
 * the trial's own limit applies. */
#define CUA_IDLE_MOST 2000  /* while the answerer uses no CPU time */
#define CUA_TIME_MOST 10000 /* in all */

#endif
