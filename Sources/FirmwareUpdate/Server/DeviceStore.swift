// SPDX-License-Identifier: MIT

import Bluetooth

/// What a simulated device keeps for the groups of statistics, settings and files, and its shell.
struct DeviceStore: Hashable, Sendable {
    /// The most octets of all settings and files.
    private static let capacity = 1 << 20

    private var settings: [String: [UInt8]] = [:]
    private var files: [String: [UInt8]] = [:]
    var requests = 0

    private var octets: Int { settings.values.reduce(0) { $0 + $1.count } + files.values.reduce(0) { $0 + $1.count } }

    private static func refusal(_ group: MCUmgrGroup, _ code: Int) -> Result<CBORMap, MCUmgrRefusal> {
        .failure(MCUmgrRefusal(group: group, code: code))
    }

    func statistics(_ command: UInt8, _ fields: CBORMap) -> Result<CBORMap, MCUmgrRefusal> {
        guard command == MCUmgrStatistics.command else {
            return .success(CBORMap(["stat_list": .array([.text("smp_svr")])]))
        }
        guard fields["name"]?.string == "smp_svr" else { return Self.refusal(.statistics, 2) }
        let counters = CBORMap(["requests": CBORValue(requests)])
        return .success(CBORMap(["name": .text("smp_svr"), "fields": .map(counters)]))
    }

    mutating func settings(
        _ command: UInt8,
        _ operation: MCUmgrFrame.Operation,
        _ fields: CBORMap
    ) -> Result<CBORMap, MCUmgrRefusal> {
        guard let name = fields["name"]?.string else { return .failure(.shared(.invalidValue)) }
        if command == MCUmgrDeleteSetting.command {
            guard settings.removeValue(forKey: name) != nil else { return Self.refusal(.settings, 3) }
            return .success(CBORMap())
        }
        if operation == .read {
            guard let value = settings[name] else { return Self.refusal(.settings, 3) }
            return .success(CBORMap(["val": .octets(value)]))
        }
        guard let value = fields["val"]?.bytes else { return .failure(.shared(.invalidValue)) }
        guard octets + value.count <= Self.capacity, settings.count < 256 else { return .failure(.shared(.noMemory)) }
        settings[name] = value
        return .success(CBORMap())
    }

    /// - Parameter room: The most octets of a file in a response.
    mutating func files(
        _ operation: MCUmgrFrame.Operation,
        _ fields: CBORMap,
        room: Int
    ) -> Result<CBORMap, MCUmgrRefusal> {
        guard let name = fields["name"]?.string, let offset = fields["off"]?.count else {
            return .failure(.shared(.invalidValue))
        }
        if operation == .read {
            guard let file = files[name] else { return Self.refusal(.files, 3) }
            guard offset <= file.count else { return Self.refusal(.files, 12) }
            let data = Array(file[offset...].prefix(max(1, room)))
            let length = offset == 0 ? CBORValue(file.count) : nil
            return .success(CBORMap(["off": CBORValue(offset), "data": .octets(data), "len": length]))
        }
        guard let data = fields["data"]?.bytes else { return .failure(.shared(.invalidValue)) }
        guard octets + data.count <= Self.capacity, files.count < 256 else { return .failure(.shared(.noMemory)) }
        let file = offset == 0 ? [] : files[name] ?? []
        guard offset == file.count else { return Self.refusal(.files, 11) }
        files[name] = file + data
        return .success(CBORMap(["off": CBORValue(file.count + data.count)]))
    }

    func shell(_ fields: CBORMap, uptime: Duration) -> Result<CBORMap, MCUmgrRefusal> {
        let words = fields["argv"]?.elements?.compactMap(\.string) ?? []
        guard let first = words.first else { return Self.refusal(.shell, 3) }
        switch words {
        case ["kernel", "uptime"]:
            let milliseconds = uptime.clampedNanoseconds / 1_000_000
            return .success(CBORMap(["o": .text("Uptime: \(milliseconds) ms\n"), "ret": CBORValue(0)]))
        case ["help"]:
            return .success(CBORMap(["o": .text("kernel uptime\nhelp\n"), "ret": CBORValue(0)]))
        default:
            // ENOEXEC, as Zephyr's shell has it.
            return .success(CBORMap(["o": .text("\(first): command not found\n"), "ret": CBORValue(-8)]))
        }
    }
}
