// SPDX-License-Identifier: GPL-2.0-or-later

/// The completion script of bash. It requires version 4.4, but not the package bash-completion.
enum BashCompletion {
    static var script: String {
        #"""
        # SPDX-License-Identifier: GPL-2.0-or-later
        # \#(GeneratedFile.notice)
        # shellcheck shell=bash

        # Prints the words of a kind: services, adapters.
        _blectl_names() {
            case $1 in
                adapter) (cd /sys/class/bluetooth 2>/dev/null && compgen -G 'hci*') ;;
                service) echo '\#(Completion.serviceName.words.joined(separator: " "))' ;;
            esac
        }

        # Offers adapters for the typed word $1, which may name some already, each after $2.
        _blectl_offer_adapters() {
            local name given= names=
            [[ $1 == *,* ]] && given=${1%,*},
            for name in $(_blectl_names adapter); do
                [[ ,$given == *,$name,* ]] || names+="$given$name "
            done
            [[ $given ]] || names+=\#(AdapterSelection.allWord)
            _blectl_offer "$names" "$1" "$2"
        }

        # Prints the options of a command, or those that may stand before one.
        _blectl_options() {
            case $1 in
        \#(optionsOfCommands)
                *) echo '\#(list(CompletionScript.sharedOptions))' ;;
            esac
        }

        # Offers those of the words $1 that begin with $2, each after $3.
        _blectl_offer() {
            mapfile -t COMPREPLY < <(compgen -P "$3" -W "$1" -- "$2")
        }

        # Asks blectl for words: $1 is what to offer. The device and --simulate are those of the line.
        _blectl_ask() {
            local -a arguments=(help "--offer=$1")
            [[ $device ]] && arguments+=("--offer-of=$device")
            [[ $simulate ]] && arguments+=("$simulate")
            "${program/#\~\//"$HOME/"}" "${arguments[@]}" 2>/dev/null
        }

        # Prints the typed word $1 without its quoting. Nothing in it is evaluated.
        _blectl_plain() {
            case $1 in
                [\'\"]*) printf '%s' "${1:1}" ;;
                *) printf '%s' "${1//\\/}" ;;
            esac
        }

        # Prints the complete word $1 without its quoting.
        _blectl_unquoted() {
            local word
            word=$(_blectl_plain "$1")
            [[ $1 == [\'\"]* ]] && word=${word%"${1:0:1}"}
            printf '%s' "$word"
        }

        # Quotes the word $2 as the typed word $1 is quoted, in the variable quoted. Names of devices come over the air, so
        # that they may be meant to be evaluated by a shell.
        _blectl_quote() {
            case $1 in
                \'*) quoted=${2//\'/\'\\\'\'} ;;
                \"*)
                    quoted=${2//\\/\\\\}
                    quoted=${quoted//\$/\\\$}
                    quoted=${quoted//\`/\\\`}
                    quoted=${quoted//\"/\\\"}
                    ;;
                *) printf -v quoted %q "$2" ;;
            esac
        }

        # Offers remembered devices that begin with the typed word $1, each after $2.
        _blectl_offer_devices() {
            local word quoted
            while IFS=$'\t' read -r word _; do
                _blectl_quote "$1" "$word"
                # Readline closes a quote, but not after a name that ends with one.
                [[ $1 == [\'\"]* ]] && quoted+=${1:0:1}
                # Readline replaces what is after the last colon, unless the user has changed at what it splits words.
                if [[ $1 == [!\'\"]*:* && $COMP_WORDBREAKS == *:* ]]; then
                    local typed=${1%:*}:
                    quoted=${quoted:${#typed}}
                fi
                COMPREPLY+=("$2$quoted")
            done < <(_blectl_ask "devices:$(_blectl_plain "$1")")
        }

        # Offers files that begin with the typed path $1, each after $2. $3 is the quote before it, if it is quoted. With $4,
        # offers folders, and files whose names end in it.
        _blectl_offer_files() {
            local path=$1 file quoted
            [[ $3 ]] || path=$(_blectl_plain "$1")
            while IFS= read -r file; do
                [[ -d ${file/#\~\//"$HOME/"} ]] && file+=/
                [[ $file == */ || $file == *"$4" ]] || continue
                _blectl_quote "$3" "$file"
                # A tilde that is typed at the beginning stays one.
                [[ $file == \~/* ]] && quoted=${quoted/#\\\~/\~}
                COMPREPLY+=("$2$quoted")
            done < <(compgen -f -- "$path")
            [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == */ ]] && compopt -o nospace 2>/dev/null
        }

        # Offers sockets for the typed word $1: unix: and a path, each after $2.
        _blectl_offer_sockets() {
            if [[ $1 == unix:* ]]; then
                local before=$2unix:
                [[ $COMP_WORDBREAKS == *:* ]] && before=
                _blectl_offer_files "${1#unix:}" "$before" ''
            else
                _blectl_offer unix: "$1" "$2"
                compopt -o nospace 2>/dev/null
            fi
        }

        # Offers values to write: a file after an at sign.
        _blectl_offer_written() {
            case $1 in
                [\'\"]@*) _blectl_offer_files "${1:2}" @ "${1:0:1}" ;;
                @*) _blectl_offer_files "${1:1}" @ '' ;;
            esac
        }

        # Offers targets that begin with $1.
        _blectl_offer_targets() {
            mapfile -t COMPREPLY < <(_blectl_ask "targets:$1")
        }

        # Offers values of the option $1 that begin with $2, each after $3.
        _blectl_offer_values() {
            case $1 in
        \#(valuesOfOptions)
            esac
        }

        # Offers what the command $1 takes as its argument number $2, beginning with $3.
        _blectl_offer_arguments() {
            case $1:$2 in
        \#(argumentsOfCommands)
            esac
        }

        _blectl() {
            local word current before='' command='' option='' ended='' i
            local program=${COMP_WORDS[0]} device=$\#(DeviceSpec.device.spec.environment ?? "") simulate=''
            local -i argument=0
            local -a words=()
            COMPREPLY=()
            ((COMP_CWORD > 0)) || return

            # Readline splits words at '=', ':' and '@', too; put them together again.
            for ((i = 1; i <= COMP_CWORD; i++)); do
                word=${COMP_WORDS[i]}
                if ((${#words[@]})) && [[ $word == [=:]* || ${words[-1]} == *[=:] || ${words[-1]} == @ ]]; then
                    words[-1]+=$word
                else
                    words+=("$word")
                fi
            done
            current=${words[-1]}
            unset 'words[-1]'

            # Find the command, the number of its argument, and an option that waits for its value.
            for word in "${words[@]}"; do
                if [[ $option ]]; then
                    case $option in
                        \#(CompletionScript.deviceForms.joined(separator: " | "))) device=$(_blectl_unquoted "$word") ;;
                    esac
                    option=
                elif [[ ! $ended && $word == -- ]]; then
                    ended=yes
                elif [[ ! $ended && $word =~ ^-[\#(CompletionScript.flagLetters)]*[\#(CompletionScript.valueLetters)]$ ]]; then
                    option=-${word: -1}
                elif [[ ! $ended && $word =~ ^--(\#(CompletionScript.valueNames.joined(separator: "|")))$ ]]; then
                    option=$word
                elif [[ ! $ended && $word == --device=* ]]; then
                    device=$(_blectl_unquoted "${word#*=}")
                elif [[ ! $ended && $word == -d?* ]]; then
                    device=$(_blectl_unquoted "${word#-d}")
                elif [[ ! $ended && $word == --simulate?(=*) ]]; then
                    simulate=--simulate
                elif [[ $ended || $word != -[!0-9.]* ]]; then
                    if [[ $command ]]; then argument+=1; else command=$word; fi
                fi
            done

            if [[ $option ]]; then
                _blectl_offer_values "$option" "$current" ''
            elif [[ ! $ended && $current == --*=* ]]; then
                option=${current%%=*}
                # Readline replaces what is after the sign, unless the user has changed at what it splits words.
                [[ $COMP_WORDBREAKS == *=* ]] || before=$option=
                _blectl_offer_values "$option" "${current#*=}" "$before"
            elif [[ ! $ended && $current == -* ]]; then
                _blectl_offer "$(_blectl_options "$command")" "$current" ''
            elif [[ ! $command ]]; then
                _blectl_offer '\#(CommandName.allCases.map(\.rawValue).joined(separator: " "))' "$current" ''
            else
                _blectl_offer_arguments "$command" "$argument" "$current"
            fi
        }

        complete -F _blectl blectl

        """#
    }

    private static var optionsOfCommands: String {
        CommandTable.commands.map { command in
            let options = command.shownOptions + command.groups.flatMap(\.options)
            return "        \(command.name.rawValue)) echo '\(list(options))' ;;"
        }.joined(separator: "\n")
    }

    private static var valuesOfOptions: String {
        CompletionScript.options.compactMap { option in
            option.value.flatMap { offer($0, typed: "$2", before: "$3") }.map { offer in
                "        \(option.forms.joined(separator: " | "))) \(offer) ;;"
            }
        }.joined(separator: "\n")
    }

    private static var argumentsOfCommands: String {
        CommandTable.commands.flatMap { command in
            command.arguments.enumerated().compactMap { index, argument in
                offer(argument.value, typed: "$3", before: "").map { offer in
                    "        \(command.name.rawValue):\(argument.arity.takesAll ? "*" : "\(index)")) \(offer) ;;"
                }
            }
        }.joined(separator: "\n")
    }

    private static func list(_ options: [OptionSpec]) -> String {
        options.flatMap(\.forms).joined(separator: " ")
    }

    /// The shell command that offers words for a value; `nil` if there is nothing to offer.
    private static func offer(_ value: ValueSpec, typed: String, before: String) -> String? {
        let choices = value.choices.isEmpty ? value.completion.words : value.choices.map(\.word)
        return switch value.completion {
        case .target: "_blectl_offer_targets \"\(typed)\""
        case .serviceName: "_blectl_offer \"$(_blectl_names service)\" \"\(typed)\" \"\(before)\""
        case .adapter: "_blectl_offer_adapters \"\(typed)\" \"\(before)\""
        case .device: "_blectl_offer_devices \"\(typed)\" \"\(before)\""
        case .socket: "_blectl_offer_sockets \"\(typed)\" \"\(before)\""
        case .file: "_blectl_offer_files \"\(typed)\" \"\(before)\" ''"
        case .fileEnding(let suffix): "_blectl_offer_files \"\(typed)\" \"\(before)\" '' \(suffix)"
        case .fileBehindAt: "_blectl_offer_written \"\(typed)\""
        case .servedDevice:
            "_blectl_offer '\(choices.joined(separator: " "))' \"\(typed)\" \"\(before)\"; "
                + "_blectl_offer_files \"\(typed)\" \"\(before)\" ''"
        case .nothing, .format, .advertisedForm:
            choices.isEmpty
                ? nil : "_blectl_offer '\(choices.joined(separator: " "))' \"\(typed)\" \"\(before)\""
        }
    }
}
