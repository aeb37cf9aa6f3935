// SPDX-License-Identifier: GPL-2.0-or-later

public import BluetoothHost

/// The adapters of this machine, through the kernel's sockets; no daemon is needed.
///
/// All its channels share one I/O thread, which starts with the first of them and ends with `shutDown`.
public final class LinuxRadioSystem: RadioSystem {
    let time: any TimeSource
    private let thread = SharedIOThread()

    /// A system whose deadlines are on that clock. Nothing is opened yet.
    public init(time: any TimeSource) {
        self.time = time
    }

    /// Every adapter, as the kernel knows it; its controller is not asked.
    public func adapters() throws(RadioError) -> [AdapterDescription] {
        let manager = ManagerProcess.running()
        return try KernelAdapters.list().map { adapter in
            var adapter = adapter
            adapter.manager = manager
            return adapter
        }
    }

    /// The adapter of that name, or the first that is up; throws why none can be used.
    public func radio(named name: String?) throws(RadioError) -> any Radio {
        let wish = AdapterWish(name: name)
        let adapter = try wish.choice(of: try KernelAdapters.list())
        try adapter.checkUse()
        return KernelAdapter(adapter: adapter, wish: wish, system: self)
    }

    public func openManagement() throws(RadioError) -> any ManagementChannel {
        try ManagementSocketChannel(on: try ioThread())
    }

    /// Closes every channel and waits for the end of the I/O thread. Nothing can be opened afterwards.
    public func shutDown() { thread.shutDown() }

    /// The I/O thread, for who opens a channel.
    func ioThread() throws(RadioError) -> IOThread { try thread.get() }
}
