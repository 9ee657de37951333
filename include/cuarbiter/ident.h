/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Marks a binary with its name, version and frame number (frame.h). These can be read from the file
 * without loading or executing it. what(1) prints the first two. The shim and the answerer are
 * marked: one source file of each contains the macro, for example CUA_IDENT("shim").
 */
#ifndef CUARBITER_IDENT_H
#define CUARBITER_IDENT_H

#include "cuarbiter/frame.h"

#define CUA_IDENT_MARK  "@(#)cuarbiter "
#define CUA_IDENT_FRAME "frame " /* follows the NUL after the version */

/* Without these attributes compiler or linker may drop the mark, because nothing refers to it. */
#if __has_attribute(retain)
#define CUA_IDENT_KEPT __attribute__((used, retain))
#else
#define CUA_IDENT_KEPT __attribute__((used))
#endif

#define CUA_IDENT(what)                                                                            \
    static const char cua_ident[] CUA_IDENT_KEPT =                                                 \
        CUA_IDENT_MARK what " " CUA_VERSION "\0" CUA_IDENT_FRAME CUA_FRAME

#endif
