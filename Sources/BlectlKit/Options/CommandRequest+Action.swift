// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothProfiles

extension CommandRequest {
    /// The command in words, to follow "cannot" in an error that ends all of it: `read battery-level from a device
    /// named 'Thermo 1'`.
    var action: String { action(on: nil) }

    /// The same, with the device as it was found, in words; `nil` if it is not known yet.
    func action(on found: String?) -> String {
        func text(_ device: DeviceOptions) -> String { found ?? device.text }
        return switch command {
        case .inspect(_, let device): "inspect \(text(device))"
        case .read(let options, let device): "read \(Self.list(options.targets)) from \(text(device))"
        case .write(let options, let device): "write \(options.target) to \(text(device))"
        case .notify(let options, let device): "listen to \(Self.list(options.targets)) of \(text(device))"
        case .watch(let options, let device): "watch \(options.text) on \(text(device))"
        case .profile(let options, let device): "do \(options.text) on \(text(device))"
        case .link(_, let device): "look at the link to \(text(device))"
        case .clone(_, let device): "clone \(text(device))"
        case .diff(let options): "compare \(Prose.list(options.devices.map { Prose.quoted($0) }, "and"))"
        case .trace(let options): "read the capture \(DeviceFiles.name(of: options.file))"
        case .run(let options): "run \(Self.list(files: options.scripts))"
        case .pair(_, let device): "pair with \(text(device))"
        case .unpair(.device(let device)): "unpair \(device)"
        case .unpair(.all): "unpair all devices"
        case .bonds: "list bonds"
        case .devices: "list devices"
        case .forget(.device(let device)): "forget \(device)"
        case .forget(.all): "forget all devices"
        case .decode(let options): "decode \(options.type.text)"
        case .encode(let options): "encode \(options.type.text)"
        case .lookup(let options): "look up \(options.text)"
        case .bench(let options, let device): "measure \(options.text) of \(text(device))"
        case .l2cap(let options): "use the channel \(options.spsm)"
        case .session(let options): options.text(found)
        case .simulate(let options): options.text
        case .device(let options): "read \(Self.list(files: options.files))"
        case .shell: "run the lines of the shell"
        case .adapters: "list adapters"
        case .adapter(.show): "show the settings of the adapter"
        case .adapter(.power): "switch the adapter on or off"
        case .adapter(.lowEnergy): "switch Low Energy on or off"
        case .adapter(.reset): "reset the adapter"
        case .doctor: "examine this machine"
        case .version: "print the version"
        case .completion(let shell): "print the completion script for \(shell.rawValue)"
        case .help: "print the help"
        // These words are verbs.
        case .scan, .serve, .advertise: name.rawValue
        }
    }

    private static func list(_ targets: [AttributeTarget]) -> String {
        Prose.list(targets.prefix(3).map(\.text), "and") + (targets.count > 3 ? ", …" : "")
    }

    /// Files in words, as other errors name them.
    private static func list(files: [String]) -> String {
        Prose.list(files.map { DeviceFiles.name(of: $0) }, "and")
    }
}

extension SessionOptions {
    fileprivate func text(_ found: String?) -> String {
        switch action {
        case .start(_, let device): "start a session with \(found ?? device.text)"
        case .list: "list sessions"
        case .stop(.all): "stop all sessions"
        case .stop(.named(let name)): "stop the session \(Prose.quoted(name))"
        case .stop(.only): "stop the session"
        }
    }
}

extension SimulateOptions {
    fileprivate var text: String {
        switch action {
        case .serve: "keep a simulated world at \(socket)"
        case .ask, .set: "ask the simulated world at \(socket)"
        }
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
