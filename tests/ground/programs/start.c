/* SPDX-License-Identifier: Apache-2.0 */
/* crt1.o of glibc 2.34 and newer asks for __libc_start_main@GLIBC_2.34; this one does not. */
#include "floor.h"

#include <stdlib.h>

__asm__(".symver __libc_start_main, __libc_start_main@" CUA_FLOOR);

int main(int argc, char **argv);
int __libc_start_main(int (*main)(int, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end);
__attribute__((noreturn, used)) void cua_start(void **stack, void (*rtld_fini)(void));

#if defined(__x86_64__)
__asm__(".text\n.globl _start\n.type _start, @function\n_start:\n"
        "    xor %ebp, %ebp\n    mov %rsp, %rdi\n    mov %rdx, %rsi\n"
        "    and $-16, %rsp\n    call cua_start\n    hlt\n");
#else
__asm__(".text\n.globl _start\n.type _start, %function\n_start:\n"
        "    mov x29, #0\n    mov x30, #0\n    mov x1, x0\n    mov x0, sp\n    b cua_start\n");
#endif

void cua_start(void **stack, void (*rtld_fini)(void))
{
    __libc_start_main((int (*)(int, char **))main, (int)(long)stack[0], (char **)(stack + 1), NULL,
                      NULL, rtld_fini, stack);
    abort();
}
