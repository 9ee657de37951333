/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dlopen and dlmopen. ld.so searches on behalf of the object that the return address lies in: its
 * RPATH or RUNPATH, its $ORIGIN, its namespace. A wrapper that called the next dlopen would put the
 * shim in the caller's place; so the name is chosen and then the next one is jumped to, with the
 * return address untouched. In C a tail call is lost at -O0 and under some options, without a word.
 *
 * cua_pick_* return struct cua_pick in rax (path) and rdx (next).
 */
    .text

    .globl dlopen
    .type dlopen, @function
    .p2align 4
dlopen: /* rdi path, esi flags */
    .cfi_startproc
    endbr64
    pushq %rsi
    .cfi_adjust_cfa_offset 8
    movq 8(%rsp), %rdx
    call cua_pick_dlopen
    popq %rsi
    .cfi_adjust_cfa_offset -8
    movq %rax, %rdi
    jmp *%rdx
    .cfi_endproc
    .size dlopen, . - dlopen

    .globl dlmopen
    .type dlmopen, @function
    .p2align 4
dlmopen: /* rdi namespace, rsi path, edx flags */
    .cfi_startproc
    endbr64
    pushq %rdi
    .cfi_adjust_cfa_offset 8
    pushq %rdx
    .cfi_adjust_cfa_offset 8
    movq 16(%rsp), %rcx
    subq $8, %rsp
    .cfi_adjust_cfa_offset 8
    call cua_pick_dlmopen
    addq $8, %rsp
    .cfi_adjust_cfa_offset -8
    movq %rdx, %rcx
    popq %rdx
    .cfi_adjust_cfa_offset -8
    popq %rdi
    .cfi_adjust_cfa_offset -8
    movq %rax, %rsi
    jmp *%rcx
    .cfi_endproc
    .size dlmopen, . - dlmopen

    .section .note.GNU-stack, "", @progbits

/* Indirect branch tracking and shadow stack: the linker keeps the marks only if every input has
 * them, and crti.o has none, hence -nostartfiles. */
    .section .note.gnu.property, "a", @note
    .p2align 3
    .long 4          /* name size */
    .long 16         /* description size */
    .long 5          /* NT_GNU_PROPERTY_TYPE_0 */
    .asciz "GNU"
    .long 0xc0000002 /* GNU_PROPERTY_X86_FEATURE_1_AND */
    .long 4
    .long 3          /* IBT | SHSTK */
    .long 0
