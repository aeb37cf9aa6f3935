// SPDX-License-Identifier: MIT

import Bluetooth

/// Firmware that keeps the values of its characteristics itself, so that it alone knows what a part of a value makes of
/// the whole one.
protocol ValueKeepingFirmware: DeviceFirmware {
    /// The whole value that a write would make. The failure is the error that the write would get for its offset or its
    /// length.
    func whole(_ request: GATTServer.WriteContext, _ device: DeviceContext) -> Result<[UInt8], ATTRefusal>
}
