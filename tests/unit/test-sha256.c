/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 by the examples of FIPS 180-2, appendix B, by lengths about a block's end, and of a file.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"
#include "base/sha256.h"

static void check(const char *text, size_t size, size_t step, const char *wanted)
{
    struct cua_sha256 sum;
    char got[CUA_SHA256_TEXT];

    cua_sha256_begin(&sum);
    for (size_t at = 0; at < size; at += step)
        cua_sha256_add(&sum, text + at, size - at < step ? size - at : step);
    cua_sha256_end(&sum, got);
    assert_string_equal(got, wanted);
}

static void examples(void **state)
{
    static char a[1000000];
    static const char two[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";

    (void)state;
    check("", 0, 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    check("abc", 3, 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    check(two, 56, 7, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    memset(a, 'a', sizeof a);
    for (size_t step = 1; step < sizeof a; step = step * 4 + 1)
        check(a, sizeof a, step,
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* From coreutils' sha256sum, of as many times 'a'. */
static void ends_of_a_block(void **state)
{
    char a[128];

    (void)state;
    memset(a, 'a', sizeof a);
    check(a, 55, 9, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
    check(a, 56, 9, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a");
    check(a, 63, 9, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34");
    check(a, 64, 9, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
    check(a, 119, 9, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb");
    check(a, 120, 9, "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c");
}

static void a_file(void **state)
{
    char got[CUA_SHA256_TEXT];
    int fd = open("/dev/null", O_RDONLY);

    (void)state;
    assert_int_equal(cua_sha256_file(fd, got), 0);
    assert_string_equal(got, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    close(fd);
    assert_int_equal(cua_sha256_file(fd, got), -EBADF);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples),
        cmocka_unit_test(ends_of_a_block),
        cmocka_unit_test(a_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
