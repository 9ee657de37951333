/* SPDX-License-Identifier: Apache-2.0 */
#include "../fixtures/programs/floor.h"

#include <dlfcn.h>

#include "work.h"

__attribute__((visibility("hidden"))) void work(struct work *got)
{
    static Dl_info info;
    void *context;

    got->file = dladdr(*(void **)&got->call.init, &info) ? info.dli_fname : "-";
    got->init = got->call.init(0);
    got->call.version(&got->cuda);
    got->context = got->init ? got->init
                   /* Minor versions of one major run each other's code. */
                   : got->cuda / 1000 < got->need / 1000 ? 35
                                                         : got->call.retain(&context, 0);
}
