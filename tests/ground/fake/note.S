/* SPDX-License-Identifier: Apache-2.0 */
/* .note.cuda.fwd_compatibility as NVIDIA's compat drivers carry it: type 0, one NUL at the end.
 * NOTE_JSON is a quoted string. */
    .section .note.cuda.fwd_compatibility, "a", %note
    .p2align 2
    .long 2f - 1f
    .long 4f - 3f
    .long 0
1:  .asciz "NVIDIA Corporation"
2:  .p2align 2
3:  .ascii NOTE_JSON
    .byte 0
4:  .p2align 2
    .section .note.GNU-stack, "", %progbits
