/* SPDX-License-Identifier: Apache-2.0 */
/* What an earlier answerer decided, as the text that the shim keeps: it comes back through a
 * program that may change it. */
#include "unit.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "root.h"
#include "decide/decision.h"

/* The recalled decisions live as long as the process: each test adds some. */
static char texts[128][PATH_MAX + 80];
static size_t count;

static void take(void *data, const char *text)
{
    (void)data;
    assert_true(count < 128);
    assert_true(strlen(text) < sizeof(texts[0]));
    strcpy(texts[count++], text);
}

static size_t kept(void)
{
    count = 0;
    cua_decisions_each(take, NULL);
    return count;
}

static void skips_what_is_no_decision(void **state)
{
    static char longest[2 * PATH_MAX] = "1:2:0:3:/";
    static const char *const none[] = {
        "", ":", "x", "1:2:3", "1:2:0:3", "1:2:0:", "1:2:0:x:/a", "1::0:3:/a", "/a", longest,
    };

    (void)state;
    memset(longest + strlen(longest), 'x', sizeof(longest) - strlen(longest) - 1);
    for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++) {
        cua_decision_recall(none[i]);
        if (kept())
            fail_msg("text %zu is a decision: %s", i, texts[0]);
    }
}

static void gives_back_what_it_was_given(void **state)
{
    static const char *const some[] = {
        "1:2:0:0:/opt/libcuda.so.1",
        "ffffffffffffffff:ffffffffffffffff:1:ffffffffffffffff:/a:b:c",
        "0:0:0:0:",
    };

    (void)state;
    for (size_t i = 0; i < 3; i++)
        cua_decision_recall(some[i]);
    assert_int_equal(kept(), 3);
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(texts[i], some[i]);
}

static void knows_a_file_by_what_it_is(void **state)
{
    char *root = root_make(), text[PATH_MAX], path[PATH_MAX];

    (void)state;
    root_text(root, "/chosen", "x");
    root_text(root, "/other", "x");
    root_link(root, "/link", "chosen");
    snprintf(text, sizeof(text), "1:2:0:0:%s/chosen", root);
    snprintf(path, sizeof(path), "%s/chosen", root);
    assert_false(cua_decision_chose(path));
    cua_decision_recall(text);
    assert_true(cua_decision_chose(path));
    snprintf(path, sizeof(path), "%s/link", root);
    assert_true(cua_decision_chose(path));
    snprintf(path, sizeof(path), "%s/other", root);
    assert_false(cua_decision_chose(path));
    assert_false(cua_decision_chose("/nowhere"));
    root_remove(root);
}

/* As many as may be made; a program that sends more gains nothing. */
static void takes_a_limited_number(void **state)
{
    char text[64];

    (void)state;
    for (unsigned i = 0; i < 1000; i++) {
        snprintf(text, sizeof(text), "%x:%x:0:0:/a", i, i);
        cua_decision_recall(text);
    }
    assert_int_equal(kept(), 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skips_what_is_no_decision),
        cmocka_unit_test(gives_back_what_it_was_given),
        cmocka_unit_test(knows_a_file_by_what_it_is),
        cmocka_unit_test(takes_a_limited_number),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
