// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import CommandLineInterface
import Toolkit

struct BenchOptions: Sendable, Equatable {
    enum Action: Sendable, Equatable {
        case read(AttributeTarget)
        case write(AttributeTarget)
        case notify(AttributeTarget)
        case l2cap(SPSM)
    }

    var action: Action
    /// The length of the written or sent values, in octets.
    var size: Int
    /// Whether nothing waits for an answer.
    var isOneWay: Bool
    /// The end; there is always one.
    var limits: StopLimits
    /// The file for a chart; `nil` for none.
    var chart: ChartFile?
    /// Whether the attribute is that of the bench device, because the command line names none.
    var isUsualTarget = false

    /// The attribute; `nil` for a channel.
    var target: AttributeTarget? {
        switch action {
        case .read(let target), .write(let target), .notify(let target): target
        case .l2cap: nil
        }
    }

    /// Whether the benchmark writes to the device. Such a command requires that exactly one device fits.
    var changesDevice: Bool {
        switch action {
        case .read, .notify: false
        case .write, .l2cap: true
        }
    }

    /// Whether an operation ends when it is queued. At the end of writes without response, a read shows that the device
    /// has them.
    var isQueued: Bool {
        if case .l2cap = action { isOneWay } else { false }
    }

    /// The word for what `--count` counts. This side receives values and units, or the device does.
    var counted: CountedThing {
        switch action {
        case .read, .write, .notify: .value
        case .l2cap: .unit
        }
    }

    /// The word of the action: `read`.
    var word: String {
        switch action {
        case .read: "read"
        case .write: "write"
        case .notify: "notify"
        case .l2cap: "l2cap"
        }
    }

    /// The action in words: `read battery-level`.
    var text: String {
        switch action {
        case .read(let target): "read \(target)"
        case .write(let target): "write \(target)"
        case .notify(let target): "notify \(target)"
        case .l2cap(let spsm): "l2cap \(spsm)"
        }
    }
}

extension BenchOptions {
    /// The characteristic of the bench device, which is the counterpart of this command.
    private static func usualTarget(of kind: BenchAction) -> BluetoothUUID {
        kind == .notify ? BuiltInDevice.benchStream : BuiltInDevice.benchData
    }

    init(_ arguments: ParsedArguments) throws(UsageError) {
        size = arguments[BenchCommand.size]
        isOneWay = arguments[BenchCommand.oneWay]
        limits = StopLimits(arguments, count: BenchCommand.count, duration: BenchCommand.duration)
        if limits.count == nil, limits.duration == nil { limits.count = BenchCommand.usualCount }
        chart = arguments[BenchCommand.chart]
        let kind = arguments[BenchCommand.action]
        guard kind == .write || kind == .l2cap || !arguments.isGiven(BenchCommand.size) else {
            throw arguments.impossible("'--size' is for 'write' and 'l2cap'")
        }
        guard kind == .l2cap || !arguments.isGiven(L2CAPCommand.psm) else {
            throw arguments.impossible("'--psm' is for 'l2cap'")
        }
        if kind == .l2cap {
            guard let spsm = arguments[L2CAPCommand.psm] else {
                throw arguments.impossible("no service is given", hint: "--psm 0x80")
            }
            try arguments.refuseAttributesForChannels()
            guard arguments[BenchCommand.target] == nil else {
                throw arguments.impossible("'l2cap' takes no characteristic", hint: "--psm names the service")
            }
            action = .l2cap(spsm)
            return
        }
        isUsualTarget = arguments[BenchCommand.target] == nil
        let text = arguments[BenchCommand.target] ?? Self.usualTarget(of: kind).description
        let target = try arguments.target(text, of: BenchCommand.target)
        guard !target.isDescriptor else {
            throw arguments.impossible("cannot measure \(target): a descriptor is not for data")
        }
        guard kind != .write || size <= GATTLimits.maximumValueLength else {
            throw arguments.impossible(
                "--size is more than the \(GATTLimits.maximumValueLength) octets of an attribute"
            )
        }
        switch kind {
        case .read: action = .read(target)
        case .write: action = .write(target)
        // `l2cap` has returned above.
        case .notify, .l2cap: action = .notify(target)
        }
        guard kind == .write || !isOneWay else {
            throw arguments.impossible("'--one-way' is for 'write' and 'l2cap'")
        }
    }
}
