// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import CBlueZ
import Glibc
import Testing

@testable import LinuxRadio

@Suite("Adapters of this machine")
struct LinuxRadioSystemTests {
    /// Whether the machine's kernel lacks Bluetooth, as in containers and on most build machines.
    static let lacksBluetooth: Bool = {
        do throws(Errno) {
            _ = try OwnedFileDescriptor.bluetooth(type: BLECTL_SOCK_RAW, protocol: BTPROTO_HCI)
            return false
        } catch {
            return error == Errno(EAFNOSUPPORT)
        }
    }()

    let system = LinuxRadioSystem(time: SystemTimeSource(wallTime: LinuxWallClock.now))

    @Test("Without AF_BLUETOOTH, everything reports missing kernel support", .enabled(if: lacksBluetooth))
    func noKernelSupport() {
        let error = #expect(throws: RadioError.self) { try system.adapters() }
        #expect(error?.cause == .noKernelSupport)
        for name in ["hci0", nil] {
            let error = #expect(throws: RadioError.self) { try system.radio(named: name) }
            #expect(error?.cause == .noKernelSupport)
        }
    }

    @Test("After the shutdown nothing can be opened, and a second one does nothing")
    func shutDown() throws {
        _ = try system.ioThread()
        system.shutDown()
        system.shutDown()
        #expect(throws: RadioError.self) { try system.ioThread() }
    }

    @Test("The wall clock is that of the machine")
    func wallClock() {
        // Not time(2), which reads a clock that lags by up to a tick of the kernel.
        let before = nanosecondsOfTheMachine()
        let now = LinuxWallClock.now().nanoseconds
        let after = nanosecondsOfTheMachine()
        #expect(now >= before)
        #expect(now <= after)
    }

    private func nanosecondsOfTheMachine() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
