/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The entry point of the portable command (floor=portable), instead of crt1.o. The crt1.o of glibc
 * 2.34 and later needs __libc_start_main@GLIBC_2.34; this file uses the symbol's first version,
 * which every glibc has.
 */
        .symver __libc_start_main, __libc_start_main@GLIBC_2.2.5

        .text
        .globl  _start
        .type   _start, @function
_start:
        .cfi_startproc
        .cfi_undefined rip              /* the outermost frame */
        endbr64
        xorl    %ebp, %ebp
        movq    %rdx, %r9               /* the function of ld.so to call at exit */
        popq    %rsi                    /* argc */
        movq    %rsp, %rdx              /* argv */
        andq    $-16, %rsp
        pushq   %rax                    /* keeps the stack aligned */
        pushq   %rsp                    /* where the stack ends */
        xorl    %r8d, %r8d              /* no function for destructors: ld.so runs them */
        leaq    cua_start_constructors(%rip), %rcx
        leaq    main(%rip), %rdi
        call    *__libc_start_main@GOTPCREL(%rip)
        hlt
        .cfi_endproc
        .size   _start, . - _start

        .section .note.GNU-stack, "", @progbits
