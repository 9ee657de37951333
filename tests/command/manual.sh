#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Manual pages and completions: well formed, and complete.

# shellcheck source=tests/command/lib.sh
. "$(dirname "$0")/lib.sh"
may_lack mandoc bash col

one=$build/docs/man/cuarbiter.1
seven=$build/docs/man/cuarbiter.7
for page in "$one" "$seven"; do
    is "$(mandoc -Tlint -Wwarning "$page" 2>&1)" '' "${page##*/}: lint"
done
text=$(mandoc -Tascii "$seven" | col -b)
for code in $("$cuarbiter" explain --list | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p') 803 804 222; do
    like "$text" "*
     $code*" "cuarbiter(7) has $code"
done
is "$(printf '%s' "$text" | grep '@.*@')" '' 'nothing left to fill in'

text=$(mandoc -Tascii -O width=1000 "$one" | col -b)
options_of() {
    "$cuarbiter" "$1" --help | grep -o '^  --[a-z0-9-]*' | tr -d ' ' | grep -v '^--help$'
}
offered() { # WORD...: what bash offers for the last one
    # shellcheck disable=SC2016
    bash -c '. "$1" && shift && COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) && _cuarbiter
        printf "%s\n" "${COMPREPLY[@]}"' bash "$build/docs/completions/cuarbiter" "$cuarbiter" "$@"
}
zsh=$(cat "$build/docs/completions/_cuarbiter")
fish=$(cat "$build/docs/completions/cuarbiter.fish")
verbs=$("$cuarbiter" --help | sed -n 's/^  \([a-z]*\)  *.*/\1/p')
for verb in $verbs; do
    like "$text" "*cuarbiter*$verb*" "cuarbiter(1) has $verb"
    like "$(offered "${verb%?}" | tr '\n' ' ')" "*$verb *" "bash completes $verb"
    like "$zsh" "*'$verb:*" "zsh completes $verb"
    like "$fish" "*-a $verb *" "fish completes $verb"
    for option in $(options_of "$verb"); do
        like "$(offered "$verb" "$option" | tr '\n' ' ')" "*$option *" "bash completes $verb $option"
        like "$zsh" "*${option}[[]*" "zsh completes $option"
        like "$fish" "* -l ${option#--} *" "fish completes $option"
        case $verb in
        status | inspect | trial | run | explain | matrix)
            like "$text" "*$option*" "cuarbiter(1) has $option"
            ;;
        esac
    done
done
like "$(offered explain newer-b | tr '\n' ' ')" '*newer-brand *' 'bash completes codes'
is "$(offered status --policy h)" host 'bash completes policies'
like " $(offered run -- tru | tr '\n' ' ')" '* true *' 'bash completes the command of run'
reads() { # SHELL FILE
    if command -v "$1" >/dev/null; then
        is "$("$1" -n "$build/docs/completions/$2" 2>&1)" '' "$1 reads it"
    else
        missing "$1 reads it" "no $1 here"
    fi
}
reads zsh _cuarbiter
reads fish cuarbiter.fish
finish
