// SPDX-License-Identifier: GPL-2.0-or-later

package import BluetoothHost
import CommandLineInterface

extension PairingSetup {
    /// Writes the out-of-band data of the prepared adapter to a file, for other devices. The adapter makes new data each
    /// time, so that the data of an earlier file become invalid. Throws a `BlectlError`.
    package func writeOutOfBandData(
        of adapter: AdapterDescription,
        to output: OutputFile,
        doing action: String
    ) async throws {
        let pair: OutOfBandData.Pair?
        do throws(RadioError) {
            pair = try await outOfBandData()
        } catch {
            guard error.cause == .unsupported else {
                throw BlectlError(error, doing: action).about(adapter: adapter.name)
            }
            throw BlectlError(
                .bluetoothUnavailable,
                cannot: action,
                "Linux makes such data only for adapters with Secure Simple Pairing, which those without BR/EDR lack",
                hint: "take the data of the device instead: 'blectl pair --help' explains --oob"
            )
            .about(adapter: adapter.name)
        }
        guard let pair else {
            throw BlectlError(.bluetoothUnavailable, cannot: action, "it has no Secure Connections")
        }
        try output.write(try OutOfBandFile(pair, of: adapter.identityAddress).encoded())
    }
}
