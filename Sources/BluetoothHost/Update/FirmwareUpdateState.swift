// SPDX-License-Identifier: MIT

public import Bluetooth

/// What has become of the device, for whoever an update leaves alone.
public enum FirmwareUpdateState: Hashable, Sendable {
    /// As it was.
    case untouched
    /// A slot has a part of the new image.
    case uploading(Int, of: Int)
    /// A slot has the new image.
    case uploaded
    /// The image is started once, at the next start.
    case chosen
    /// It is started for good.
    case kept
    /// The device was told to start the image.
    case starting
    /// The new image runs, and goes back at the next start unless it is confirmed.
    case running
    /// The device runs its old image.
    case putBack
    /// The device was told to start its boot loader, which waits for firmware at one of the addresses.
    case enteringBootLoader([DeviceAddress])
    /// The boot loader of Nordic's at an address has a part of the firmware; what was before may be erased. Only some go on
    /// where they were.
    case inBootLoader(DeviceAddress, Int, of: Int, goesOn: Bool)
    /// The boot loader has the whole firmware, and starts it.
    case installed(DeviceAddress)
}
