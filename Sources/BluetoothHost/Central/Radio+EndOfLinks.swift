// SPDX-License-Identifier: MIT

package import Bluetooth

extension Radio {
    /// Waits until the kernel has let go of all links to some devices, for three seconds at most. Returns whether it
    /// has.
    ///
    /// Linux keeps a link for two seconds after its last socket was closed, and would give it to the next socket. It
    /// does not report the end of the link, so it is asked again after pauses. If another program holds a link, it
    /// lasts longer.
    ///
    /// - Parameters:
    ///   - isMeant: Whether the link to that address matters.
    package func awaitEndOfLinks(
        _ time: any TimeSource,
        to isMeant: (BluetoothAddress) -> Bool = { _ in true }
    ) async throws(CancellationError) -> Bool {
        let end = time.now + .seconds(3)
        var refusals = 0
        while connectedAddresses().contains(where: isMeant) {
            refusals += 1
            guard let next = RetryPolicy.nextTry(afterRefusal: refusals, now: time.now, until: end) else {
                return false
            }
            try await time.sleep(until: next)
        }
        return true
    }
}
