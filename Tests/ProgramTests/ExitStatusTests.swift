// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@testable import CommandLineInterface

@Suite("Exit statuses")
struct ExitStatusTests {
    @Test("the numbers are what scripts rely on")
    func numbers() {
        let numbers = ExitStatus.allCases.map(\.rawValue)
        #expect(numbers == [0, 1, 64, 65, 66, 68, 69, 70, 73, 74, 75, 76, 77, 78, 124])
    }

    @Test("each has a name of its own and a sentence")
    func documentation() {
        #expect(Set(ExitStatus.allCases.map(\.name)).count == ExitStatus.allCases.count)
        for status in ExitStatus.allCases {
            #expect(status.name.allSatisfy { $0.isLowercase || $0 == "-" })
            #expect(status.meaning.first?.isUppercase == true && status.meaning.hasSuffix("."))
        }
    }
}
