// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@testable import CommandLineInterface

@Suite("The digits of a pairing on the command line")
struct PairOptionsTests {
    /// The kernel chooses the digits that this machine shows, so that given ones would never be seen.
    @Test(arguments: ["pair Strap", "serve pulse-strap"], ["none", "display", "yes-no"])
    func `digits are refused where nothing is entered`(_ command: String, _ means: String) throws {
        let error = #expect(throws: UsageError.self) { try request("\(command) --io \(means) --passkey 123456") }
        #expect(error?.message.contains("with this --io nothing is entered here") == true)
        #expect(error?.hint.contains("chosen by the kernel, and shown") == true)
        _ = try request("\(command) --io \(means)")
    }

    @Test(arguments: ["pair Strap", "serve pulse-strap"])
    func `digits are taken where they are entered`(_ command: String) throws {
        for means in ["", "--io keyboard", "--io keyboard-display --confirm yes"] {
            _ = try request("\(command) \(means) --passkey 123456")
        }
    }
}
