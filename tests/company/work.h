/* SPDX-License-Identifier: Apache-2.0 */
/* What every program of this folder does with the libcuda that it got. */
#ifndef CUA_COMPANY_WORK_H
#define CUA_COMPANY_WORK_H

struct work {
    struct {
        int (*init)(unsigned);
        int (*version)(int *);
        int (*retain)(void **, int);
    } call;
    int need, init, cuda, context;
    const char *file;
    void *from;
};

/* Calls in the order of a runtime: 35 where the driver's CUDA is older than what is needed. */
void work(struct work *got);
/* The same by the symbols that the object is linked with. */
void linked_run(struct work *got);
void plugin_run(struct work *got);

#endif
