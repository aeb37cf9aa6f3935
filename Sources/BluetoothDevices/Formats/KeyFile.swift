// SPDX-License-Identifier: MIT

public import Bluetooth

/// The text of a collection of keys: JSON in the format `blectl-keys/1`.
public enum KeyFile {
    /// The keys of a file.
    ///
    /// - Parameters:
    ///   - bytes: The content of the file.
    ///   - name: Its name, for errors.
    /// - Throws: All faults of the file. None of them contains a key.
    public static func read(_ bytes: [UInt8], named name: String) throws(DeviceFileErrors) -> AdvertisingKeys {
        do throws(DeviceFileErrors) {
            let root = try DeviceFile.parse(bytes, named: name)
            var validator = SchemaValidator(faults: FaultCollector(file: name))
            validator.check(root, .type(.keys))
            guard validator.faults.isEmpty else { throw validator.faults.all }
            var faults = validator.faults
            let devices = devices(root, &faults)
            guard faults.isEmpty else { throw faults.all }
            return AdvertisingKeys(devices)
        } catch {
            // A key that stands in the wrong place could be quoted as a number or as the name of a member.
            throw DeviceFileErrors(error.errors.map(hiding), isIncomplete: error.isIncomplete)
        }
    }

    private static func devices(
        _ root: JSONCursor,
        _ faults: inout FaultCollector
    ) -> [BluetoothAddress: AdvertisingKeys.Device] {
        var devices: [BluetoothAddress: AdvertisingKeys.Device] = [:]
        for device in root["devices"]?.elements ?? [] {
            guard let address = device["address"]?.string.flatMap({ BluetoothAddress($0) }) else { continue }
            let keys = AdvertisingKeys.Device(key: key(device["key"]), material: material(device, &faults))
            if keys.key == nil, device["session_key"] == nil, device["iv"] == nil {
                faults.add(device, "it needs the member 'key', or 'session_key' and 'iv'")
            }
            if devices.updateValue(keys, forKey: address) != nil {
                faults.add(device, "there are two devices \(address)")
            }
        }
        return devices
    }

    private static func key(_ cursor: JSONCursor?) -> SecurityKey? {
        cursor?.string.flatMap { Hex.bytes($0) }.flatMap { SecurityKey(octets: $0) }
    }

    private static func material(
        _ device: JSONCursor,
        _ faults: inout FaultCollector
    ) -> EncryptedDataKeyMaterial? {
        switch (device["session_key"], device["iv"]) {
        case (nil, nil): return nil
        case (let key?, let vector?):
            guard let key = Self.key(key), let vector = vector.string.flatMap({ Hex.bytes($0) }) else { return nil }
            return EncryptedDataKeyMaterial(sessionKey: key, vector: vector)
        case (nil, _), (_, nil):
            faults.add(device, "'session_key' and 'iv' belong together")
            return nil
        }
    }

    private static func hiding(_ error: DeviceFileError) -> DeviceFileError {
        DeviceFileError(
            file: error.file,
            line: error.line,
            column: error.column,
            path: hidden(error.path),
            message: hidden(error.message)
        )
    }

    /// The text with `(hidden)` in place of what could be a part of a key: eight hex digits or more in a row.
    private static func hidden(_ text: String) -> String {
        var result = ""
        var digits = ""
        func closed() -> String { digits.count < 8 ? digits : "(hidden)" }
        for character in text {
            if character.isASCII, character.isHexDigit {
                digits.append(character)
            } else {
                result += closed()
                digits = ""
                result.append(character)
            }
        }
        return result + closed()
    }
}
