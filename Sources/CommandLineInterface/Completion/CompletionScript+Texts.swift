// SPDX-License-Identifier: GPL-2.0-or-later
// Generated from completions/ by 'make completions'.

extension CompletionScript {
    package static let texts = [
        "_blectl": ##"""
        #compdef blectl
        # SPDX-License-Identifier: GPL-2.0-or-later
        #
        # The completion of zsh. blectl itself says what can stand at the cursor.

        _blectl() {
          local ret=1 line="${(j: :)words[1,CURRENT-1]} $QIPREFIX$PREFIX"
          # The answer: what stays of the word, what is typed after it, a pattern of files, and what is expected; then words,
          # each with its meaning after a tab.
          local -a lines=("${(@f)$(${~words[1]} help --complete=$line 2>/dev/null)}")
          (( $#lines > 3 )) || return
          [[ -n $lines[1] ]] && compset -P "${(b)lines[1]}"
          local -a found=("${(@)${(@)${(@)lines[5,-1]//\\/\\\\}//:/\\:}/$'\t'/:}")
          if (( $#lines > 4 )); then
            _describe -t words $lines[4] found -M 'm:{a-zA-Z}={A-Za-z} r:|[_-]=* r:|=*' && ret=0
          fi
          case $lines[3] in
            ('') ;;
            ('*') _files && ret=0 ;;
            (*) _files -g "$lines[3](-.)" && ret=0 ;;
          esac
          (( ret )) && _message -e words $lines[4]
          return ret
        }

        # Loaded by compinit, this file is the body of the function; sourced, it only defines it.
        if [[ $funcstack[1] == _blectl ]]; then
          _blectl "$@"
        else
          compdef _blectl blectl
        fi
        """##,
        "blectl.bash": ##"""
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
        """##,
        "blectl.fish": ##"""
        # SPDX-License-Identifier: GPL-2.0-or-later
        #
        # The completion of fish. blectl itself says what can stand at the cursor.

        function __blectl_complete
            set -l program (string replace -r '^~' "$HOME" -- (commandline -opc)[1])
            # The answer: what stays of the word, what is typed after it, a pattern of files, and what is expected; then words,
            # each with its meaning after a tab.
            set -l lines ($program help --complete=(commandline -cp | string collect) 2>/dev/null)
            # fish would look for the letters of an option anywhere in others.
            if test "$lines[4]" = option
                set lines $lines[1..4] (string match -- "$lines[2]*" $lines[5..-1])
            end
            if test (count $lines) -gt 4
                printf '%s\n' $lines[1]$lines[5..-1]
            end
            if test -n "$lines[3]"
                for file in (__fish_complete_path $lines[2])
                    set -l path (string split -m 1 \t -- $file)[1]
                    if string match -q -- '*/' $path; or string match -q -- $lines[3] $path
                        printf '%s\n' $lines[1]$file
                    end
                end
            end
        end

        complete -c blectl -f -a '(__blectl_complete)'
        """##,
    ]
}
