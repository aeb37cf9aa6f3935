// SPDX-License-Identifier: GPL-2.0-or-later

/// The completion script of fish.
enum FishCompletion {
    static var script: String {
        #"""
        # SPDX-License-Identifier: GPL-2.0-or-later
        # \#(GeneratedFile.notice)

        # Prints the words before the cursor that are neither options nor their values.
        function __blectl_words
            set -l waits no
            set -l ended no
            for word in (commandline -opc)[2..-1]
                if test $waits = yes
                    set waits no
                else if test $ended = yes
                    echo -- $word
                else if test "$word" = --
                    set ended yes
                else if string match -qr -- '^(-[\#(CompletionScript.flagLetters)]*[\#(CompletionScript.valueLetters)]|--(\#(CompletionScript.valueNames.joined(separator: "|"))))$' "$word"
                    set waits yes
                else if not string match -qr -- '^-[^0-9.]' "$word"
                    echo -- $word
                end
            end
        end

        # Whether the command is one of these; an empty one stands for none yet.
        function __blectl_command
            set -l words (__blectl_words)
            contains -- "$words[1]" $argv
        end

        # Whether the cursor is at argument $argv[2] of the command $argv[1], or after it if there is a third word.
        function __blectl_argument
            set -l words (__blectl_words)
            test "$words[1]" = $argv[1]
            and test (count $words) -eq $argv[2] -o \( -n "$argv[3]" -a (count $words) -ge $argv[2] \)
        end

        function __blectl_adapters
            set -l names (path basename /sys/class/bluetooth/hci*)
            set -l typed (string replace -r -- '^--?[^=]*=' '' (commandline -ct))
            set -l given (string match -r -- '.*,' $typed)
            if test -z "$given"
                printf '%s\n' $names \#(AdapterSelection.allWord)
                return
            end
            for name in $names
                contains -- $name (string split , -- $given); or printf '%s\n' $given$name
            end
        end

        function __blectl_services
            printf '%s\n' \#(Completion.serviceName.words.joined(separator: " "))
        end

        # Asks blectl for words. The device and --simulate are those of the line.
        function __blectl_ask
            set -l words (commandline -opc)
            set -l arguments help "--offer=$argv[1]"
            set -l device $\#(DeviceSpec.device.spec.environment ?? "")
            set -l waits no
            for word in $words[2..-1]
                if test $waits = yes
                    set device $word
                    set waits no
                else if contains -- "$word" \#(CompletionScript.deviceForms.joined(separator: " "))
                    set waits yes
                else if string match -q -- '--device=*' "$word"
                    set device (string replace -- '--device=' '' "$word")
                else if string match -qr -- '^-d.' "$word"
                    set device (string sub -s 3 -- "$word")
                else if string match -qr -- '^--simulate(=|$)' "$word"
                    set -a arguments --simulate
                end
            end
            test -n "$device"
            and set -a arguments "--offer-of=$device"
            set -l program (string replace -r '^~' "$HOME" -- $words[1])
            $program $arguments 2>/dev/null
        end

        # What is typed of a value, without its option.
        function __blectl_typed
            string replace -r -- '^(--[a-z-]+=|-[a-z])' '' (commandline -ct)
        end

        function __blectl_devices
            __blectl_ask devices:
            set -l typed (__blectl_typed)
            string match -qr -- '^[0-9A-Fa-f]{2}' "$typed"
            and __blectl_ask "devices:$typed"
        end

        function __blectl_sockets
            set -l typed (__blectl_typed)
            if string match -q -- 'unix:*' "$typed"
                printf 'unix:%s\n' (__fish_complete_path (string sub -s 6 -- "$typed"))
            else
                echo unix:
            end
        end

        function __blectl_targets
            __blectl_ask "targets:"(commandline -ct)
        end

        # A file after an at sign.
        # Without its argument, __fish_complete_path knows nothing but the present folder.
        function __blectl_files
            __fish_complete_path (string unescape -- (commandline -ct))
        end

        # Folders, and files whose names end in $argv[1].
        function __blectl_files_ending
            string match -r -- "^[^\t]*(?:/|"(string escape --style=regex -- $argv[1])")(?:\t.*)?\$" (__blectl_files)
        end

        function __blectl_values
            set -l token (commandline -ct)
            string match -q -- '@*' $token
            and printf '@%s\n' (__fish_complete_path (string sub -s 2 -- $token))
        end

        complete -c blectl -f

        \#(commands)

        \#(optionsOfGroups)

        \#(optionsOfCommands)

        \#(argumentsOfCommands)

        """#
    }

    private static var commands: String {
        CommandTable.commands.map { command in
            "complete -c blectl -n '__blectl_command \"\"' -a \(command.name.rawValue) -d \(quoted(command.summary))"
        }.joined(separator: "\n")
    }

    private static var optionsOfGroups: String {
        OptionGroup.allCases.map { group in
            let commands = CompletionScript.commands(accepting: group)
            let isShared = commands.count == CommandName.allCases.count
            let condition = isShared ? "" : " -n '__blectl_command \"\" \(commands.joined(separator: " "))'"
            return group.options.map { line($0, condition) }.joined(separator: "\n")
        }.joined(separator: "\n\n")
    }

    private static var optionsOfCommands: String {
        CommandTable.commands.filter { !$0.shownOptions.isEmpty }.map { command in
            command.shownOptions.map { line($0, " -n '__blectl_command \(command.name.rawValue)'") }
                .joined(separator: "\n")
        }.joined(separator: "\n\n")
    }

    private static var argumentsOfCommands: String {
        CommandTable.commands.flatMap { command in
            command.arguments.enumerated().compactMap { index, argument in
                candidates(argument.value).map { candidates in
                    let position =
                        "\(command.name.rawValue) \(index + 1)"
                        + (argument.arity.takesAll ? " +" : "")
                    return "complete -c blectl -n '__blectl_argument \(position)' -a \(quoted(candidates))"
                }
            }
        }.joined(separator: "\n")
    }

    private static func line(_ option: OptionSpec, _ condition: String) -> String {
        let letter = option.short.map { " -s \($0)" } ?? ""
        // fish itself completes a value that has to be in the same word, as a file.
        let needed = option.takesValue ? option.value : nil
        // With -x the option has a value, and fish offers no files for it.
        let value = needed.map { value in candidates(value).map { " -x -a \(quoted($0))" } ?? " -x" } ?? ""
        let summary = quoted(Markup.plain(option.summary))
        return "complete -c blectl\(condition)\(letter) -l \(option.long)\(value) -d \(summary)"
    }

    /// The argument of `complete -a`; `nil` if there is nothing to offer.
    private static func candidates(_ value: ValueSpec) -> String? {
        let described = value.choices.isEmpty ? value.completion.described : value.choices
        guard described.isEmpty else {
            // A tab separates a candidate from its description.
            let words = described.map { "\($0.word)\\t\(doubleQuoted(Markup.plain($0.summary)))" }
            let files = value.completion == .servedDevice ? ["(__blectl_files)"] : []
            return (words + files).joined(separator: "\n")
        }
        return switch value.completion {
        case .nothing: nil
        case .device: "(__blectl_devices)"
        case .socket: "(__blectl_sockets)"
        case .file: "(__blectl_files)"
        case .fileEnding(let suffix): "(__blectl_files_ending \(suffix))"
        case .fileBehindAt: "(__blectl_values)"
        case .adapter: "(__blectl_adapters)"
        case .format, .servedDevice, .advertisedForm: value.completion.words.joined(separator: " ")
        case .serviceName: "(__blectl_services)"
        case .target: "(__blectl_targets)"
        }
    }

    private static func quoted(_ text: String) -> String {
        "'\(text.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
    }

    /// Escaped text in double quotes, because fish evaluates it once more before it shows it.
    private static func doubleQuoted(_ text: String) -> String {
        "\"\(text.replacing("\"", with: "\\\"").replacing("$", with: "\\$"))\""
    }
}
