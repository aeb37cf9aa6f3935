// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses

/// A shell in which the recipes of `blectl-rig(7)` are carried out, with the files that `make install` installs.
struct RigShell {
    /// Everything that the recipes write is below it.
    let folder: URL

    /// The line that is typed to set up, and those of the collector, from the page.
    static func commands() throws -> (setup: [String], collecting: [String]) {
        let displays = try ManualText.displays(of: "blectl-rig.7")
        return (
            displays.first { $0.contains { $0.contains("sudo install") } } ?? [],
            displays.first { $0[0].hasPrefix("mosquitto_sub") } ?? []
        )
    }

    /// Runs a script of bash.
    ///
    /// `setup` types what the page says, with a broker on a socket of the test. `rig NAME STREAM` runs what the unit
    /// does on a machine of that name; its publisher logs each acknowledgement in `NAME.log`. `collect N` types the Nth
    /// line of the collector. `until_there` waits for a command to succeed.
    func run(_ script: String) async throws -> BlectlRun {
        let commands = try Self.commands()
        let prelude = """
            export F=\(folder.path)
            export XDG_RUNTIME_DIR=$F/run BLECTL_SIMULATE=$F/world
            mkdir -p $F/run $F/lib $F/bin $F/etc/mosquitto/conf.d $F/etc/systemd/system $F/collector
            ln -s "$BLECTL" $F/bin/blectl
            export PATH=$F/bin:/usr/sbin:/usr/bin:/bin
            until_there() {
                for i in $(seq 10000); do eval "$1" >/dev/null 2>&1 && return; sleep 0.02; done; echo "never: $1"; exit 1
            }
            world() {
                blectl simulate serve --socket $F/world >$F/served & world=$!
                until_there '[ -s $F/served ]'
            }
            sudo() { "$@"; }
            broker_stop() { kill $broker; wait $broker; broker=; }
            systemctl() {
                case "$*" in
                "restart mosquitto")
                    [ -z "${broker-}" ] || broker_stop
                    sed -i "s|^listener 1883|listener 0 $F/b|; s| /etc/| $F/etc/|" $F/etc/mosquitto/conf.d/rigs.conf
                    printf '%s\\n' 'user root' 'persistence true' "persistence_location $F/lib/" \\
                        "include_dir $F/etc/mosquitto/conf.d" > $F/mosquitto.conf
                    rm -f $F/b; mosquitto -c $F/mosquitto.conf >>$F/broker.log 2>&1 & broker=$!
                    until_there '[ -S $F/b ]' ;;
                "enable --now blectl-rig@"*) rig rig-1 "${3#*@}" ;;
                *) echo "systemctl $*"; exit 1 ;;
                esac
            }
            user() {
                mosquitto_passwd -b $F/etc/mosquitto/rigs.passwords $1 SECRET
                mkdir -p $F/$1; printf '%s\\n' "--unix $F/b" "-u $1" '-P SECRET' -d > $F/$1/mosquitto_pub
            }
            rigs=
            rig() {
                mkdir -p $F/$1
                [ -e $F/$1/mosquitto_pub ] ||
                    sed "s|^-h broker|--unix $F/b|; \\$a -d" $F/etc/blectl-rig/mosquitto_pub > $F/$1/mosquitto_pub
                # What is sent is kept, too.
                sed -i '/tee/!s|$| \\| tee -a "$F/$BLECTL_RIG.sent"|' "$F/etc/blectl-rig/$2"
                line=$(sed -n 's/^ExecStart=//p' "$F/etc/systemd/system/blectl-rig@.service")
                line=${line//%i/$2}; line=${line//"/etc/"/"$F/etc/"}; line=${line//"/usr/local/bin"/"$F/bin"}
                BLECTL_RIG=$1 XDG_CONFIG_HOME=$F/$1 setsid $line </dev/null >>$F/$1.log 2>>$F/$1.err & rig=$!
                rigs="$rigs $rig"
            }
            # A machine that loses its power: all processes of the session.
            cut_off() { kill -9 $(ps -o pid= -s $1); }
            printf '%s\\n' "--unix $F/b" '-u collector' '-P SECRET' | tee $F/collector/mosquitto_sub > $F/collector/mosquitto_pub
            collect() {
                case $1 in \(commands.collecting.enumerated().map { "\($0)) \($1) ;;" }.joined(separator: " ")) esac
            }
            collector() { XDG_CONFIG_HOME=$F/collector collect "$@"; }
            setup() {
            \(commands.setup.map(placed).joined(separator: "\n"))
            }
            leave() {
                for rig in $rigs; do [ -z "$(ps -o pid= -s $rig)" ] || cut_off $rig; done
                for job in $(jobs -p); do kill -9 $(ps -o pid= --ppid $job) $job 2>/dev/null; done
            }
            trap leave EXIT

            """
        return try await Blectl.shell(prelude + script, environment: ["HOME": folder.path])
    }

    /// A line of the page, with the places of the test.
    private func placed(_ line: String) -> String {
        line.replacing("/usr/share/doc/blectl/examples", with: ManualText.root.appending(path: "man/rig").path)
            .replacing("/usr/local/bin", with: "$F/bin").replacing("/etc/", with: "$F/etc/")
    }

    /// The lines of a file.
    func lines(_ name: String) throws -> [String] {
        try String(contentsOf: folder.appending(path: name), encoding: .utf8).split(separator: "\n").map(String.init)
    }
}
