// SPDX-License-Identifier: GPL-2.0-or-later

/// The completion script of zsh.
enum ZshCompletion {
    static var script: String {
        #"""
        #compdef blectl
        # SPDX-License-Identifier: GPL-2.0-or-later
        # \#(GeneratedFile.notice)

        _blectl_adapters() {
          local -a names=(/sys/class/bluetooth/hci*(N:t))
          _wanted adapters expl 'adapter' compadd -a names
        }

        _blectl_services() {
          local -a names=(\#(Completion.serviceName.words.joined(separator: " ")))
          _wanted services expl 'service' compadd -a names
        }

        _blectl_targets() {
          local -a names=(\#(Completion.target.words.joined(separator: " ")))
          compset -P '*/'
          _wanted characteristics expl 'characteristic' compadd -a names
        }

        _blectl_values() {
          compset -P '@' && _files
        }

        _blectl_commands() {
          local -a commands=(
        \#(commands)
          )
          _describe -t commands 'command' commands
        }

        _blectl() {
          local curcontext=$curcontext state line ret=1
          local -A opt_args
          local -a global=(
        \#(lines(OptionGroup.global.options, indent: 4))
          )
          local -a device=(
        \#(lines(OptionGroup.device.options, indent: 4))
          )

          _arguments -C -s -S $global $device ':command:_blectl_commands' '*::argument:->argument' && ret=0
          [[ $state == argument ]] || return ret

          curcontext=${curcontext%:*:*}:blectl-$words[1]:
          case $words[1] in
        \#(argumentsOfCommands)
          esac
          return ret
        }

        # Loaded by compinit, this file is the body of the function; sourced, it only defines it.
        if [[ $funcstack[1] == _blectl ]]; then
          _blectl "$@"
        else
          compdef _blectl blectl
        fi

        """#
    }

    private static var commands: String {
        CommandTable.commands.map { "    \(quoted("\($0.name.rawValue):\($0.summary)"))" }.joined(separator: "\n")
    }

    private static var argumentsOfCommands: String {
        CommandTable.commands.map { command in
            let groups = command.groups.map { $0 == .global ? "$global" : "$device" }.joined(separator: " ")
            let specs = lines(command.shownOptions, indent: 6) + lines(command.arguments)
            let own = specs.isEmpty ? "" : " \\\n" + specs.replacing("\n", with: " \\\n")
            return """
                    \(command.name.rawValue))
                      _arguments -s -S \(groups)\(own) && ret=0
                      ;;
                """
        }.joined(separator: "\n")
    }

    private static func lines(_ options: [OptionSpec], indent: Int) -> String {
        options.flatMap(specs).map { String(repeating: " ", count: indent) + quoted($0) }.joined(separator: "\n")
    }

    private static func lines(_ arguments: [ArgumentSpec]) -> String {
        arguments.map { argument in
            let colons =
                switch argument.arity {
                case .one: ":"
                case .optional: "::"
                case .oneOrMore: "*:"
                }
            return "\n      " + quoted("\(colons)\(escaped(argument.name)):\(action(argument.value))")
        }.joined()
    }

    /// One specification of `_arguments` for each form of an option.
    private static func specs(_ option: OptionSpec) -> [String] {
        let isRepeated = option.kind == .repeated || option.kind == .count
        let excluded = (isRepeated ? [] : option.forms) + option.excludes.map { "--\($0)" }
        let prefix = (excluded.isEmpty ? "" : "(\(excluded.joined(separator: " ")))") + (isRepeated ? "*" : "")
        let value = option.value.map { ":\(escaped($0.name)):\(action($0))" } ?? ""
        return option.forms.map { form in
            let marker = option.value == nil ? "" : form.hasPrefix("--") ? "=" : "+"
            return "\(prefix)\(form)\(marker)[\(escaped(Markup.plain(option.summary)))]\(value)"
        }
    }

    private static func action(_ value: ValueSpec) -> String {
        guard value.choices.isEmpty else {
            let choices = value.choices.map { "\($0.word)\\:\(backslashed($0.summary))" }
            return "((\(choices.joined(separator: " "))))"
        }
        return switch value.completion {
        case .nothing: " "
        case .file: "_files"
        case .fileBehindAt: "_blectl_values"
        case .adapter: "_blectl_adapters"
        case .format: "(\(value.completion.words.joined(separator: " ")))"
        case .serviceName: "_blectl_services"
        case .target: "_blectl_targets"
        }
    }

    /// A description with what would end it escaped.
    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("[", with: "\\[").replacing("]", with: "\\]")
            .replacing(":", with: "\\:")
    }

    /// Text of which zsh interprets nothing, although it evaluates it.
    private static func backslashed(_ text: String) -> String {
        text.map { $0.isLetter || $0.isNumber || $0 == "-" ? "\($0)" : "\\\($0)" }.joined()
    }

    private static func quoted(_ text: String) -> String { "'\(text.replacing("'", with: "'\\''"))'" }
}
