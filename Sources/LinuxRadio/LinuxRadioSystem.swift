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
        let adapters = try KernelAdapters.list()
        let operation = name ?? "Bluetooth"
        if let name {
            guard let adapter = adapters.first(where: { $0.name == name }) else {
                throw RadioError(adapters.isEmpty ? .noAdapter : .adapterNotFound(name), during: operation)
            }
            return try usable(adapter)
        }
        guard let adapter = adapters.first(where: { $0.state == .up }) ?? adapters.first else {
            throw RadioError(.noAdapter, during: operation)
        }
        return try usable(adapter)
    }

    /// Closes every channel and waits for the end of the I/O thread. Nothing can be opened afterwards.
    public func shutDown() { thread.shutDown() }

    /// The I/O thread, for who opens a channel.
    func ioThread() throws(RadioError) -> IOThread { try thread.get() }

    private func usable(_ adapter: AdapterDescription) throws(RadioError) -> any Radio {
        switch adapter.state {
        case .up: return KernelAdapter(adapter: adapter, system: self)
        case .down: throw RadioError(.adapterDown, during: adapter.name)
        case .blocked(let byHardware): throw RadioError(.radioBlocked(byHardware: byHardware), during: adapter.name)
        case .inUse: throw RadioError(.adapterBusy, during: adapter.name)
        }
    }
}
