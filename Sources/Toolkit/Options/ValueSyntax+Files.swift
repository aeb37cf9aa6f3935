// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothDevices
package import CommandLineInterface
import Records
import Terminal

extension ValueSyntax where Value == String {
    /// A template of lines over the keys of records. The command checks the keys.
    static var lineTemplate: ValueSyntax {
        ValueSyntax(name: "TEMPLATE") { text throws(ValueProblem) in
            _ = try LineFormat(text)
            return text
        }
    }
}

extension ValueSyntax where Value == DiagramFile {
    static var diagramFile: ValueSyntax {
        ValueSyntax(name: "FILE", completion: .file) { text throws(ValueProblem) in
            guard let file = DiagramFile(text) else {
                let ends = DiagramFormat.allCases.map { ".\($0.rawValue)" }
                throw ValueProblem(expectation: "expected a name that ends in \(Prose.list(ends, "or"))")
            }
            return file
        }
    }
}

extension ValueSyntax where Value == ChartFile {
    package static var chartFile: ValueSyntax<ChartFile> {
        ValueSyntax(name: "FILE", completion: .file) { text throws(ValueProblem) in
            guard let file = ChartFile(text) else {
                throw ValueProblem(expectation: "expected a name that ends in .svg")
            }
            return file
        }
    }
}

extension ValueSyntax where Value == Handle {
    package static var attributeHandle: ValueSyntax<Handle> {
        ValueSyntax(name: "HANDLE") { text throws(ValueProblem) in
            // The handle 0x0000 is reserved: Core 5.4, Vol 3, Part F, 3.2.2.
            guard let number = UInt16(numeral: text), number != 0 else {
                throw ValueProblem(expectation: "expected a handle from 0x0001 to 0xFFFF")
            }
            return Handle(number)
        }
    }
}

extension ValueSyntax where Value == RadioChoice {
    /// A replacement for an adapter: `unix:PATH`.
    package static var radio: ValueSyntax<RadioChoice> {
        ValueSyntax(name: "unix:PATH", completion: .fileBehind([Choice(word: "unix:", summary: "")])) {
            text throws(ValueProblem) in
            guard let choice = RadioChoice(text) else {
                throw ValueProblem(
                    expectation: "expected unix: and a path of at most \(RadioChoice.maximumPathLength) octets"
                )
            }
            return choice
        }
    }
}

extension ValueSyntax where Value == String {
    package static var socketPath: ValueSyntax {
        ValueSyntax(name: "PATH", completion: .file) { text throws(ValueProblem) in
            guard (1...RadioChoice.maximumPathLength).contains(text.utf8.count) else {
                throw ValueProblem(expectation: "expected a path of at most \(RadioChoice.maximumPathLength) octets")
            }
            return text
        }
    }
}

extension ValueSyntax where Value == FaultText {
    /// A fault as a sentence. The command checks whether there is such a device.
    package static var fault: ValueSyntax<FaultText> {
        ValueSyntax(name: "FAULT") { text throws(ValueProblem) in
            do throws(FaultTextError) {
                return try FaultText(parsing: text)
            } catch {
                throw ValueProblem(expectation: "column \(error.column): \(error.expectation)")
            }
        }
    }
}

extension ValueSyntax where Value == Hook {
    /// A characteristic and the command that answers for it.
    package static var hook: ValueSyntax<Hook> {
        ValueSyntax(name: "REF=COMMAND") { text throws(ValueProblem) in try Hook(text) }
    }
}
