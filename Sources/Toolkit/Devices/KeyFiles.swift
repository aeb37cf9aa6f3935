// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
import BluetoothDevices
import CommandLineInterface
import Glibc

package enum KeyFiles {
    /// The keys of a file, or of the user's configuration if none is named.
    ///
    /// - Parameters:
    ///   - file: The value of `--keys`; `nil` if it is not given.
    ///   - environment: Returns the value of a variable.
    /// - Returns: The keys, and a remark if other users can read them.
    package static func keys(
        _ file: String?,
        environment: (String) -> String?
    ) throws(BlectlError) -> (keys: AdvertisingKeys, remark: String?) {
        if let file { return try read(file, bytes: try DeviceFiles.bytes(of: file), status: .badData) }
        let option = "--keys"
        switch try ConfigurationFile.content(of: "keys.json", environment, option: option) {
        case .noPlace, .none(_, nil): return (AdvertisingKeys(), nil)
        case .none(let path, let reason?): return (AdvertisingKeys(), "no keys are read from \(path): \(reason)")
        case .bytes(let bytes, let path):
            do throws(BlectlError) {
                // The command line does not name this file, so that a fault in it is one of the configuration.
                return try read(path, bytes: bytes, status: .configurationError)
            } catch {
                throw error.with(hint: ConfigurationFile.remedy(path, option: option))
            }
        }
    }

    private static func read(
        _ file: String,
        bytes: [UInt8],
        status: ExitStatus
    ) throws(BlectlError) -> (keys: AdvertisingKeys, remark: String?) {
        (try ConfigurationFile.read(file, bytes, status: status, KeyFile.read), remark(on: file))
    }

    private static func remark(on file: String) -> String? {
        var status = stat()
        // A pipe, such as that of a password manager, is nobody else's business.
        guard file != "-", stat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 != 0
        else { return nil }
        return "other users may read the keys in \(file): chmod 600 \(file)"
    }
}
