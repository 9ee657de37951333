/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs while building, on the machine that builds: prints the completions for bash, zsh or fish
 * from the table that --help and the manual are made of.
 */
#include <stdio.h>
#include <string.h>

#include "cli/manual.h"

#define POLICIES "auto report newest host compat off"
#define LEVELS   "error warn info debug"

/* The options of a verb that are offered, one after the other. */
static const struct cua_manual_option *next_told(const struct cua_manual_option *row)
{
    while (row->help ? !row->name : row->name != NULL)
        row++;
    return row->name ? row : NULL;
}

#define EACH_OPTION(row, verb)                                                                     \
    for (const struct cua_manual_option *row = next_told((verb)->options); row;                    \
         row = next_told(row + 1))
#define EACH_VERB(verb)                                                                            \
    for (const struct cua_manual *verb = cua_manual; verb < cua_manual + cua_manual_count; verb++)

/* A short description that may stand between quotes and brackets of every shell. */
static void print_plain(const char *text)
{
    for (; *text; text++)
        if (!strchr("'[]:\\\"$`", *text))
            putchar(*text);
}

static int is(const char *value, const char *kind)
{
    return value && strcmp(value, kind) == 0;
}

/* An operand that is one of these words. */
static int is_list(const char *operand)
{
    return *operand >= 'a' && *operand <= 'z';
}

static void bash_value(const char *value)
{
    const char *words = is(value, "POLICY")  ? "-W \"" POLICIES "\""
                        : is(value, "LEVEL") ? "-W \"" LEVELS "\""
                        : is(value, "FILE")  ? "-f"
                        : is(value, "DIR")   ? "-d"
                        : is(value, "PID")   ? "-W \"$(cd /proc 2>/dev/null && echo [0-9]*)\""
                                             : NULL;
    if (words)
        printf("        mapfile -t COMPREPLY < <(compgen %s -- \"$cur\")\n", words);
    puts("        return\n        ;;");
}

static void bash(void)
{
    puts("# SPDX-License-Identifier: Apache-2.0\n"
         "# shellcheck shell=bash\n"
         "# bash completion for cuarbiter. Codes are asked of the command itself.\n"
         "_cuarbiter_codes() {\n"
         "    \"${1:-cuarbiter}\" explain --list 2>/dev/null | awk '/^  [a-z0-9]/ { print $1 }'\n"
         "}\n"
         "\n"
         "_cuarbiter() {\n"
         "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
         "    local verb=${COMP_WORDS[1]} words='' files i\n"
         "    COMPREPLY=()\n"
         "    if [ \"$COMP_CWORD\" = 1 ]; then");
    fputs("        mapfile -t COMPREPLY < <(compgen -W \"", stdout);
    EACH_VERB(verb)
    printf("%s ", verb->name);
    puts("--help --version\" -- \"$cur\")\n"
         "        return\n"
         "    fi\n"
         "    # What is run completes as if it stood alone.\n"
         "    case $verb in\n"
         "    run | doctor)\n"
         "        for ((i = 2; i < COMP_CWORD; i++)); do\n"
         "            if [ \"${COMP_WORDS[i]}\" = -- ]; then\n"
         "                if declare -F _command_offset >/dev/null; then\n"
         "                    _command_offset $((i + 1))\n"
         "                elif [ $((i + 1)) = \"$COMP_CWORD\" ]; then\n"
         "                    mapfile -t COMPREPLY < <(compgen -c -- \"$cur\" | sort -u)\n"
         "                else\n"
         "                    mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
         "                fi\n"
         "                return\n"
         "            fi\n"
         "        done\n"
         "        ;;\n"
         "    esac\n"
         "    case \"$verb $prev\" in");
    EACH_VERB(verb)
    EACH_OPTION(row, verb)
    {
        if (!row->value)
            continue;
        printf("    '%s --%s')\n", verb->name, row->name);
        bash_value(row->value);
    }
    puts("    esac\n"
         "    case $verb in");
    EACH_VERB(verb)
    {
        printf("    %s) words=\"", verb->name);
        EACH_OPTION(row, verb)
        printf("--%s ", row->name);
        printf("--help%s%s\" ;;\n", is_list(verb->operand) ? " " : "",
               is_list(verb->operand)         ? verb->operand
               : is(verb->operand, "COMMAND") ? " --"
               : is(verb->operand, "CODE")    ? " $(_cuarbiter_codes \"${COMP_WORDS[0]}\")"
                                              : "");
    }
    puts("    esac\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
         "    case $verb in");
    EACH_VERB(verb)
    if (is(verb->operand, "FILE") || is(verb->operand, "COMMAND"))
        printf("    %s) files=yes ;;\n", verb->name);
    puts("    matrix) files=yes ;; # --images takes several\n"
         "    esac\n"
         "    if [ -n \"$files\" ] && [[ $cur != -* ]]; then\n"
         "        mapfile -t files < <(compgen -f -- \"$cur\")\n"
         "        COMPREPLY+=(\"${files[@]}\")\n"
         "    fi\n"
         "}\n"
         "\n"
         "complete -o filenames -F _cuarbiter cuarbiter");
}

