// SPDX-License-Identifier: MIT

/// The text of a device: JSON in the format `blectl-device/1`.
public enum DeviceFile {
    /// The largest file in octets; a larger one is refused unread.
    public static let maximumSize = 16 << 20

    /// The device of a file.
    ///
    /// - Parameters:
    ///   - bytes: The content of the file.
    ///   - name: Its name, for errors and for the label of a device that states none.
    ///   - programs: The programs to which it may refer.
    ///   - csv: Returns the content of a file of numbers that the device names.
    /// - Throws: All faults of the file.
    public static func read(
        _ bytes: [UInt8],
        named name: String,
        programs: DevicePrograms = .builtIn,
        csv: @escaping (String) throws -> [UInt8] = { _ in throw NoFile() }
    ) throws(DeviceFileErrors) -> DeviceDefinition {
        let root = try parse(bytes, named: name)
        return try read(root, named: name, label: label(ofFile: name), isWhole: true, programs: programs, csv: csv)
    }

    /// The file does not exist.
    public struct NoFile: Error {
        /// Creates the error.
        public init() {}
    }

    /// The value of a file, at its root.
    static func parse(_ bytes: [UInt8], named name: String) throws(DeviceFileErrors) -> JSONCursor {
        guard bytes.count <= maximumSize else {
            let error = DeviceFileError(
                file: name,
                line: 1,
                path: "",
                message: "the file has more than the \(maximumSize) octets that are read"
            )
            throw DeviceFileErrors([error])
        }
        do {
            return JSONCursor(node: try JSONParser.parse(bytes), path: .root)
        } catch {
            let error = DeviceFileError(
                file: name,
                line: error.line,
                column: error.column,
                path: "",
                message: error.message
            )
            throw DeviceFileErrors([error])
        }
    }

    /// The device of a JSON object.
    ///
    /// - Parameter isWhole: Whether the object is a whole file, which states its format.
    static func read(
        _ root: JSONCursor,
        named name: String,
        label: String,
        isWhole: Bool,
        programs: DevicePrograms,
        csv: @escaping (String) throws -> [UInt8]
    ) throws(DeviceFileErrors) -> DeviceDefinition {
        var faults = FaultCollector(file: name)
        // Only a whole file is asked for its format; the devices of a world file are parts of it.
        if isWhole, root.isObject, root["schema"] == nil {
            faults.add(root, "the member 'schema' is missing: '\(DeviceSchema.name)'")
        }
        // The schema comes first: the builder reads only what the schema allows.
        var validator = SchemaValidator(faults: faults)
        validator.check(root, .type(.device))
        // With that many faults the file is probably of another format.
        guard !validator.faults.isFull else { throw validator.faults.all }
        var builder = DeviceBuilder(faults: validator.faults, names: FileNames(root, programs), file: csv)
        let definition = builder.device(root, label: label)
        // Only a definition without faults becomes an image: otherwise its faults would be reported twice.
        if builder.faults.isEmpty { builder.checkImage(of: definition, root) }
        guard builder.faults.isEmpty else { throw builder.faults.all }
        return definition
    }

    /// The name of a file without its folder and its ending.
    static func label(ofFile name: String) -> String {
        let last = name.split(separator: "/").last.map(String.init) ?? name
        let stem = last.hasSuffix(".json") ? String(last.dropLast(5)) : last
        return stem.isEmpty ? "device" : stem
    }
}
