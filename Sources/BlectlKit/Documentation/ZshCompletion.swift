// SPDX-License-Identifier: GPL-2.0-or-later

/// The completion script of zsh.
enum ZshCompletion {
    static var script: String {
        #"""
        #compdef blectl
        # SPDX-License-Identifier: GPL-2.0-or-later
        # \#(GeneratedFile.notice)

        _blectl_adapters() {
          local -a names=(/sys/class/bluetooth/hci*(N:t)) given=(${(s:,:)PREFIX%,*})
          if compset -P '*,'; then names=(${names:|given}); else names+=(\#(AdapterSelection.allWord)); fi
          _wanted adapters expl 'adapter' compadd -a names
        }

        _blectl_services() {
          local -a names=(\#(Completion.serviceName.words.joined(separator: " ")))
          _wanted services expl 'service' compadd -a names
        }

        # Asks blectl for words. The device and --simulate are those of the line.
        _blectl_ask() {
          ${~program} help ${device:+--offer-of=$device} $simulate --offer=$1 2>/dev/null
        }

        _blectl_devices() {
          local -a lines=(${(f)"$(_blectl_ask devices:)"})
          # With a prefix, addresses are offered, too.
          [[ $PREFIX == [[:xdigit:]][[:xdigit:]]* ]] && lines+=(${(f)"$(_blectl_ask devices:$PREFIX)"})
          local -a names=(${lines%%$'\t'*}) shown=(${lines/$'\t'/  })
          _wanted devices expl 'device' compadd -M 'm:{a-zA-Z}={A-Za-z}' -d shown -a names
        }

        _blectl_sockets() {
          if compset -P 'unix:'; then
            _files
          else
            compadd -S '' unix:
          fi
        }

        _blectl_targets() {
          local -a names=(${(f)"$(_blectl_ask targets:$PREFIX)"})
          compset -P '*/'
          names=(${names##*/})
          _wanted characteristics expl 'characteristic' compadd -M 'm:{a-zA-Z}={A-Za-z}' -a names
        }

        _blectl_values() {
          compset -P '@' && _files
        }

        _blectl_served() {
          local ret=1
          local -a devices=(
        \#(servedDevices)
          )
          _describe -t devices 'simulated device' devices && ret=0
          _files && ret=0
          return ret
        }

        _blectl_commands() {
          local -a commands=(
        \#(commands)
          )
          _describe -t commands 'command' commands
        }

        _blectl() {
          local curcontext=$curcontext state line ret=1 i
          local -A opt_args
          local program=${(Q)words[1]} device=$\#(DeviceSpec.device.spec.environment ?? "") simulate=
          for ((i = 2; i < CURRENT; i++)); do
            case ${(Q)words[i]} in
              (\#(CompletionScript.deviceForms.joined(separator: "|"))) device=${(Q)words[i+1]} ;;
              (--device=*) device=${${(Q)words[i]}#*=} ;;
              (-d?*) device=${${(Q)words[i]}#-d} ;;
              (--simulate|--simulate=*) simulate=--simulate ;;
            esac
          done
          local -a global=(
        \#(lines(OptionGroup.global.options))
          )
          local -a devices=(
        \#(lines(OptionGroup.device.options))
          )
          local -a link=(
        \#(lines(OptionGroup.link.options))
          )

          # Those that belong to one command are understood before it, and not offered.
          local -a other=(
        \#(hiddenSpecs)
          )

          # Options after the command are those of the command.
          _arguments -C -s -S -A '-*' $global $devices $link $other ':command:_blectl_commands' '*::argument:->argument' && ret=0
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

    private static var servedDevices: String {
        Completion.servedDevice.described.map { "    \(quoted("\($0.word):\($0.summary)"))" }.joined(separator: "\n")
    }

    private static var hiddenSpecs: String {
        let shared = CompletionScript.sharedOptions.map(\.long)
        let other = CompletionScript.options.filter { !shared.contains($0.long) }
        return other.flatMap(specs).map { "    \(quoted("!\($0)"))" }.joined(separator: "\n")
    }

    private static var argumentsOfCommands: String {
        CommandTable.commands.map { command in
            let groups = command.groups.map { group in
                switch group {
                case .global: "$global"
                case .device: "$devices"
                case .link: "$link"
                }
            }
            let own = command.shownOptions.flatMap(specs) + command.arguments.map(spec)
            return """
                    \(command.name.rawValue))
                      _arguments -s -S \((groups + own.map { "\\\n        \(quoted($0))" }).joined(separator: " ")) && ret=0
                      ;;
                """
        }.joined(separator: "\n")
    }

    private static func lines(_ options: [OptionSpec]) -> String {
        options.flatMap(specs).map { "    \(quoted($0))" }.joined(separator: "\n")
    }

    private static func spec(_ argument: ArgumentSpec) -> String {
        let colons =
            switch argument.arity {
            case .one: ":"
            case .optional: "::"
            case .any, .oneOrMore: "*:"
            }
        return "\(colons)\(escaped(argument.name)):\(action(argument.value))"
    }

    /// A specification of `_arguments` for each form of an option.
    private static func specs(_ option: OptionSpec) -> [String] {
        let isRepeated = option.kind == .repeated || option.kind == .count || option.kind == .optionalValue
        let excluded = (isRepeated ? [] : option.forms) + option.excludes.map { "--\($0)" }
        // Without the asterisk, zsh offers an option once only.
        let prefix = (excluded.isEmpty ? "" : "(\(excluded.joined(separator: " ")))") + (isRepeated ? "*" : "")
        let colons = option.kind == .optionalValue ? "::" : ":"
        let value = option.value.map { "\(colons)\(escaped($0.name)):\(action($0))" } ?? ""
        return option.forms.map { form in
            "\(prefix)\(form)\(marker(option, form))[\(escaped(Markup.plain(option.summary)))]\(value)"
        }
    }

    /// The sign that an option takes a value, in the same word or in the next one.
    private static func marker(_ option: OptionSpec, _ form: String) -> String {
        if option.kind == .optionalValue { return "=-" }
        guard option.takesValue else { return "" }
        return form.hasPrefix("--") ? "=" : "+"
    }

    private static func action(_ value: ValueSpec) -> String {
        let described = value.choices.isEmpty ? value.completion.described : value.choices
        guard described.isEmpty || value.completion == .servedDevice else {
            let choices = described.map { "\($0.word)\\:\(backslashed(Markup.plain($0.summary)))" }
            return "((\(choices.joined(separator: " "))))"
        }
        return switch value.completion {
        // With a blank as its action, zsh shows the name of the value and offers nothing.
        case .nothing: " "
        case .device: "_blectl_devices"
        case .socket: "_blectl_sockets"
        case .file: "_files"
        case .fileEnding(let suffix): "_files -g \"*\(suffix)(-.)\""
        case .fileBehindAt: "_blectl_values"
        case .adapter: "_blectl_adapters"
        case .servedDevice: "_blectl_served"
        case .format, .advertisedForm: "(\(value.completion.words.joined(separator: " ")))"
        case .serviceName: "_blectl_services"
        case .target: "_blectl_targets"
        }
    }

    /// A description, in which the characters that would end it are escaped.
    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("[", with: "\\[").replacing("]", with: "\\]")
            .replacing(":", with: "\\:")
    }

    /// Text in which every character is escaped that zsh could interpret, because zsh evaluates it.
    private static func backslashed(_ text: String) -> String {
        text.map { $0.isLetter || $0.isNumber || $0 == "-" ? "\($0)" : "\\\($0)" }.joined()
    }

    private static func quoted(_ text: String) -> String { "'\(text.replacing("'", with: "'\\''"))'" }
}
