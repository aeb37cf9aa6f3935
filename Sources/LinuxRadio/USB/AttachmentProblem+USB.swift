// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost

extension RadioError.AttachmentProblem {
    static let noLibrary = Self(
        "controllers on USB need libusb-1.0, which this machine lacks",
        remedy: "sudo apt install libusb-1.0-0",
        isCommand: true
    )

    /// No controller is the one that is meant.
    static func absent(among all: [USBController]) -> Self {
        let there = all.filter(\.isForBluetooth).map(\.label).joined(separator: ", ")
        return Self(
            there.isEmpty ? "there is no Bluetooth controller on USB" : "there is no such controller on USB",
            remedy: there.isEmpty ? "plug one in; 'lsusb' shows what is there" : "there are: \(there)"
        )
    }

    /// It lacks the endpoints that Bluetooth needs.
    static func noController(_ controller: USBController) -> Self {
        Self("\(controller.label) is no Bluetooth controller", remedy: "blectl adapters -i usb")
    }

    /// Its file belongs to others. Whoever sits at the machine may use it with such a rule, and members of the group.
    static func notPermitted(_ controller: USBController) -> Self {
        let vendor = controller.identifiers.prefix(4)
        let product = controller.identifiers.suffix(4)
        let rule =
            #"SUBSYSTEM=="usb", ATTR{idVendor}=="\#(vendor)", ATTR{idProduct}=="\#(product)", "#
            + #"GROUP="plugdev", MODE="0660", TAG+="uaccess""#
        return Self(
            "the permissions of \(controller.node) forbid it to all but root",
            remedy: "echo '\(rule)' | sudo tee /etc/udev/rules.d/70-blectl.rules && sudo udevadm control --reload "
                + "&& sudo udevadm trigger --subsystem-match=usb",
            isCommand: true,
            isOfPermissions: true
        )
    }

    static func busy(by program: ProcessReference?) -> Self {
        Self("another program uses the controller" + (program.map { ": \($0)" } ?? ""), remedy: "end that program")
    }

    /// It has not answered, also after a reset of USB.
    static func silent(_ controller: USBController) -> Self {
        if let maker = makers[controller.vendor] { return needsFirmware(of: maker) }
        // Spec: Linux, drivers/bluetooth/btusb.c, btusb_setup_csr
        let isCopy = controller.vendor == 0x0A12 && controller.product == 0x0001
        return Self(
            "\(controller.label) does not answer, nor after a reset of USB"
                + (isCopy ? ": copies of the CSR8510 hang when they are reset for the second time" : ""),
            remedy: "pull it out, and plug it in again"
        )
    }

    /// Makers whose controllers need firmware that the kernel's driver loads, by the vendors of USB.
    private static let makers: [UInt16: String] = [
        0x8087: "Intel", 0x0BDA: "Realtek", 0x0A5C: "Broadcom", 0x0E8D: "MediaTek",
    ]
}
