// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import Glibc

/// The folders in which the kernel and the system describe the machine. Needs no privilege.
///
/// Every file is short, and no more than its first octets are read; of a folder, no more than its first entries.
struct MachineFolders {
    /// The longest attribute that is read, in octets.
    private static let attributeLimit = 64
    /// The maximum number of octets that are read of other files: the status of a process, the sources of packages.
    private static let fileLimit = 8_192
    /// The maximum number of entries that are read of a folder.
    private static let entryLimit = 1_024

    let sys, proc: String
    private let modules, run: String
    /// The folder that all others are in; empty for that of the machine.
    private let root: String

    /// The folders of this machine, or those below another root.
    init(under root: String = "") {
        self.root = root
        sys = "\(root)/sys"
        proc = "\(root)/proc"
        modules = "\(root)/lib/modules"
        run = "\(root)/run"
    }

    func facts() -> MachineFacts {
        let release = attribute("\(proc)/sys/kernel/osrelease") ?? ""
        var facts = MachineFacts(kernel: release.isEmpty ? "Linux" : "Linux \(release)")
        facts.hasBluetoothPart = exists("\(sys)/module/bluetooth") || exists("\(sys)/class/bluetooth")
        facts.canLoadBluetoothPart = !release.isEmpty && exists("\(modules)/\(release)/kernel/net/bluetooth")
        facts.hasUSBDriver = exists("\(sys)/bus/usb/drivers/btusb")
        facts.driverless = driverless()
        facts.switches = switches()
        facts.rights = rights()
        facts.manager = ManagerProcess.find(proc: proc)
        facts.hasSystemd = exists("\(run)/systemd/system")
        facts.packageSources = packageSources()
        // The links of an adapter are in this folder as well, as `hci0:64`.
        for name in entries("\(sys)/class/bluetooth") where !name.contains(":") {
            facts.attachments[name] = attachment(of: name)
        }
        return facts
    }

    // MARK: - Devices

    private func attachment(of adapter: String) -> MachineFacts.Attachment {
        let device = "\(sys)/class/bluetooth/\(adapter)/device"
        let driver = target("\(device)/driver").map { String($0.split(separator: "/").last ?? "") }
        // The device of a driver on USB is an interface, in the folder of its device.
        let isOnUSB = exists("\(device)/bInterfaceClass")
        return MachineFacts.Attachment(driver: driver, usb: isOnUSB ? usbDevice(ofInterface: device) : nil)
    }

    private func usbDevice(ofInterface path: String) -> MachineFacts.USBDevice? {
        guard let whole = target(path) else { return nil }
        let parts = whole.split(separator: "/")
        guard parts.count > 1 else { return nil }
        let device = "/" + parts.dropLast().joined(separator: "/")
        let identifiers = [attribute("\(device)/idVendor"), attribute("\(device)/idProduct")].map { $0 ?? "?" }
        return MachineFacts.USBDevice(
            place: String(parts[parts.count - 2]),
            identifiers: identifiers.joined(separator: ":"),
            isSuspended: attribute("\(device)/power/runtime_status") == "suspended",
            maySuspend: attribute("\(device)/power/control") == "auto"
        )
    }

    /// The Bluetooth devices whose first interface has no driver.
    ///
    /// Spec: USB-IF, class codes: E0h wireless controller, 01h radio frequency, 01h Bluetooth
    private func driverless() -> [MachineFacts.USBDevice] {
        let folder = "\(sys)/bus/usb/devices"
        return entries(folder).filter { $0.hasSuffix(":1.0") }.compactMap { name in
            let interface = "\(folder)/\(name)"
            let codes = ["Class", "SubClass", "Protocol"].map { attribute("\(interface)/bInterface\($0)") }
            guard codes == ["e0", "01", "01"], !exists("\(interface)/driver") else { return nil }
            return usbDevice(ofInterface: interface)
        }
    }

    private func switches() -> [MachineFacts.RadioSwitch] {
        entries("\(sys)/class/rfkill").compactMap { entry in
            let folder = "\(sys)/class/rfkill/\(entry)"
            guard attribute("\(folder)/type") == "bluetooth" else { return nil }
            return MachineFacts.RadioSwitch(
                name: attribute("\(folder)/name") ?? entry,
                isBlockedBySoftware: attribute("\(folder)/soft") == "1",
                isBlockedByHardware: attribute("\(folder)/hard") == "1"
            )
        }
    }

    // MARK: - Rights

    /// The effective capabilities of this process; `nil` if they cannot be read.
    ///
    /// Spec: capabilities(7), proc_pid_status(5), linux/capability.h: CAP_NET_ADMIN is 12, CAP_NET_RAW is 13
    private func rights() -> MachineFacts.Rights? {
        guard let line = lines("\(proc)/self/status").first(where: { $0.hasPrefix("CapEff:") }),
            let set = UInt64(line.dropFirst("CapEff:".count).filter { $0 != " " && $0 != "\t" }, radix: 16)
        else { return nil }
        return MachineFacts.Rights(hasNetRaw: set >> 13 & 1 == 1, hasNetAdmin: set >> 12 & 1 == 1)
    }

    // MARK: - Packages

    /// The sources of packages of a Debian; `nil` on other systems, and before version 12, which has no component of
    /// firmware.
    ///
    /// Spec: os-release(5), sources.list(5)
    private func packageSources() -> MachineFacts.PackageSources? {
        let release = lines("\(root)/etc/os-release")
        guard release.contains("ID=debian") else { return nil }
        // One that is being prepared has no number.
        let version = release.first { $0.hasPrefix("VERSION_ID=") }
        if let version, Int(version.filter { $0 >= "0" && $0 <= "9" }).map({ $0 < 12 }) ?? true { return nil }
        // The newer form first: where that is used, the older file is empty or absent.
        let files = ["/etc/apt/sources.list.d/debian.sources", "/etc/apt/sources.list"]
        let sources = files.map { file in
            lines("\(root)\(file)").filter { $0.hasPrefix("deb ") || $0.hasPrefix("Components:") }
        }
        guard let used = sources.firstIndex(where: { !$0.isEmpty }) else { return nil }
        let hasFirmware = sources.joined().contains { $0.split(separator: " ").contains("non-free-firmware") }
        return MachineFacts.PackageSources(file: files[used], hasFirmware: hasFirmware)
    }

    // MARK: - Files

    func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// The real path of a symbolic link; `nil` if there is none.
    func target(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }

    /// The first line of a short file; `nil` if it cannot be read.
    func attribute(_ path: String) -> String? {
        guard exists(path) else { return nil }
        let line = contents(path, limit: Self.attributeLimit).split(separator: "\n", omittingEmptySubsequences: false)
        return line.first.map(String.init)
    }

    /// The lines of a file, without the empty ones; none if it cannot be read.
    private func lines(_ path: String) -> [Substring] {
        contents(path, limit: Self.fileLimit).split(separator: "\n")
    }

    func contents(_ path: String, limit: Int) -> String {
        do throws(Errno) {
            // Opening a FIFO would otherwise wait for its writer.
            let file = try OwnedFileDescriptor { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
            let bytes = try withUnsafeTemporaryAllocation(byteCount: limit, alignment: 1) { buffer throws(Errno) in
                let count = try systemCall { read(file.rawValue, buffer.baseAddress, limit) }
                return [UInt8](UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
            return String(decoding: bytes, as: UTF8.self)
        } catch {
            return ""
        }
    }

    /// The names in a folder, in order; none if it cannot be read.
    func entries(_ path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while names.count < Self.entryLimit, let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}
