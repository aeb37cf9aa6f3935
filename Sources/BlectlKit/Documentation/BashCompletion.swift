// SPDX-License-Identifier: GPL-2.0-or-later

/// The completion script of bash. It requires version 4.4, but not the package bash-completion.
enum BashCompletion {
    static var script: String {
        #"""
        # SPDX-License-Identifier: GPL-2.0-or-later
        # \#(GeneratedFile.notice)
        # shellcheck shell=bash

        # Prints the words of a kind: names, adapters.
        _blectl_names() {
            case $1 in
                adapter) (cd /sys/class/bluetooth 2>/dev/null && compgen -G 'hci*') ;;
                service) echo '\#(Completion.serviceName.words.joined(separator: " "))' ;;
                target) echo '\#(Completion.target.words.joined(separator: " "))' ;;
            esac
        }

        # Prints the options of a command, or those that may stand before one.
        _blectl_options() {
            case $1 in
        \#(optionsOfCommands)
                *) echo '\#(list(CompletionScript.sharedOptions))' ;;
            esac
        }

        # Offers those of the words $1 that begin with $2, each behind $3.
        _blectl_offer() {
            mapfile -t COMPREPLY < <(compgen -P "$3" -W "$1" -- "$2")
        }

        # Offers files whose names begin with $1.
        _blectl_offer_files() {
            mapfile -t COMPREPLY < <(compgen -f -- "$1")
            compopt -o filenames 2>/dev/null
        }

        # Offers targets: a characteristic, or one behind a service and a slash.
        _blectl_offer_targets() {
            local before=
            [[ $1 == */* ]] && before=${1%/*}/
            _blectl_offer "$(_blectl_names target)" "${1#"$before"}" "$before"
        }

        # Offers values of the option $1 that begin with $2, each behind $3.
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
                    option=
                elif [[ ! $ended && $word == -- ]]; then
                    ended=yes
                elif [[ ! $ended && $word =~ ^-[\#(CompletionScript.flagLetters)]*[\#(CompletionScript.valueLetters)]$ ]]; then
                    option=-${word: -1}
                elif [[ ! $ended && $word =~ ^--(\#(CompletionScript.valueNames.joined(separator: "|")))$ ]]; then
                    option=$word
                elif [[ $ended || $word != -[!0-9.]* ]]; then
                    if [[ $command ]]; then argument+=1; else command=$word; fi
                fi
            done

            if [[ $option ]]; then
                _blectl_offer_values "$option" "$current" ''
            elif [[ ! $ended && $current == --*=* ]]; then
                option=${current%%=*}
                # Readline replaces what is behind the sign, unless the user has changed at what it splits words.
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
                    "        \(command.name.rawValue):\(argument.arity == .oneOrMore ? "*" : "\(index)")) \(offer) ;;"
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
        case .adapter: "_blectl_offer \"$(_blectl_names adapter)\" \"\(typed)\" \"\(before)\""
        case .file: "_blectl_offer_files \"\(typed)\""
        case .fileBehindAt: "if [[ \(typed) == @* ]]; then _blectl_offer_files \"${\(typed.dropFirst())#@}\"; fi"
        case .nothing, .format, .servedDevice:
            choices.isEmpty
                ? nil : "_blectl_offer '\(choices.joined(separator: " "))' \"\(typed)\" \"\(before)\""
        }
    }
}
