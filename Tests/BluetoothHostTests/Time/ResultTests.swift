// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Testing

@Suite("An outcome as a value")
struct ResultTests {
    @Test("a value and an error are kept, the error with its type")
    func catching() async {
        let error = RadioError(.adapterDown, during: "test")
        #expect(await Result { () async throws(RadioError) in 7 } == .success(7))
        let failed = await Result { () async throws(RadioError) -> Int in throw error }
        #expect(failed == .failure(error))
    }
}
