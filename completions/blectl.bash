# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# The completion of bash from version 4.4, with or without the package bash-completion. blectl itself says what can stand
# at the cursor; this quotes it, because names of devices come over the air and must not be evaluated.

# Offers the word $1, of which $2 characters stand before what readline replaces, between quotes if $3 is one.
_blectl_offer() {
    local word=${1:$2}
    case $3 in
        \') word=${word//\'/\'\\\'\'} ;;
        \")
            word=${word//\\/\\\\}
            word=${word//\$/\\\$}
            word=${word//\`/\\\`}
            word=${word//\"/\\\"}
            ;;
        *)
            [[ $word == *[!-A-Za-z0-9_./:=,@%+]* ]] && printf -v word %q "$word"
            # A tilde that is typed at the beginning of a path stays one.
            [[ $1 == \~/* ]] && word=${word/#\\\~/\~}
            ;;
    esac
    # Readline closes a quote, but not after a word that ends with one.
    [[ $word == */ ]] || word+=$3
    COMPREPLY+=("$word")
}

_blectl() {
    local line=${COMP_LINE:0:COMP_POINT} replaced=$2 quote='' word
    local -i kept
    local -a lines
    COMPREPLY=()
    # Readline replaces the end of the word: after a quote, a colon or an equals sign, as the user has set it up.
    word=${line%"$replaced"}
    [[ ${word: -1} == [\'\"] ]] && quote=${word: -1} || replaced=${replaced//\\/}
    # The answer: what stays of the word, what is typed after it, a pattern of files, and what is expected; then words.
    mapfile -t lines < <("${1/#\~\//"$HOME/"}" help --complete="$line" 2>/dev/null)
    ((${#lines[@]} > 3)) || return
    kept=$((${#lines[0]} + ${#lines[1]} - ${#replaced}))
    ((kept < 0)) && kept=0
    for word in "${lines[@]:4}"; do
        word=${word%%$'\t'*}
        [[ ${word,,} == "${lines[1],,}"* ]] && _blectl_offer "${lines[0]}$word" $kept "$quote"
    done
    [[ ${lines[2]} ]] && while IFS= read -r word; do
        [[ -d ${word/#\~\//"$HOME/"} ]] && word+=/
        # shellcheck disable=SC2053
        [[ $word == */ || $word == ${lines[2]} ]] && _blectl_offer "${lines[0]}$word" $kept "$quote"
    done < <(compgen -f -- "${lines[1]}")
    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[/:=] ]] && compopt -o nospace 2>/dev/null
    return 0
}

complete -F _blectl blectl
