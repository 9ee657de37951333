/* SPDX-License-Identifier: Apache-2.0 */
#include "command/driver/carry.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/jsonout.h"
#include "cli/options.h"
#include "store/export.h"

int cua_driver_export(const struct cua_driver_options *options, char **words, int count)
{
    struct cua_version version;
    struct cua_store store;
    char own[128];
    size_t length;
    bool written;

    if (count < 1 || count > 2)
        return cua_usage(options->verb,
                         "export takes VERSION [FILE]; 'cuarbiter driver list' shows the versions");
    length = cua_version_parse(&version, words[0]);
    if (!cua_driver_store(&store, options))
        return cua_driver_failed(store.path[0] ? store.path : "driver", &store);
    snprintf(own, sizeof own, "cuarbiter-driver-%s-%s.tar.zst", version.text, cua_package_arch());
    if (!length || words[0][length])
        written = cua_store_refuse(&store, "not a driver version like 595.45.04");
    else if (!cua_store_look(&store) || store.fd < 0)
        written =
            store.why[0] ? false : cua_store_refuse(&store, "%s does not have it", store.path);
    else
        written = cua_export(&store, words[0], count > 1 ? words[1] : own);
    cua_store_close(&store);
    if (!written)
        return cua_driver_failed(words[0], &store);
    if (options->json) {
        cua_jsonout_open(NULL, '{');
        cua_jsonout_text("version", words[0]);
        cua_jsonout_text("file", count > 1 ? words[1] : own);
        cua_jsonout_close('}');
    } else {
        printf("%s was written\n", cua_shown(count > 1 ? words[1] : own));
    }
    return 0;
}

int cua_driver_import(struct cua_driver_options *options, char **words, int count)
{
    if (count != 1 || options->find)
        return cua_usage(options->verb,
                         "import takes only a file that 'cuarbiter driver export' wrote");
    if (options->add.url)
        return cua_usage(options->verb, "--url is for 'add'; import takes only the file");
    options->add.imports = true;
    return cua_driver_add(options, words, count);
}
