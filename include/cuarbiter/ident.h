/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a file is, its version and its frame (frame.h), to be read without loading or executing it,
 * as what(1) finds the first two. One source of shim and answerer says CUA_IDENT("shim").
 */
#ifndef CUARBITER_IDENT_H
#define CUARBITER_IDENT_H

#include "cuarbiter/frame.h"

#define CUA_IDENT_MARK  "@(#)cuarbiter "
#define CUA_IDENT_FRAME "frame " /* behind the version's NUL */

/* Nothing refers to it, and a linker may drop such sections. */
#if __has_attribute(retain)
#define CUA_IDENT_KEPT __attribute__((used, retain))
#else
#define CUA_IDENT_KEPT __attribute__((used))
#endif

#define CUA_IDENT(what)                                                                            \
    static const char cua_ident[] CUA_IDENT_KEPT =                                                 \
        CUA_IDENT_MARK what " " CUA_VERSION "\0" CUA_IDENT_FRAME CUA_FRAME

#endif
