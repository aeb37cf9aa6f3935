// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses

/// The programs that hints name. Each is a script that takes the arguments of the real one which matter here, and fails
/// for others.
extension MadeUpMachine {
    /// By their places. As on Debian, the path of an ordinary user has no `sbin`.
    private static let programs = [
        "usr/bin/sudo": """
        # The path of sudo has the programs of the administrator (secure_path).
        export PATH="$ROOT/usr/sbin:$PATH" BY_ROOT=yes
        exec "$@"
        """,
        "usr/bin/sed": "exec /usr/bin/sed \"$@\"",
        // The kernel wakes a device that is not to be suspended (pm_runtime_forbid). It has no other file to write to.
        "usr/bin/tee": """
        [ "$BY_ROOT" ] && [ -e "$1" ] || exit 1
        case "$1" in */power/control) ;; *) exit 1 ;; esac
        read -r word
        case "$word" in
        on) echo active > "${1%control}runtime_status" ;;
        auto) ;;
        *) exit 1 ;;
        esac
        echo "$word" > "$1"
        """,
        // The status of 'update' is that of a machine with a source of other packages whose key is too old.
        "usr/bin/apt": """
        [ "$BY_ROOT" ] || exit 100
        case "$*" in
        update)
            cd "$ROOT/etc/apt"
            if cat sources.list sources.list.d/* 2>&1 | grep -qE '^(deb |Components:).* non-free-firmware'; then
                touch "$ROOT/offered"
            fi
            exit 100 ;;
        'install firmware-realtek') file=rtl_bt/rtl8761bu_fw.bin ;;
        'install firmware-atheros') file=qca/rampatch_usb_00000302.bin ;;
        'install firmware-iwlwifi') file=intel/ibt-0040-0041.sfi ;;
        *) exit 100 ;;
        esac
        [ -e "$ROOT/offered" ] || exit 100
        mkdir -p "$ROOT/lib/firmware/${file%/*}"
        touch "$ROOT/lib/firmware/$file"
        """,
        // A driver takes devices that have none, and loads their firmware then. Where no program manages adapters, the
        // kernel switches a new one off after two seconds.
        "usr/sbin/modprobe": """
        [ "$BY_ROOT" ] && cd "$ROOT/sys" || exit 1
        case "$*" in
        bluetooth) mkdir -p module/bluetooth ;;
        '-r btusb')
            rm -rf class/bluetooth/hci0 bus/usb/drivers/btusb
            rm -f bus/usb/devices/*:1.0/driver ;;
        btusb)
            mkdir -p module/bluetooth bus/usb/drivers/btusb
            for interface in bus/usb/devices/*:1.0; do
                if [ -e "$interface/driver" ]; then continue; fi
                ln -s "$ROOT/sys/bus/usb/drivers/btusb" "$interface/driver"
                mkdir -p class/bluetooth/hci0
                ln -s "$(readlink "$interface")" class/bluetooth/hci0/device
                case "$(cat "$interface/../idVendor")" in
                0bda) file=rtl_bt/rtl8761bu_fw.bin ;;
                0cf3) file=qca/rampatch_usb_00000302.bin ;;
                8087) file=intel/ibt-0040-0041.sfi ;;
                *) file= ;;
                esac
                if [ -e "$ROOT/lib/firmware/$file" ] || [ -z "$file" ]; then state=down; else state=failed; fi
                echo "$state" > "$ROOT/controller"
            done ;;
        *) exit 1 ;;
        esac
        """,
        "usr/sbin/rfkill": """
        [ "$*" = 'unblock bluetooth' ] || exit 1
        echo 0 > "$ROOT/sys/class/rfkill/rfkill0/soft"
        """,
        "usr/bin/systemctl": """
        [ "$BY_ROOT" ] && [ "$*" = 'stop bluetooth' ] || exit 1
        rm -r "$ROOT/proc/612"
        """,
        // The management interface does not list an adapter that could not be set up, so that it cannot be powered.
        "usr/bin/blectl": """
        [ "$BY_ROOT" ] && [ "$*" = 'adapter power on' ] && [ "$(cat "$ROOT/controller")" = down ] || exit 69
        echo up > "$ROOT/controller"
        """,
    ]

    /// Puts the programs into their places.
    func install() throws {
        for (path, script) in Self.programs {
            // The scripts themselves use programs of the machine that the test runs on.
            let search = path == "usr/bin/sudo" ? "" : "PATH=/usr/bin:/bin\n"
            try folders.file(path, "#!/bin/sh\n\(search)\(script)\n")
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o755],
                ofItemAtPath: folders.url.appending(path: path).path
            )
        }
    }
}
