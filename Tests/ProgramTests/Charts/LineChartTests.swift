// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import FoundationXML
import Testing

@testable import Terminal

@Suite("Charts")
struct LineChartTests {
    /// The elements of a picture with their attributes, and its texts.
    private final class Picture: NSObject, XMLParserDelegate {
        var elements: [(name: String, attributes: [String: String])] = []
        var texts: [String] = []

        init?(_ svg: String) {
            super.init()
            let parser = XMLParser(data: Data(svg.utf8))
            parser.delegate = self
            guard parser.parse() else { return nil }
        }

        func parser(
            _ parser: XMLParser,
            didStartElement name: String,
            namespaceURI: String?,
            qualifiedName: String?,
            attributes: [String: String]
        ) {
            elements.append((name, attributes))
            texts.append("")
        }

        /// The line ends between the elements do not count.
        func parser(_ parser: XMLParser, foundCharacters string: String) {
            texts[texts.count - 1] += string.trimmingCharacters(in: .newlines)
        }

        /// The paths of a class.
        func paths(_ kind: String) -> [String] {
            elements.filter { $0.name == "path" && $0.attributes["class"] == kind }.compactMap { $0.attributes["d"] }
        }
    }

    private func series(_ name: String, _ values: [Double?]) -> LineChart.Series {
        var series = SampledSeries()
        for (index, value) in values.enumerated() {
            if let value { series.add(value, at: Double(index)) } else { series.interrupt() }
        }
        return LineChart.Series(name: name, values: series)
    }

    @Test("a picture has a title, a description in words, axes with units, and a line for each series")
    func picture() throws {
        let chart = LineChart(
            title: "Thermo <1>",
            caption: "Six values.",
            panels: [
                .init(unit: "°C", series: [series("in \"the\" room", [20, 21, 22]), series("outside", [5, 4, 3])]),
                .init(unit: "%", series: [series("humidity", [40, 41, 42])]),
            ]
        )
        let picture = try #require(Picture(chart.svg))
        #expect(picture.elements[0].attributes["role"] == "img")
        #expect(picture.elements[0].attributes["aria-labelledby"] == "title desc")
        #expect(picture.texts.contains("Thermo <1>") && picture.texts.contains("°C"))
        #expect(picture.texts.contains("humidity (%)") && picture.texts.contains("time (s)"))
        #expect(
            picture.texts.contains(
                "Six values. in \"the\" room: 3 values, 20 to 22 °C, last 22. outside: 3 values, 3 to 5 °C, last 3. "
                    + "humidity: 3 values, 40 to 42 %, last 42."
            )
        )
        // The sample of the legend, and the line.
        #expect(picture.paths("s0").count == 4 && picture.paths("s1").count == 2)
        #expect(!picture.elements.contains { ["script", "image", "a", "foreignObject"].contains($0.name) })
        #expect(chart.svg.contains("prefers-color-scheme:dark") && !chart.svg.contains("http://www.w3.org/1999"))
    }

    @Test("a long entry of the legend has a row for itself, and short ones share one")
    func legend() throws {
        func places(_ names: [String]) throws -> Set<String> {
            let panel = LineChart.Panel(unit: "dBm", series: names.map { series($0, [-60, -50]) })
            let picture = try #require(Picture(LineChart(title: "", caption: "", panels: [panel]).svg))
            let entries = picture.elements.filter { $0.name == "text" && $0.attributes["class"] == "k" }
            return Set(entries.compactMap { $0.attributes["x"] }.filter { $0 != "16" })
        }
        #expect(try places(["short", "names"]).count == 2)
        let long = "WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW C8:4B:1D:3A:90:5E"
        #expect(try places(["short", long]).count == 1)
    }

    @Test("a gap breaks the line, and a single value is a dot")
    func gaps() throws {
        let chart = LineChart(title: "", caption: "", panels: [.init(unit: "", series: [series("n", [1, 2, nil, 3])])])
        let path = try #require(Picture(chart.svg)?.paths("s0").first { $0.count(where: { $0 == "M" }) > 1 })
        #expect(path.count(where: { $0 == "M" }) == 2 && path.count(where: { $0 == "L" }) == 1)
        #expect(path.hasSuffix("h0.1"))
    }

    @Test("without numbers the picture says so")
    func empty() throws {
        let chart = LineChart(title: "t", caption: "c", panels: [])
        #expect(try #require(Picture(chart.svg)).texts.contains("There are no numbers."))
        let nothing = LineChart(title: "t", caption: "c", panels: [.init(unit: "dBm", series: [])])
        #expect(Picture(nothing.svg) != nil)
    }

    @Test("merged and omitted values are reported")
    func notes() {
        var many = SampledSeries(limit: 4)
        for index in 0..<100 { many.add(Double(index), at: Double(index)) }
        many.add(.infinity, at: 100)
        let chart = LineChart(
            title: "",
            caption: "",
            panels: [.init(unit: "", series: [.init(name: "n", values: many)])],
            remarks: ["More."]
        )
        #expect(
            chart.notes == [
                "\(100 - many.buckets.count) values of 100 merged with neighbours; the least and the greatest are drawn.",
                "1 value too large to be drawn.", "More.",
            ]
        )
    }

    @Test("hostile names and numbers do not break a picture", arguments: [-1e150, 1e150, 1e-300, 1e17])
    func hostile(value: Double) throws {
        let name = "]]>\u{0}\u{1B}[31m<script>alert(1)</script>&\u{202E}\u{FFFE}" + String(repeating: "x", count: 9_999)
        let chart = LineChart(
            title: name,
            caption: name,
            axis: .number(name: name, unit: name),
            panels: [.init(unit: name, series: (0..<20).map { _ in series(name, [value, 0, -value]) })],
            remarks: [name]
        )
        let picture = try #require(Picture(chart.svg))
        #expect(!picture.elements.contains { $0.name == "script" })
        #expect(!chart.svg.contains("nan") && !chart.svg.contains("inf "))
        #expect(!chart.svg.unicodeScalars.contains("\u{1B}"))
    }
}
