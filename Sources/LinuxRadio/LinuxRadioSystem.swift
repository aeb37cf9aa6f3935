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

    /// Every adapter; the controllers of those that are up are asked what they are.
    public func adapters() async throws(RadioError) -> [AdapterDescription] {
        var adapters = try KernelAdapters.list()
        for index in adapters.indices where adapters[index].state == .up {
            await ControllerQuestions.complete(&adapters[index], on: try ioThread(), time)
        }
        return adapters
    }

    /// The adapter of that name, or the first that is up; throws why none can be used.
    public func radio(named name: String?) throws(RadioError) -> any Radio {
        let wish = AdapterWish(name: name)
        let adapter = try wish.choice(of: try KernelAdapters.list())
        try adapter.checkUse()
        return KernelAdapter(adapter: adapter, wish: wish, system: self)
    }

    /// Closes every channel and waits for the end of the I/O thread. Nothing can be opened afterwards.
    public func shutDown() { thread.shutDown() }

    /// The I/O thread, for who opens a channel.
    func ioThread() throws(RadioError) -> IOThread { try thread.get() }
}

extension AdapterDescription {
    /// Throws why it cannot be used.
    func checkUse() throws(RadioError) {
        switch state {
        case .up: break
        case .down: throw RadioError(.adapterDown, during: name)
        case .blocked(let byHardware): throw RadioError(.radioBlocked(byHardware: byHardware), during: name)
        case .inUse: throw RadioError(.adapterBusy, during: name)
        }
    }
}
