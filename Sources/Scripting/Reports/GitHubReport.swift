// SPDX-License-Identifier: GPL-2.0-or-later

/// The failures of a run as workflow commands of GitHub Actions, which shows each beside the line of the script.
package struct GitHubReport {
    package let scripts: [ScriptReport]

    package init(scripts: [ScriptReport]) {
        self.scripts = scripts
    }

    /// The commands, a line each; empty if nothing failed.
    package var text: String {
        var lines: [String] = []
        for script in scripts {
            for (index, test) in script.tests.enumerated() {
                if index == script.interruptedTest, case .skipped(let reason) = test.verdict {
                    lines.append(Self.error(test.name, at: test.place, reason))
                }
                for failure in test.failures {
                    let text = failure.lines.joined(separator: "\n")
                    lines.append(Self.error(test.name, at: failure.place, text))
                }
            }
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private static func error(_ title: String, at place: ScriptPlace, _ message: String) -> String {
        let properties = [("file", place.file), ("line", "\(place.line)"), ("title", title)]
        let list = properties.map { "\($0)=\(escaped($1, asProperty: true))" }.joined(separator: ",")
        return "::error \(list)::\(escaped(message))"
    }

    /// The text as the runner takes it back: of a property, also the signs that would end it.
    private static func escaped(_ text: String, asProperty isProperty: Bool = false) -> String {
        text.unicodeScalars.reduce(into: "") { escaped, scalar in
            switch scalar {
            case "%": escaped += "%25"
            case "\r": escaped += "%0D"
            case "\n": escaped += "%0A"
            case ":" where isProperty: escaped += "%3A"
            case "," where isProperty: escaped += "%2C"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
    }
}
