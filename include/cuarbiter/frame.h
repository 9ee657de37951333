/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the shim and the answerer say to each other, which may come from different builds: a program
 * that was started before an upgrade asks afterwards. Question and answer are a row of records,
 * each a letter, a text and a NUL. The first record names the frame; what has another one, or lacks
 * its last record, is no question and no answer, and the program goes on as without cuarbiter.
 *
 * Raise CUA_FRAME when a record changes its meaning or a new one must be understood. A record that
 * may be ignored needs no new number. Numbers are hexadecimal, seconds decimal.
 *
 * The answerer is executed with nothing but these descriptors, no environment and its own path as
 * the only argument.
 */
#ifndef CUARBITER_FRAME_H
#define CUARBITER_FRAME_H

#define CUA_FRAME "1"

/* The answerer's descriptors; 0 to 2 are /dev/null, no other is open. */
#define CUA_FD_QUESTION 3
#define CUA_FD_ANSWER   4

/* What the question says. */
enum cua_says {
    CUA_SAYS_FRAME = 'Q',  /* first: CUA_FRAME */
    CUA_SAYS_ASK = 'a',    /* one letter of enum cua_ask */
    CUA_SAYS_FLAGS = 'f',  /* as given to dlopen */
    CUA_SAYS_NAME = 'n',   /* as the program gave it; LINKED: the l_name of the mapped libcuda */
    CUA_SAYS_WHY = 'y',    /* UNDONE: a sentence */
    CUA_SAYS_CALLER = 'i', /* which of the objects calls, counted from 0, the program */
    CUA_SAYS_PID = 'p',
    CUA_SAYS_LIST = 'l',  /* LD_LIBRARY_PATH as at start, which ld.so goes by; absent: not set */
    CUA_SAYS_HOME = 'h',  /* the folder of shim, answerer and command, without a slash at its end */
    CUA_SAYS_GLIBC = 'g', /* the program's release of glibc, as "2.36" */
    CUA_SAYS_EXE = 'e',   /* where /proc/self/exe leads */
    CUA_SAYS_STARTED = 'x', /* AT_EXECFN: what was executed, as it was called */
    CUA_SAYS_WORD = 'w',   /* of the command line, one each; only where ld.so was executed itself */
    CUA_SAYS_STDERR = 't', /* standard error takes lines */
    CUA_SAYS_ENV = 'v',    /* an entry of the environment as it is now, one each */
    CUA_SAYS_ENV_CUT = 'V', /* some are left out: no trial has the program's environment */
    CUA_SAYS_KEPT = 'k',    /* what earlier answers asked to be kept, one each */
    /* Each mapped object, in ld.so's order, by its l_name; the records behind it are its own. */
    CUA_SAYS_OBJECT = 'o',
    CUA_SAYS_SONAME = 'S',
    CUA_SAYS_RPATH = 'R',
    CUA_SAYS_RUNPATH = 'P',
    CUA_SAYS_NEEDED = 'd',
    CUA_SAYS_AGAIN = '!', /* the objects changed meanwhile: all of them follow once more */
    CUA_SAYS_END = 'Z',   /* last */
};

enum cua_ask {
    CUA_ASK_NAMED = 'n',   /* a library of the table was asked for by name: which file is it? */
    CUA_ASK_BROUGHT = 'b', /* does a library that is not mapped yet bring in libcuda? */
    CUA_ASK_LINKED = 'l',  /* the program was started with a libcuda: is it the right one? */
    /* No questions, but lines for the log: cuarbiter acts in this process; the program could not be
     * executed again with `name`. */
    CUA_ASK_ACTIVE = 'v',
    CUA_ASK_UNDONE = 'u',
};

/* What the answer says. */
enum cua_answers {
    /* May come first, at once: a trial begins, and the answer may take this many seconds more. */
    CUA_ANSWERS_TRIAL = 'T',
    CUA_ANSWERS_FRAME = 'A', /* CUA_FRAME */
    /* What to do with a name. The first row is about the name that was asked; the others are the
     * companions of the libcuda that was chosen, whoever asks for them. The records behind it are
     * its own. */
    CUA_ANSWERS_ROW = 'r',
    CUA_ANSWERS_ACTION = 'a', /* one letter of enum cua_action; absent: CUA_LEAVE */
    CUA_ANSWERS_PATH = 'p',   /* absolute; for every other action than CUA_LEAVE */
    CUA_ANSWERS_FILE = 'f',   /* device and inode of `path`, with a colon between */
    CUA_ANSWERS_KEEP = '!',   /* it holds for this name and caller from now on */
    CUA_ANSWERS_KEPT = 'k', /* to be sent along with every later question, one each; replaces all */
    CUA_ANSWERS_LINE = 'L', /* for standard error, with its newline */
    CUA_ANSWERS_END = 'Z',  /* last */
};

enum cua_action {
    CUA_LEAVE = 'l',  /* pass the request on as it is */
    CUA_RENAME = 'r', /* NAMED: open `path` instead */
    CUA_FIRST = 'f',  /* BROUGHT: open `path` first, RTLD_LOCAL, then go on with the request */
    CUA_EXEC = 'e',   /* LINKED: execute the program again with `path` preloaded */
};

/* An answer that is longer counts as none. */
#define CUA_ANSWER_MOST (64 * 1024)
/* A longer name is not asked about. Of more environment than this only what decides is sent. */
#define CUA_TEXT_MOST 8192
#define CUA_ENV_MOST  (256 * 1024)
/* Without progress, which is processor time of the answerer; and in all. Milliseconds. */
#define CUA_IDLE_MOST 2000
#define CUA_TIME_MOST 10000

#endif
