// SPDX-License-Identifier: GPL-2.0-or-later

package import CommandLineInterface

extension UsageError {
    /// The complete text for standard error. With `--redact` on the line, it shows none of the typed values and names.
    ///
    /// - Parameters:
    ///   - words: The words of the line after the name of the program, which may be invalid.
    ///   - names: The names of devices that the error may list.
    package func text(onLine words: [String], of table: CommandTable, names: [String] = []) -> String {
        guard ArgumentScanner(words, table).isGiven(GlobalSpec.redact.spec) else { return text }
        return shown(onLine: words, of: table, names: names).text
    }

    /// The same error for a record, which shows no more than the text.
    ///
    /// - Parameters:
    ///   - words: The words of the line after the name of the program, which may be invalid.
    ///   - names: The names of devices that the error may list.
    package func shown(onLine words: [String], of table: CommandTable, names: [String] = []) -> BlectlError {
        let line = ArgumentScanner(words, table)
        guard line.isGiven(GlobalSpec.redact.spec) else { return BlectlError(exitStatus, message, hint: hint) }
        let concealed = CommandLineRedactor(of: self, on: line, names: names)
        return BlectlError(exitStatus, concealed.concealed(in: message), hint: concealed.concealed(in: hint))
    }
}
