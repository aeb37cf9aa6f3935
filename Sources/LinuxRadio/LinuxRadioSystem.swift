// SPDX-License-Identifier: GPL-2.0-or-later

public import BluetoothHost

/// The adapters of this machine, through the kernel's sockets; no daemon is needed.
///
/// All channels share one I/O thread, which starts with the first channel and ends with `shutDown`.
public final class LinuxRadioSystem: RadioSystem {
    public let time: any TimeSource
    private let thread: SharedIOThread

    /// Creates a system whose deadlines are on the given clock. Opens nothing yet.
    public init(time: any TimeSource = SystemTimeSource.linux) {
        self.time = time
        thread = SharedIOThread(time)
    }

    /// Every adapter as the kernel describes it. No HCI command is sent, so that a hung controller cannot delay the
    /// list.
    public func adapters() throws(RadioError) -> [AdapterDescription] {
        let manager = ManagerProcess.running()
        return try KernelAdapters.list().map { adapter in
            var adapter = adapter
            adapter.manager = manager
            return adapter
        }
    }

    /// The adapter with that name, or the first that is up. Throws the reason if none can be used.
    public func radio(named name: String?) throws(RadioError) -> any Radio {
        let wish = AdapterSelector(name: name)
        let adapter = try wish.choice(of: try KernelAdapters.list())
        try adapter.checkUse()
        return KernelAdapter(adapter: adapter, wish: wish, system: self)
    }

    public func openManagement() throws(RadioError) -> any ManagementChannel {
        try ManagementSocketChannel(on: try ioThread())
    }

    /// Closes every channel and waits for the end of the I/O thread. Nothing can be opened afterwards.
    public func shutDown() { thread.shutDown() }

    /// The shared I/O thread; starts it if necessary.
    func ioThread() throws(RadioError) -> IOThread { try thread.get() }
}

extension LinuxRadioSystem: InspectedMachine {
    package func facts() -> MachineFacts { MachineFolders().facts() }
}
