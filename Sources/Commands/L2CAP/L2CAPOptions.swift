// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface
import Toolkit

struct L2CAPOptions: Sendable, Equatable {
    /// Which side opens the channel.
    enum Action: Sendable, Equatable {
        /// This one, to a device.
        case connect(DeviceOptions)
        /// The other one, which finds this machine by a name.
        case listen(name: String)
    }

    var action: Action
    var spsm: SPSM
    var mtu: UInt16
    /// The silence after which the channel is closed when the input has ended.
    var quietTime: Duration
    var isHex: Bool
    var limits: StopLimits
}

extension L2CAPOptions {
    /// The longest name that fits into an advertisement beside its flags, in octets: 31, less 3 for the flags and 2 for
    /// the length and the type of the name.
    private static let longestName = 26

    init(_ arguments: ParsedArguments) throws(UsageError) {
        guard let spsm = arguments[L2CAPCommand.psm] else {
            throw arguments.impossible("no service is given", hint: "--psm 0x80")
        }
        self.spsm = spsm
        mtu = arguments[L2CAPCommand.mtu]
        quietTime = arguments[L2CAPCommand.wait]
        isHex = arguments[L2CAPCommand.hex]
        limits = StopLimits(arguments, count: L2CAPCommand.count, duration: L2CAPCommand.duration)
        try arguments.refuseAttributesForChannels()
        switch arguments[L2CAPCommand.action] {
        case .connect:
            // It may change the device, so that exactly one must be meant.
            var device = try DeviceOptions(arguments, mustBeOnlyOne: true)
            device.usesSessions = false
            if let missing = device.missing { throw arguments.impossible(missing.message, hint: missing.hint) }
            action = .connect(device)
        case .listen:
            for option in LinkSettingsSpec.options + [GlobalSpec.timing.spec] where arguments.isGiven(option) {
                throw arguments.impossible("'--\(option.long)' is for 'connect'")
            }
            let name = arguments[DeviceSpec.name] ?? "blectl"
            guard name.utf8.count <= Self.longestName else {
                throw arguments.impossible("--name has more than the \(Self.longestName) octets of an advertisement")
            }
            action = .listen(name: name)
        }
    }

    /// The device to connect to; `nil` if this side waits for one.
    var device: DeviceOptions? {
        if case .connect(let device) = action { device } else { nil }
    }

    var request: L2CAPRequest {
        var request = L2CAPRequest(spsm: spsm, mtu: mtu)
        if let device { request.security = device.connection.security.level }
        return request
    }
}

extension ParsedArguments {
    /// Throws for a key size, because the link of a channel does not report it, and for options of ATT bearers.
    func refuseAttributesForChannels() throws(UsageError) {
        let refused = [DeviceSpec.minimumKeySize.spec, LinkSettingsSpec.mtu.spec, LinkSettingsSpec.bearers.spec]
        for option in refused where isGiven(option) {
            throw impossible("--\(option.long) is for commands that use attributes")
        }
    }
}
