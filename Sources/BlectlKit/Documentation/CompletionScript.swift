// SPDX-License-Identifier: GPL-2.0-or-later

/// The scripts by which shells complete the command lines of blectl.
///
/// Each script finds the command among the words before the cursor by the rules of the parser. Options may stand before
/// the command, so that the word after an option with a value is not taken for the command.
enum CompletionScript {
    static func script(for shell: Shell) -> String {
        switch shell {
        case .bash: BashCompletion.script
        case .zsh: ZshCompletion.script
        case .fish: FishCompletion.script
        }
    }

    /// The name of the file, in the form that the shell requires for finding it.
    static func fileName(for shell: Shell) -> String {
        switch shell {
        case .bash: "blectl.bash"
        case .zsh: "_blectl"
        case .fish: "blectl.fish"
        }
    }

    /// All documented options, each once.
    static var options: [OptionSpec] { CommandTable.options.filter { !$0.isHidden } }

    static var flagLetters: String { String(options.filter { !$0.takesValue }.compactMap(\.short)) }

    static var valueLetters: String { String(options.filter(\.takesValue).compactMap(\.short)) }

    static var valueNames: [String] { options.filter(\.takesValue).map(\.long) }

    /// The forms of the option that names the device: `-d`, `--device`.
    static var deviceForms: [String] { DeviceSpec.device.spec.forms }

    /// The options that are offered before the command is known: those that several commands share.
    static var sharedOptions: [OptionSpec] { OptionGroup.allCases.flatMap(\.options) }

    static func commands(accepting group: OptionGroup) -> [String] {
        CommandTable.commands.filter { $0.groups.contains(group) }.map(\.name.rawValue)
    }
}

extension OptionSpec {
    /// The option in all its forms, with dashes: `-d`, `--device`.
    var forms: [String] { (short.map { ["-\($0)"] } ?? []) + ["--\(long)"] }
}
