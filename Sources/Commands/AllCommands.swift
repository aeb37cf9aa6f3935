// SPDX-License-Identifier: GPL-2.0-or-later

import CaptureCommands
import CommandLineInterface
import ControllerCommands
import FirmwareCommands
package import Toolkit

extension CommandSet {
    /// The commands of blectl. A new one is a folder under `Commands/`, and its type here.
    package static let all: CommandSet = CommandSet(
        [
            ScanCommand.self, InspectCommand.self, ReadCommand.self, WriteCommand.self, NotifyCommand.self,
            WatchCommand.self, ProfileCommand.self, LinkCommand.self, ServeCommand.self, AdvertiseCommand.self,
            L2CAPCommand.self, BenchCommand.self, DeviceFileCommand.self, CloneCommand.self, DiffCommand.self,
            SimulateCommand.self, TraceCommand.self, ExtcapCommand.self, RunCommand.self, SessionCommand.self,
            ShellCommand.self, UpdateCommand.self, MCUmgrCommand.self, RadioCommand.self,
            PairCommand.self, UnpairCommand.self, BondsCommand.self, DevicesCommand.self, ForgetCommand.self,
            DecodeCommand.self, EncodeCommand.self, LookupCommand.self, AdaptersCommand.self, AdapterCommand.self,
            DoctorCommand.self, CompletionCommand.self, HelpCommand.self, VersionCommand.self,
        ],
        deviceCommand: InspectCommand.self,
        topics: { HelpTopic.all(of: CommandSet.all) }
    )
}
