/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dlopen and dlmopen; see entry_x86_64.S for why they jump and never call.
 *
 * cua_pick_* return struct cua_pick in x0 (path) and x1 (next). The jump goes through x16, the
 * register from which `br` may enter a function that begins with `bti c`. The hints are written as
 * numbers, so that assemblers without pointer authentication take them; old processors ignore them.
 */
    .text

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

    ENTRY dlopen, x0, x2  /* x0 path, w1 flags */
    ENTRY dlmopen, x1, x3 /* x0 namespace, x1 path, w2 flags */

    .section .note.GNU-stack, "", %progbits

/* Branch targets and return addresses are protected: kept only if every input says so. */
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
