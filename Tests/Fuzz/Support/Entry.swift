// SPDX-License-Identifier: GPL-2.0-or-later

/// The function that libFuzzer calls with each input. Every target defines its own `fuzz`.
@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    fuzz(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}

/// Reports a finding unless the condition holds.
func check(_ condition: Bool, _ message: @autoclosure () -> String, line: Int = #line, file: String = #fileID) {
    guard !condition else { return }
    fatalError("finding: \(message()) (\(file):\(line))")
}

/// A limit for the duration of each call of `step`, for any input.
struct Bound {
    private var left: Int
    private let what: String

    init(_ limit: Int, _ what: String) {
        left = limit
        self.what = what
    }

    mutating func step() {
        left -= 1
        check(left >= 0, "\(what) does not come to an end")
    }
}
