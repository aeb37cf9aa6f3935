// SPDX-License-Identifier: GPL-2.0-or-later

extension CommandRequest {
    /// Throws if two options name the same file: the one that is written last would replace the other.
    func checkWrittenFiles() throws(UsageError) {
        var options: [FilePlace: String] = [:]
        for (option, path) in writtenFiles {
            let place = FilePlace(path)
            if case .stream = place { continue }
            guard let first = options.updateValue(option, forKey: place) else { continue }
            let names = first == option ? "two '\(option)'" : "'\(first)' and '\(option)'"
            throw UsageError(
                .impossible("\(names) name the same file", hint: "give one of them another name: \(option) OTHER"),
                command: name
            )
        }
    }

    /// The files that are written at the end or during the run, with their options.
    private var writtenFiles: [(option: String, path: String)] {
        var files: [(String, String)] = []
        if let capture = global.capture { files.append(("--capture", capture)) }
        if let diagram = global.diagram { files.append(("--diagram", diagram.path)) }
        let chart: ChartFile? =
            switch command {
            case .scan(let options): options.chart
            case .notify(let options, _): options.chart
            case .watch(let options, _): options.chart
            case .bench(let options, _): options.chart
            default: nil
            }
        if let chart { files.append(("--chart", chart.path)) }
        if case .run(let options) = command {
            files += options.reports.filter { !$0.isStandardOutput }.map { ("--report", $0.file) }
        }
        return files
    }
}
