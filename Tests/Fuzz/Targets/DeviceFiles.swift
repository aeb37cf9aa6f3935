// SPDX-License-Identifier: GPL-2.0-or-later

@testable import Bluetooth
@testable import BluetoothDevices
@testable import BluetoothProfiles

/// The first octet selects how the rest is read: as a device file, or as a world file whose other files are this one.
func fuzz(_ bytes: [UInt8]) {
    guard let choice = bytes.first else { return }
    let text = Array(bytes.dropFirst())
    if choice & 1 == 0 { checkDevice(text) } else { checkWorld(text) }
}

private func checkDevice(_ bytes: [UInt8]) {
    do throws(DeviceFileErrors) {
        let device = try DeviceFile.read(bytes, named: "fuzz.json") { _ in bytes }
        // What the reader accepts runs.
        check((try? device.image()) != nil, "a device that cannot run")
        for set in device.advertising {
            let limit = if case .extended = set.kind { 1_650 } else { 31 }
            check(set.data(.start).count <= limit && set.response(.start).count <= limit, "too much advertising data")
        }
        let again = try DeviceFile.read(Array(DeviceFile.text(of: device).utf8), named: "again.json")
        check(again.comparable == device.comparable, "read differently: \(DeviceFile.text(of: device))")
    } catch {
        check(error)
    }
}

private func checkWorld(_ bytes: [UInt8]) {
    let sources = WorldFile.Sources(file: { _ in bytes })
    do throws(DeviceFileErrors) {
        let world = try WorldFile.read(bytes, named: "fuzz.json", sources)
        check(world.devices.count <= WorldFile.limit, "\(world.devices.count) devices")
        check(Set(world.devices.map(\.label)).count == world.devices.count, "two devices with one label")
        check(Set(world.devices.map(\.address)).count == world.devices.count, "two devices with one address")
    } catch {
        check(error)
    }
}

private func check(_ error: DeviceFileErrors) {
    check(!error.errors.isEmpty, "an error without a fault")
    check(error.errors.count <= 2 * FaultCollector.limit, "\(error.errors.count) faults")
    for fault in error.errors {
        check(fault.line >= 1, "a fault on no line")
        check(fault.description.utf8.count < 0x1_0000, "a very long message")
    }
}

extension DeviceDefinition {
    /// The definition with advertising data as octets, because a file tells some of it in another form.
    fileprivate var comparable: DeviceDefinition {
        var copy = self
        for index in copy.advertising.indices {
            copy.advertising[index].frames = copy.advertising[index].frames.map(\.octets)
            copy.advertising[index].scanResponse = copy.advertising[index].scanResponse?.octets
        }
        return copy
    }
}

extension AdvertisingFrame {
    fileprivate var octets: AdvertisingFrame { AdvertisingFrame([.octets(encoded(at: .start))]) }
}
