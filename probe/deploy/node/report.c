/* SPDX-License-Identifier: Apache-2.0 */
#include "deploy/node/report.h"

#include <stdio.h>
#include <string.h>

#include "cli/jsonout.h"
#include "cli/verb.h"

static const char *const reach_words[] = {"reached", "not reached", "not known"};

void cua_ways_print(const struct cua_ways *ways)
{
    if (!ways->engines)
        puts(
            "no podman, CRI-O or Docker, and no containerd that runs pods, was found on this node");
    else if (!ways->count)
        puts("no container engine is configured to give containers a GPU");
    for (size_t i = 0; i < ways->count; i++) {
        const struct cua_way *way = &ways->way[i];

        printf("%s%s%s%s: %s: %s, because %s\n", way->engine, way->version[0] ? " " : "",
               way->version, way->idle ? ", which does not run" : "", cua_shown(way->way),
               reach_words[way->reach], way->why);
        if (way->command && way->reach != CUA_REACHED)
            printf("    %s\n", way->command);
    }
}

void cua_ways_json(const struct cua_ways *ways, const char *hook, const char *policy)
{
    static const char *const words[] = {"yes", "no", "unknown"};

    cua_jsonout_text("hook", hook);
    cua_jsonout_bool("hooks_d", ways->hooks);
    cua_jsonout_text("policy", policy);
    cua_jsonout_number("specifications", ways->specs.there);
    cua_jsonout_number("specifications_with_hook", ways->specs.merged);
    cua_jsonout_open("ways", '[');
    for (size_t i = 0; i < ways->count; i++) {
        const struct cua_way *way = &ways->way[i];

        cua_jsonout_open(NULL, '{');
        cua_jsonout_text("engine", way->engine);
        cua_jsonout_text("version", way->version);
        cua_jsonout_bool("runs", !way->idle);
        cua_jsonout_string("way", way->way);
        cua_jsonout_text("reached", words[way->reach]);
        cua_jsonout_string("why", way->why);
        cua_jsonout_text("command", way->reach == CUA_REACHED ? NULL : way->command);
        cua_jsonout_close('}');
    }
    cua_jsonout_close(']');
}
