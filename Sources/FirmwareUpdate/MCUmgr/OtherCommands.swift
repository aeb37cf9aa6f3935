// SPDX-License-Identifier: MIT

package import Bluetooth

/// Asks for the names of the groups of statistics. Spec: Zephyr, Statistics Management Group
package struct MCUmgrStatisticsGroups: MCUmgrRequest {
    package static let call = MCUmgrCall(.statistics, 1, .read)

    package init() {}

    package static func response(_ fields: CBORMap) throws(DecodeError) -> [String] {
        var names: [String] = []
        for item in try fields.required("stat_list", \.elements) {
            guard let name = item.string else { throw DecodeError("stat_list", .inconsistent("one is not a text")) }
            names.append(name)
        }
        return names
    }
}

/// Asks for the counters of a group. Spec: Zephyr, Statistics Management Group
package struct MCUmgrStatistics: MCUmgrRequest {
    package static let call = MCUmgrCall(.statistics, 0, .read)

    package struct Counter: Hashable, Sendable {
        package let name: String
        package let value: Int
    }

    package let name: String

    package init(_ name: String) { self.name = name }

    package var fields: CBORMap { CBORMap(["name": .text(name)]) }

    /// The counters, in the order of their names.
    package static func response(_ fields: CBORMap) throws(DecodeError) -> [Counter] {
        var counters: [Counter] = []
        for (name, item) in try fields.required("fields", \.fields).named {
            guard let value = item.integer else { throw DecodeError(name, .inconsistent("it has the wrong type")) }
            counters.append(Counter(name: name, value: value))
        }
        return counters
    }
}

/// Asks for a setting. Spec: Zephyr, Settings Management Group
package struct MCUmgrReadSetting: MCUmgrRequest {
    package static let call = MCUmgrCall(.settings, 0, .read)

    package let name: String

    package init(_ name: String) { self.name = name }

    package var fields: CBORMap { CBORMap(["name": .text(name)]) }

    package static func response(_ fields: CBORMap) throws(DecodeError) -> [UInt8] {
        try fields.required("val", \.bytes)
    }
}

/// Changes a setting. Spec: Zephyr, Settings Management Group
package struct MCUmgrWriteSetting: MCUmgrRequest {
    package static let call = MCUmgrCall(.settings, 0, .write)

    package let name: String
    package let value: [UInt8]

    package init(_ name: String, _ value: [UInt8]) {
        self.name = name
        self.value = value
    }

    package var fields: CBORMap { CBORMap(["name": .text(name), "val": .octets(value)]) }

    package typealias Response = Void
}

/// Removes a setting. Spec: Zephyr, Settings Management Group
package struct MCUmgrDeleteSetting: MCUmgrRequest {
    package static let call = MCUmgrCall(.settings, 1, .write)

    package let name: String

    package init(_ name: String) { self.name = name }

    package var fields: CBORMap { CBORMap(["name": .text(name)]) }

    package typealias Response = Void
}

/// Asks for a part of a file. Spec: Zephyr, File System Management Group, File download
package struct MCUmgrReadFile: MCUmgrRequest {
    package static let call = MCUmgrCall(.files, 0, .read)

    package struct Part: Hashable, Sendable {
        /// Where it begins.
        package let offset: Int
        package let data: [UInt8]
        /// The octets of the file, with the first part; `nil` with the others.
        package let length: Int?
    }

    package let path: String
    /// Where the part begins.
    package let offset: Int

    /// Asks for the part that begins there.
    package init(_ path: String, offset: Int) {
        self.path = path
        self.offset = offset
    }

    package var fields: CBORMap { CBORMap(["name": .text(path), "off": CBORValue(offset)]) }

    package static func response(_ fields: CBORMap) throws(DecodeError) -> Part {
        Part(
            offset: try fields.required("off", \.count),
            data: try fields.required("data", \.bytes),
            length: try fields.optional("len", \.count)
        )
    }
}

/// Writes a part of a file. Spec: Zephyr, File System Management Group, File upload
package struct MCUmgrWriteFile: MCUmgrRequest {
    package static let call = MCUmgrCall(.files, 0, .write)

    package let path: String
    /// Where the part begins.
    package let offset: Int
    package let data: [UInt8]
    /// The octets of the file, which the first part states.
    package let length: Int

    package init(_ path: String, offset: Int, data: [UInt8], length: Int) {
        self.path = path
        self.offset = offset
        self.data = data
        self.length = length
    }

    package var fields: CBORMap {
        CBORMap([
            "name": .text(path), "off": CBORValue(offset), "data": .octets(data),
            "len": offset == 0 ? CBORValue(length) : nil,
        ])
    }

    /// The octets that the device has.
    package static func response(_ fields: CBORMap) throws(DecodeError) -> Int { try fields.required("off", \.count) }
}

/// Runs a command of the device's shell. Spec: Zephyr, Shell Management Group
package struct MCUmgrShell: MCUmgrRequest {
    package static let call = MCUmgrCall(.shell, 0, .write)

    package struct Result: Hashable, Sendable {
        package let output: String
        package let status: Int
    }

    package let words: [String]

    package init(_ words: [String]) { self.words = words }

    package var fields: CBORMap { CBORMap(["argv": .array(words.map { .text($0) })]) }

    package static func response(_ fields: CBORMap) throws(DecodeError) -> Result {
        // Zephyr calls the status "ret", Mynewt "rc", which this is not: it would be an error.
        Result(
            output: try fields.required("o", \.string),
            status: try fields.optional("ret", \.integer) ?? 0
        )
    }
}
