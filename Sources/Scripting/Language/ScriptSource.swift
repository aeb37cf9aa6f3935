// SPDX-License-Identifier: GPL-2.0-or-later

/// The text of one file of a script, as octets in lines.
package struct ScriptSource: Sendable {
    /// The path of the file, as messages name it.
    package let file: String
    private let octets: [UInt8]
    private let ranges: [Range<Int>]

    init(_ octets: [UInt8], named file: String) {
        self.file = file
        self.octets = octets
        var ranges: [Range<Int>] = []
        // A byte order mark is not part of the text.
        var start = octets.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        for index in octets.indices where octets[index] == UInt8(ascii: "\n") {
            ranges.append(start..<index)
            start = index + 1
        }
        // A line feed at the end of the text does not begin another line.
        if start < octets.count { ranges.append(start..<octets.count) }
        self.ranges = ranges
    }

    var lineCount: Int { ranges.count }

    /// The number of octets of a line, by its number from 1.
    package func length(ofLine number: Int) -> Int { ranges[number - 1].count }

    /// A line for a message; invalid UTF-8 is replaced. `nil` if the line does not exist.
    package func line(_ number: Int) -> String? {
        guard ranges.indices.contains(number - 1) else { return nil }
        // The line may be one that was refused for its length.
        return String(decoding: contents(number).prefix(ScriptLimits.lineLength), as: UTF8.self)
    }

    /// The characters of a line, by its number from 1. Throws if it is not text.
    func scalars(ofLine number: Int) throws(ScriptProblem) -> [Unicode.Scalar] {
        var scalars: [Unicode.Scalar] = []
        var decoder = UTF8()
        var iterator = contents(number).makeIterator()
        while true {
            let place = ScriptPlace(file: file, line: number, column: scalars.count + 1)
            switch decoder.decode(&iterator) {
            case .emptyInput: return scalars
            case .error: throw ScriptProblem("an octet that is not UTF-8", at: place)
            case .scalarValue(let scalar):
                guard scalar == "\t" || scalar.value >= 0x20 && scalar.value != 0x7F else {
                    let code = String(scalar.value, radix: 16, uppercase: true)
                    throw ScriptProblem("a control character, U+\(code)", at: place, hint: "in double quotes: \\n, \\t")
                }
                scalars.append(scalar)
            }
        }
    }

    private func contents(_ number: Int) -> ArraySlice<UInt8> {
        let line = octets[ranges[number - 1]]
        // A text from Windows ends its lines with CR LF.
        return line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    }
}
