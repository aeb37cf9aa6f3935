// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth

/// The central role on one adapter: where the devices come from.
///
/// There is one `Peripheral` for each device, whoever asks for it, because a device takes one connection from us.
public actor Central {
    private let radio: any Radio
    private let scope: TaskScope
    private let time: any TimeSource
    private let configuration: Peripheral.Configuration
    private var peripherals: [DeviceAddress: Peripheral] = [:]

    /// The central role of an adapter; nothing is sent yet.
    public init(
        radio: any Radio,
        scope: TaskScope,
        time: any TimeSource,
        configuration: Peripheral.Configuration = Peripheral.Configuration()
    ) {
        self.radio = radio
        self.scope = scope
        self.time = time
        self.configuration = configuration
    }

    /// The device with that address; nothing is sent yet.
    public func peripheral(_ address: DeviceAddress) -> Peripheral {
        if let known = peripherals[address] { return known }
        let new = Peripheral(address, radio: radio, scope: scope, time: time, configuration: configuration)
        peripherals[address] = new
        return new
    }

    /// Closes all links.
    public func disconnect() async {
        for peripheral in peripherals.values { await peripheral.disconnect() }
    }
}