static const char *zsh_value(const char *value)
{
    return is(value, "POLICY")  ? "(" POLICIES ")"
           : is(value, "LEVEL") ? "(" LEVELS ")"
           : is(value, "FILE")  ? "_files"
           : is(value, "DIR")   ? "_files -/"
           : is(value, "PID")   ? "_pids"
                                : "";
}

static void zsh(void)
{
    puts("#compdef cuarbiter\n"
         "# SPDX-License-Identifier: Apache-2.0\n"
         "\n"
         "_cuarbiter_codes() {\n"
         "    local -a codes\n"
         "    codes=(${(f)\"$(_call_program codes $service explain --list 2>/dev/null |\n"
         "        awk '/^  [a-z0-9]/ { code = $1; $1 = \"\"; print code \":\" substr($0, 2) "
         "}')\"})\n"
         "    _describe 'code' codes\n"
         "}\n"
         "\n"
         "_cuarbiter() {\n"
         "    local -a verbs\n"
         "    local curcontext=$curcontext state line\n"
         "    verbs=(");
    EACH_VERB(verb)
    {
        printf("        '%s:", verb->name);
        print_plain(verb->summary);
        puts("'");
    }
    puts("    )\n"
         "    _arguments -C '(- *)--help[help]' '(- *)--version[version]' '1:verb:->verb' "
         "'*::argument:->rest'\n"
         "    case $state in\n"
         "    verb) _describe 'verb' verbs ;;\n"
         "    rest)\n"
         "        case $line[1] in");
    EACH_VERB(verb)
    {
        printf("        %s)\n            _arguments", verb->name);
        EACH_OPTION(row, verb)
        {
            printf(" \\\n                '*--%s[", row->name);
            print_plain(row->help);
            printf(row->value ? "]:%s:%s'" : "]'", row->value, zsh_value(row->value));
        }
        printf(" \\\n                '--help[this text]'%s%s%s\n            ;;\n",
               is(verb->operand, "FILE")      ? " '*:file:_files'"
               : is(verb->operand, "CODE")    ? " '*:code:_cuarbiter_codes'"
               : is(verb->operand, "COMMAND") ? " '*::command:_normal'"
               : is_list(verb->operand)       ? " ':word:("
                                              : "",
               is_list(verb->operand) ? verb->operand : "", is_list(verb->operand) ? ")'" : "");
    }
    puts("        esac\n"
         "        ;;\n"
         "    esac\n"
         "}\n"
         "\n"
         "_cuarbiter \"$@\"");
}

static const char *fish_value(const char *value)
{
    return is(value, "POLICY")  ? " -x -a '" POLICIES "'"
           : is(value, "LEVEL") ? " -x -a '" LEVELS "'"
           : is(value, "FILE")  ? " -r -F"
           : is(value, "DIR")   ? " -x -a '(__fish_complete_directories)'"
           : is(value, "PID")   ? " -x -a '(__fish_complete_pids)'"
           : value              ? " -x"
                                : "";
}

static void fish(void)
{
    fputs("# SPDX-License-Identifier: Apache-2.0\n"
          "set -l verbs",
          stdout);
    EACH_VERB(verb)
    printf(" %s", verb->name);
    puts("\n"
         "\n"
         "function __cuarbiter_codes\n"
         "    cuarbiter explain --list 2>/dev/null | string match -r '^  [a-z0-9]\\S*' | string "
         "trim\n"
         "end\n"
         "\n"
         "complete -c cuarbiter -f\n"
         "complete -c cuarbiter -n \"not __fish_seen_subcommand_from $verbs\" -l version -d "
         "version\n"
         "complete -c cuarbiter -l help -d 'this text'");
    EACH_VERB(verb)
    {
        printf("complete -c cuarbiter -n \"not __fish_seen_subcommand_from $verbs\" -a %s -d '",
               verb->name);
        print_plain(verb->summary);
        puts("'");
    }
    EACH_VERB(verb)
    {
        EACH_OPTION(row, verb)
        {
            printf("complete -c cuarbiter -n '__fish_seen_subcommand_from %s' -l %s%s -d '",
                   verb->name, row->name, fish_value(row->value));
            print_plain(row->help);
            puts("'");
        }
        const char *operand = is(verb->operand, "FILE")   ? "-F"
                              : is(verb->operand, "CODE") ? "-a '(__cuarbiter_codes)'"
                              : is(verb->operand, "COMMAND")
                                  ? "-x -a '(__fish_complete_subcommand)'"
                                  : NULL;
        if (operand)
            printf("complete -c cuarbiter -n '__fish_seen_subcommand_from %s' %s\n", verb->name,
                   operand);
        if (is_list(verb->operand))
            printf("complete -c cuarbiter -n '__fish_seen_subcommand_from %s' -x -a '%s'\n",
                   verb->name, verb->operand);
    }
}

int main(int argc, char **argv)
{
    const char *shell = argc == 2 ? argv[1] : "";

    if (is(shell, "bash"))
        bash();
    else if (is(shell, "zsh"))
        zsh();
    else if (is(shell, "fish"))
        fish();
    else
        return 2;
    return fflush(stdout) || ferror(stdout);
}
