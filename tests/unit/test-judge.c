/* SPDX-License-Identifier: Apache-2.0 */
/* What is missing in a file that device linking made, and the list of its entries. */
#include "unit.h"

#include "command/code/judge.h"

static const struct cua_code_target v100 = {.cc = 70, .cuda = 12040, .compiler = 12040};

struct file {
    struct cua_code code;
    struct cua_code_module module;
};

static void begin(struct file *file)
{
    *file = (struct file){.code = {.path = "file.so", .targets = &v100, .count = 1}};
    assert_true(cua_code_begin(&file->module, &file->code));
}

static void take(struct file *file, enum cua_code_kind kind, unsigned sm)
{
    cua_code_take(&file->module,
                  &(struct cua_code_entry){
                      .kind = kind, .packed = cua_code_packings, .sm = sm, .version = 70});
}

/* Of binaries for these capabilities. */
static void add(struct file *file, enum cua_code_owner owner, unsigned first, unsigned second)
{
    file->module.owner = owner;
    take(file, CUA_CODE_ELF, first);
    take(file, CUA_CODE_ELF, second);
    cua_code_end_module(&file->module);
}

static void add_ptx(struct file *file)
{
    file->module.owner = CUA_OWNER_LINKED;
    take(file, CUA_CODE_PTX, 52);
    cua_code_end_module(&file->module);
}

static const struct cua_code_result *end(struct file *file)
{
    cua_code_end_file(&file->module);
    assert_true(file->code.result->end[CUA_CODE_209] >= file->code.result->aside);
    return file->code.result;
}

/* Those that are set aside are then not among the 209 anymore: no difference may be below 0. */
static void what_may_be_linked_anew_is_not_missing(void **state)
{
    struct file file;

    (void)state;
    begin(&file);
    add(&file, CUA_OWNER_RUNTIME, 70, 75);
    add(&file, CUA_OWNER_LINK, 52, 52);
    add_ptx(&file);
    const struct cua_code_result *result = end(&file);
    assert_int_equal(cua_code_missing(result), 0);
    assert_int_equal(result->verdict, CUA_CODE_SERVES);
    assert_int_equal(result->linked, 1);
    cua_code_free(&file.code);
}

static void it_hides_nothing_that_is_missing(void **state)
{
    struct file file;

    (void)state;
    begin(&file);
    add(&file, CUA_OWNER_RUNTIME, 70, 75);
    for (int i = 0; i < 2; i++)
        add(&file, CUA_OWNER_RUNTIME, 52, 60);
    for (int i = 0; i < 2; i++)
        add(&file, CUA_OWNER_LINK, 52, 52);
    add_ptx(&file);
    const struct cua_code_result *result = end(&file);
    assert_int_equal(cua_code_missing(result), 2);
    assert_int_equal(result->verdict, CUA_CODE_PART);
    cua_code_free(&file.code);
}

static void nor_is_it_among_those_for_later_gpus(void **state)
{
    struct file file;

    (void)state;
    begin(&file);
    add(&file, CUA_OWNER_RUNTIME, 70, 75);
    for (int i = 0; i < 11; i++)
        add(&file, CUA_OWNER_LINK, 75, 80);
    add_ptx(&file);
    const struct cua_code_result *result = end(&file);
    assert_int_equal(cua_code_missing(result), 0);
    cua_code_free(&file.code);
}

/* Without PTX a linked module is like others. */
static void what_cannot_be_linked_anew_is(void **state)
{
    struct file file;

    (void)state;
    begin(&file);
    add(&file, CUA_OWNER_RUNTIME, 70, 75);
    for (int i = 0; i < 11; i++)
        add(&file, CUA_OWNER_LINK, 75, 80);
    add(&file, CUA_OWNER_LINK, 52, 52);
    const struct cua_code_result *result = end(&file);
    assert_int_equal(cua_code_missing(result), 11);
    assert_int_equal(result->aside, 12);
    assert_int_equal(result->verdict, CUA_CODE_PART);
    cua_code_free(&file.code);
}

static void entries_are_kept_in_their_order(void **state)
{
    struct file file;

    (void)state;
    begin(&file);
    file.code.listed = true;
    for (unsigned i = 0; i < 1000; i++)
        take(&file, CUA_CODE_ELF, i);
    assert_int_equal(file.code.entries, 1000);
    for (unsigned i = 0; i < 1000; i++)
        assert_int_equal(file.code.list[i].sm, i);
    end(&file);
    cua_code_free(&file.code);
    assert_null(file.code.list);
}

static void too_many_are_not_known(void **state)
{
    struct file file;

    (void)state;
    begin(&file);
    file.code.listed = true;
    for (unsigned i = 0; i < (1u << 20) + 2; i++)
        take(&file, CUA_CODE_LTO, i);
    assert_int_equal(file.code.room, 1u << 20);
    assert_non_null(file.code.trouble);
    assert_int_equal(end(&file)->verdict, CUA_CODE_UNKNOWN);
    cua_code_free(&file.code);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_may_be_linked_anew_is_not_missing),
        cmocka_unit_test(it_hides_nothing_that_is_missing),
        cmocka_unit_test(nor_is_it_among_those_for_later_gpus),
        cmocka_unit_test(what_cannot_be_linked_anew_is),
        cmocka_unit_test(entries_are_kept_in_their_order),
        cmocka_unit_test(too_many_are_not_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
