/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All of the shim's assembly: dlopen, dlmopen, system calls, and clone for the keeper (keeper.h).
 *
 * dlopen and dlmopen. ld.so uses the RPATH or RUNPATH, $ORIGIN and namespace of the object that
 * contains the return address. If the shim called the next dlopen, that object would be the shim
 * instead of the caller. So these functions let cua_pick_dlopen or cua_pick_dlmopen (pick.c) choose
 * the name, and then jump to the next dlopen or dlmopen with the return address unchanged. They are
 * not in C, because such a tail call silently becomes a call at -O0 and under some options.
 *
 * cua_pick_* return struct cua_pick in rax (path) and rdx (next).
 */
    .section .text.entry, "ax", @progbits

    .macro ENTRY name, path, caller
    .globl \name
    .type \name, @function
    .p2align 4
\name:
    .cfi_startproc
    endbr64
    movq (%rsp), %\caller
    subq $24, %rsp
    .cfi_adjust_cfa_offset 24
    movq %rdi, (%rsp)
    movq %rsi, 8(%rsp)
    movq %rdx, 16(%rsp)
    call cua_pick_\name
    movq %rdx, %rcx
    movq (%rsp), %rdi
    movq 8(%rsp), %rsi
    movq 16(%rsp), %rdx
    addq $24, %rsp
    .cfi_adjust_cfa_offset -24
    movq %rax, %\path
    jmp *%rcx
    .cfi_endproc
    .size \name, . - \name
    .endm

    ENTRY dlopen, rdi, rdx  /* in: rdi path, esi flags; rdx gets the caller */
    ENTRY dlmopen, rsi, rcx /* in: rdi namespace, rsi path, edx flags; rcx gets the caller */

/* long cua_syscall(long number, long a, long b, long c, long d, long e, long f): syscalls.h. */
    .section .text.syscall, "ax", @progbits
    .globl cua_syscall
    .hidden cua_syscall
    .type cua_syscall, @function
    .p2align 4
cua_syscall:
    .cfi_startproc
    endbr64
    movq %rdi, %rax
    movq %rsi, %rdi
    movq %rdx, %rsi
    movq %rcx, %rdx
    movq %r8, %r10
    movq %r9, %r8
    movq 8(%rsp), %r9
    syscall
    ret
    .cfi_endproc
    .size cua_syscall, . - cua_syscall

/* long cua_clone(unsigned long flags, void *stack, void (*run)(void *), void *arg): syscalls.h. The
 * child has no frame to return to: .cfi_undefined ends its backtrace. */
    .section .text.clone, "ax", @progbits
    .globl cua_clone
    .hidden cua_clone
    .type cua_clone, @function
    .p2align 4
cua_clone:
    .cfi_startproc
    endbr64
    movq %rdx, %r9
    movq %rcx, %r8
    xorl %edx, %edx
    xorl %r10d, %r10d
    movl $56, %eax /* clone */
    syscall
    testq %rax, %rax
    jnz 1f
    .cfi_undefined rip
    xorl %ebp, %ebp
    movq %r8, %rdi
    call *%r9
    hlt
1:  ret
    .cfi_endproc
    .size cua_clone, . - cua_clone

    .section .note.GNU-stack, "", @progbits

/* Declares support for indirect branch tracking and shadow stacks. The linker drops such a property
 * unless every input file has it. */
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
