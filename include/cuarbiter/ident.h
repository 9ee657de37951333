/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A version that can be read from a file without loading it, as what(1) finds it. One source of a
 * library says CUA_IDENT("shim").
 */
#ifndef CUARBITER_IDENT_H
#define CUARBITER_IDENT_H

#define CUA_IDENT_MARK "@(#)cuarbiter "

#define CUA_IDENT(what)                                                                            \
    static const char cua_ident[] __attribute__((used)) = CUA_IDENT_MARK what " " CUA_VERSION

#endif
