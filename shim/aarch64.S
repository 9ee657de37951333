/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All of the shim's assembly: dlopen, dlmopen, system calls, and clone for the keeper (keeper.h).
 *
 * dlopen and dlmopen: see x86_64.S for why they jump to the next dlopen and do not call it.
 *
 * cua_pick_* return struct cua_pick in x0 (path) and x1 (next). The jump goes through x16: only by
 * x16 or x17 may `br` enter a function that begins with `bti c`. `bti` and `pac` instructions are
 * written as `hint` with a number, which assemblers without pointer authentication accept, too. Old
 * processors ignore these hints.
 */
    .section .text.entry, "ax", %progbits

    .macro ENTRY name, path, caller
    .globl \name
    .type \name, %function
    .p2align 4
\name:
    .cfi_startproc
    hint #34 /* bti c */
    mov \caller, x30
    hint #25 /* paciasp */
    .cfi_negate_ra_state
    stp x29, x30, [sp, #-48]!
    .cfi_def_cfa_offset 48
    .cfi_offset x29, -48
    .cfi_offset x30, -40
    mov x29, sp
    stp x0, x1, [sp, #16]
    str x2, [sp, #32]
    bl cua_pick_\name
    mov x16, x1
    mov x17, x0
    ldp x0, x1, [sp, #16]
    ldr x2, [sp, #32]
    mov \path, x17
    ldp x29, x30, [sp], #48
    .cfi_restore x29
    .cfi_restore x30
    .cfi_def_cfa_offset 0
    hint #29 /* autiasp */
    .cfi_negate_ra_state
    br x16
    .cfi_endproc
    .size \name, . - \name
    .endm

    ENTRY dlopen, x0, x2  /* in: x0 path, w1 flags; x2 gets the caller */
    ENTRY dlmopen, x1, x3 /* in: x0 namespace, x1 path, w2 flags; x3 gets the caller */

/* long cua_syscall(long number, long a, long b, long c, long d, long e, long f): syscalls.h. */
    .section .text.syscall, "ax", %progbits
    .globl cua_syscall
    .hidden cua_syscall
    .type cua_syscall, %function
    .p2align 4
cua_syscall:
    .cfi_startproc
    hint #34 /* bti c */
    mov x8, x0
    mov x0, x1
    mov x1, x2
    mov x2, x3
    mov x3, x4
    mov x4, x5
    mov x5, x6
    svc #0
    ret
    .cfi_endproc
    .size cua_syscall, . - cua_syscall

/* long cua_clone(unsigned long flags, void *stack, void (*run)(void *), void *arg): syscalls.h. The
 * child has no frame to return to: .cfi_undefined ends its backtrace. */
    .section .text.clone, "ax", %progbits
    .globl cua_clone
    .hidden cua_clone
    .type cua_clone, %function
    .p2align 4
cua_clone:
    .cfi_startproc
    hint #34 /* bti c */
    mov x9, x2
    mov x10, x3
    mov x2, xzr
    mov x3, xzr
    mov x4, xzr
    mov x8, #220 /* clone */
    svc #0
    cbnz x0, 1f
    .cfi_undefined x30
    mov x29, xzr
    mov x30, xzr
    mov x0, x10
    blr x9
    brk #1
1:  ret
    .cfi_endproc
    .size cua_clone, . - cua_clone

    .section .note.GNU-stack, "", %progbits

/* Declares that branch targets and return addresses are protected. The linker drops such a property
 * unless every input file has it. */
    .section .note.gnu.property, "a", %note
    .p2align 3
    .word 4          /* name size */
    .word 16         /* description size */
    .word 5          /* NT_GNU_PROPERTY_TYPE_0 */
    .asciz "GNU"
    .word 0xc0000000 /* GNU_PROPERTY_AARCH64_FEATURE_1_AND */
    .word 4
    .word 3          /* BTI | PAC */
    .word 0
