/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The entry point of the command, instead of crt1.o. The crt1.o of glibc 2.34 and later needs
 * __libc_start_main@GLIBC_2.34; this file uses the symbol's first version, which every glibc has.
 */
        .symver __libc_start_main, __libc_start_main@GLIBC_2.17

        .text
        .globl  _start
        .type   _start, %function
_start:
        .cfi_startproc
        .cfi_undefined x30              /* the outermost frame */
        hint    #34                     /* bti c, for assemblers that do not know it */
        mov     x29, #0
        mov     x30, #0
        mov     x5, x0                  /* the function of ld.so to call at exit */
        ldr     x1, [sp]                /* argc */
        add     x2, sp, #8              /* argv */
        mov     x6, sp                  /* where the stack ends */
        mov     x4, #0                  /* no function for destructors: ld.so runs them */
        adrp    x3, cua_start_constructors
        add     x3, x3, :lo12:cua_start_constructors
        adrp    x0, main
        add     x0, x0, :lo12:main
        bl      __libc_start_main
        brk     #0
        .cfi_endproc
        .size   _start, . - _start

        .section .note.GNU-stack, "", %progbits
