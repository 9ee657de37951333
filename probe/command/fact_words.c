/* SPDX-License-Identifier: Apache-2.0 */
#include "command/fact_words.h"

#include <stdio.h>

#include "base/version.h"

const char *cua_word_fact(enum cua_fact fact)
{
    static const char *const words[] = {
        [CUA_FACT_NOTHING] = "",        [CUA_FACT_KMD] = "kernel-driver",
        [CUA_FACT_LOADER] = "loader",   [CUA_FACT_TOOLKIT] = "program",
        [CUA_FACT_TABLES] = "tables",   [CUA_FACT_NATIVE] = "native",
        [CUA_FACT_UMDS] = "candidates", [CUA_FACT_GPUS] = "gpus",
        [CUA_FACT_MPS] = "mps",         [CUA_FACT_CIRCUMSTANCES] = "circumstances",
        [CUA_FACT_AGREED] = "agreed",   [CUA_FACT_BROUGHT] = "brought",
        [CUA_FACT_TRIAL] = "trial",     [CUA_FACT_LOADS] = "loads"};

    return words[fact];
}

const char *cua_word_flavour(enum cua_kmd_flavour flavour)
{
    return flavour == CUA_KMD_OPEN ? "open" : "proprietary";
}

const char *cua_word_platform(enum cua_platform platform)
{
    static const char *const words[] = {[CUA_PLATFORM_NONE] = "none",
                                        [CUA_PLATFORM_LINUX] = "linux",
                                        [CUA_PLATFORM_WSL] = "wsl",
                                        [CUA_PLATFORM_TEGRA] = "tegra"};

    return words[platform];
}

const char *cua_word_state(enum cua_umd_state state)
{
    static const char *const words[] = {
        [CUA_UMD_USABLE] = "usable",         [CUA_UMD_STUB] = "stub",
        [CUA_UMD_DAMAGED] = "damaged",       [CUA_UMD_ARCH] = "wrong-arch",
        [CUA_UMD_UNREADABLE] = "unreadable", [CUA_UMD_FOREIGN] = "foreign"};

    return words[state];
}

const char *cua_word_toolkit(enum cua_toolkit_kind kind)
{
    static const char *const words[] = {[CUA_TOOLKIT_NONE] = "none",
                                        [CUA_TOOLKIT_HINT] = "hint",
                                        [CUA_TOOLKIT_LEAST] = "least",
                                        [CUA_TOOLKIT_EXACT] = "exact"};

    return words[kind];
}

const char *cua_word_found(unsigned n)
{
    static const char *const words[] = {"library-path", "cache",  "default", "well-known", "compat",
                                        "mount",        "mapped", "named",   "brought"};

    return n < sizeof words / sizeof *words ? words[n] : NULL;
}

const char *cua_dotted(unsigned number)
{
    static char texts[4][12];
    static unsigned next;
    char *text = texts[next++ % 4];

    if (number >= 1000)
        return cua_cuda_text(number, text);
    snprintf(text, sizeof(*texts), "%u.%u", number / 10, number % 10);
    return number ? text : NULL;
}
