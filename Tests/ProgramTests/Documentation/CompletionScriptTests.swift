// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles
import Foundation
import TestProcesses
import Testing

@testable import CommandLineInterface
@testable import Commands
@testable import Toolkit

/// Runs the shells, which complete command lines with the scripts.
@Suite("Completions", .serialized)
struct CompletionScriptTests {
    /// A command line up to the cursor, and the words that are offered for its last word.
    struct Line: Sendable {
        let text: String
        let offers: [String]

        init(_ text: String, _ offers: [String]) {
            self.text = text
            self.offers = offers
        }
    }

    static let commands = CommandSet.all.table.names.map(\.rawValue)

    /// Lines with the words that every shell must offer, in any order.
    static let lines = [
        Line("", commands),
        Line("sc", ["scan"]),
        Line("-d x ", commands),
        Line("-dx -vi hci0 no", ["notify"]),
        Line("--color never no", ["notify"]),
        Line("--color=never no", ["notify"]),
        Line("-d F0:F1:F2:F3:F4:F5 re", ["read"]),
        Line("--rssi -70 sc", ["scan"]),
        Line("scan --so", ["--sort"]),
        Line("scan --ph", ["--phy"]),
        Line("read --retr", ["--retries"]),
        Line("scan --retr", []),
        Line("scan --sort ", ["seen", "rssi", "name", "address"]),
        Line("scan --sort r", ["rssi"]),
        Line("--color a", ["auto", "always"]),
        Line("scan --service heart-r", ["heart-rate"]),
        Line("read --as u1", ["u16"]),
        Line("read battery-level-", ["battery-level-status"]),
        Line("read x battery-level-", ["battery-level-status"]),
        Line("write battery-level-", ["battery-level-status"]),
        Line("write x battery-level-", []),
        Line("read -d x battery-level-", ["battery-level-status"]),
        Line("watch ", Profile.all.map(\.name)),
        Line("help ver", ["version"]),
        Line("help fau", ["faults"]),
        Line("help device", ["device", "devices", "device-options"]),
        Line("completion ", ["bash", "zsh", "fish"]),
        Line("inspect ", []),
        Line("inspect xyz", []),
    ]

    private func write(_ shell: Shell, to folder: URL) throws -> String {
        let url = folder.appending(path: CompletionScript.fileName(for: shell))
        try CompletionScript.script(for: shell).write(to: url, atomically: true, encoding: .utf8)
        return url.path
    }

