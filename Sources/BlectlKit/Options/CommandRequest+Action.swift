// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothProfiles

extension CommandRequest {
    /// The command in words, to follow "cannot" in an error that ends all of it: `read battery-level from a device
    /// named 'Thermo 1'`.
    var action: String {
        switch command {
        case .inspect(_, let device): "inspect \(device.text)"
        case .read(let options, let device): "read \(Self.list(options.targets)) from \(device.text)"
        case .write(let options, let device): "write \(options.target) to \(device.text)"
        case .notify(let options, let device): "listen to \(Self.list(options.targets)) of \(device.text)"
        case .watch(let options, let device): "watch \(options.text) on \(device.text)"
        case .profile(let options, let device): "do \(options.text) on \(device.text)"
        case .link(_, let device): "look at the link to \(device.text)"
        case .clone(_, let device): "clone \(device.text)"
        case .diff(let options): "compare \(Prose.list(options.devices.map { Prose.quoted($0) }, "and"))"
        case .trace(let options): "read the capture \(options.file)"
        case .run(let options): "run \(Prose.list(options.scripts.map { Prose.quoted($0) }, "and"))"
        case .pair(_, let device): "pair with \(device.text)"
        case .unpair(.device(let device)): "unpair \(device)"
        case .unpair(.all): "unpair all devices"
        case .bonds: "list bonds"
        case .devices: "list devices"
        case .forget: "forget"
        case .decode(let options): "decode \(options.type.text)"
        case .encode(let options): "encode \(options.type.text)"
        case .lookup(let options): "look up \(options.text)"
        case .bench(let options, let device): "measure \(options.text) of \(device.text)"
        case .l2cap(let options): "use the channel \(options.spsm)"
        case .scan, .serve, .advertise, .simulate, .session, .shell, .device, .adapters, .adapter, .doctor, .version,
            .completion, .help:
            name.rawValue
        }
    }

    private static func list(_ targets: [AttributeTarget]) -> String {
        Prose.list(targets.prefix(3).map(\.text), "and") + (targets.count > 3 ? ", …" : "")
    }
}

extension DeviceOptions {
    /// The device in words, as it was asked for.
    fileprivate var text: String {
        switch selector {
        case nil: missing == nil ? "the device at the socket" : "the device"
        case .address(let address, _)?: address.description
        case let selector?: "a device \(selector.text)"
        }
    }
}