    @Test("the program prints the files of completions/; if not, run: make completions")
    func files() throws {
        let folder = GeneratedFileTests.root.appending(path: "completions")
        for shell in Shell.allCases {
            let file = folder.appending(path: CompletionScript.fileName(for: shell))
            #expect(try String(contentsOf: file, encoding: .utf8) == CompletionScript.script(for: shell))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == Shell.allCases.count)
    }

    private func check(_ output: String, _ lines: [Line], _ shell: Shell) {
        let answers = output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        #expect(answers.count == lines.count)
        for (line, answer) in zip(lines, answers) {
            let offers = Set(answer.split(separator: " ").map(String.init))
            #expect(offers == Set(line.offers), "\(shell): blectl \(line.text)")
        }
    }

    @Test("bash", .enabled(if: Tool.bash.isInstalled))
    func bash() async throws {
        let lines =
            Self.lines + [
                // Readline splits lines at these characters, and replaces only the part behind them.
                Line("scan --sort=", ["seen", "rssi", "name", "address"]),
                Line("scan --sort=r", ["rssi"]),
                Line("read heart-rate/body-sen", ["heart-rate/body-sensor-location"]),
                Line("read immediate-alert/", ["immediate-alert/alert-level"]),
                Line("write x @/us", ["@/usr/"]),
                Line("--radio u", ["unix:"]),
                Line("--radio unix:/us", ["/usr/"]),
                Line("scan -- --", []),
                Line("read --ph", []),
                Line("watch battery ", Profile.all.map(\.name)),
            ]
        // Splits a line like readline, and calls the completion function like bash.
        let driver = #"""
            source "$1"
            shift
            for line in "$@"; do
                COMP_LINE="blectl $line" COMP_POINT=${#COMP_LINE} COMP_WORDS=() COMPREPLY=()
                read -ra words <<< "$COMP_LINE"
                [[ $line == *' ' || ! $line ]] && words+=('')
                for word in "${words[@]}"; do
                    while [[ $word =~ ^([^=:@]*)([=:@])(.*)$ ]]; do
                        [[ ${BASH_REMATCH[1]} ]] && COMP_WORDS+=("${BASH_REMATCH[1]}")
                        COMP_WORDS+=("${BASH_REMATCH[2]}")
                        word=${BASH_REMATCH[3]}
                        [[ $word ]] || continue 2
                    done
                    COMP_WORDS+=("$word")
                done
                COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
                word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
                # What readline replaces: nothing yet after a separator, and an at sign as well.
                [[ $word == [=:] ]] && word=
                [[ $before == @ ]] && word=@$word
                _blectl blectl "$word" "$before"
                echo "${COMPREPLY[*]}"
            done
            """#
        try await TemporaryFolder.use { folder in
            let script = try write(.bash, to: folder)
            let result = try await Tool.bash.run(
                ["--norc", "-c", driver, "bash", script] + lines.map(\.text),
                input: ""
            )
            #expect(result.errorOutput == "")
            check(result.output, lines, .bash)
        }
    }

    @Test("fish", .enabled(if: Tool.fish.isInstalled))
    func fish() async throws {
        let lines =
            Self.lines + [
                Line("scan --sort=r", ["--sort=rssi"]),
                Line("read heart-rate/body-sen", ["heart-rate/body-sensor-location"]),
                Line("read immediate-alert/", ["immediate-alert/alert-level"]),
                Line("write x @/us", ["@/usr/"]),
                Line("watch battery ", Profile.all.map(\.name)),
            ]
        let driver = """
            source $argv[1]
            for line in $argv[2..-1]
                echo (complete -C "blectl $line" | string replace -r '\\t.*' '')
            end
            """
        try await TemporaryFolder.use { folder in
            let script = try write(.fish, to: folder)
            let result = try await Tool.fish.run(
                ["--no-config", "-c", driver, script] + lines.map(\.text),
                input: "",
                home: folder
            )
            #expect(result.errorOutput == "")
            check(result.output, lines, .fish)
        }
    }

    @Test("zsh", .enabled(if: Tool.zsh.isInstalled))
    func zsh() async throws {
        let lines =
            Self.lines + [
                Line("scan --sort=r", ["rssi"]),
                Line("read heart-rate/body-sen", ["body-sensor-location"]),
                Line("read immediate-alert/", ["alert-level"]),
                Line("read --retries 3 battery-level-", ["battery-level-status"]),
                Line("scan --active --pass", []),
                Line("read --ph", []),
            ]
        // zsh completes only in its line editor, which needs a terminal. The test replaces the function that adds
        // words.
        let driver = #"""
            zmodload zsh/zpty
            zpty shell zsh -f -i
            zpty -w shell "
                PS1='' PS2='' fpath=($1 \$fpath)
                autoload -Uz compinit
                compinit -u -D
                compadd() {
                    local -a found
                    [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]] || {
                        builtin compadd -A found \"\$@\"
                        print -rn -- \"\$found \" >> $1/offers
                    }
                    builtin compadd \"\$@\"
                }
                finish() { BUFFER=''; print >> $1/offers; print -r -- ' fin''ished' }
                zle -N finish
                bindkey '^I' complete-word
                bindkey '^G' finish
                setopt NO_BEEP NO_LIST_BEEP
                LISTMAX=100000
            "
            for line in "${@[2,-1]}"; do
                zpty -w -n shell "blectl $line"$'\t\x07'
                zpty -r shell ignored '* finished*'
            done
            zpty -d shell
            cat $1/offers
            """#
        try await TemporaryFolder.use { folder in
            _ = try write(.zsh, to: folder)
            let result = try await Tool.zsh.run(
                ["-f", "-c", driver, "zsh", folder.path] + lines.map(\.text),
                input: "",
                home: folder
            )
            #expect(result.errorOutput == "")
            check(result.output, lines, .zsh)
        }
    }
}
