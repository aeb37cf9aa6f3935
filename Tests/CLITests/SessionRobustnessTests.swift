// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// What a session does when the process at the other end of its socket is not blectl, or does not behave.
@Suite("blectl session, with hostile and broken processes", .startsPrograms(.waiting, isLong: true))
struct SessionRobustnessTests {
    /// Connects to sockets in Python: `hostile NAME` runs one of the functions.
    private static let hostile = #"""
        cat >$F/hostile.py <<'END'
        import os, random, resource, select, signal, socket, sys, time

        resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),) * 2)
        folder = os.environ["XDG_RUNTIME_DIR"] + "/blectl/"
        # The first packet of a guest: connect to C8:4B:1D:3A:90:5E within a minute.
        CONNECT = b"B\1\3" + bytes(8) + bytes.fromhex("015e903a1d4bc8") + (60 * 10**9).to_bytes(8, "little")
        READ = b"\0" + bytes.fromhex("0a0300")
        DESCRIBE, STOP = b"B\1\6\1", b"B\1\6\2"

        def connected():
            end = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            end.connect(folder + os.listdir(folder)[0])
            end.settimeout(10)
            return end

        def send(end, data):
            try:
                end.send(data)
            except OSError:
                pass

        def noise():
            luck = random.Random(int(os.environ.get("SEED", "1")))
            for _ in range(300):
                end = connected()
                for _ in range(luck.randrange(1, 4)):
                    head = luck.choice([b"", b"B\1", b"B\1" + bytes([luck.randrange(9)])])
                    send(end, head + luck.randbytes(luck.choice([0, 1, 7, 60, 500, 4000])))
                end.close()

        def halves():
            ends = [connected() for _ in CONNECT]
            for length, end in enumerate(ends):
                send(end, CONNECT[:length] or b"B")
            return ends

        def giants():
            for size in (8_191, 8_192, 8_193, 65_536, 150_000):
                send(connected(), b"B\1\6" + b"x" * size)
                end = connected()
                send(end, CONNECT)
                send(end, b"\0" + b"x" * size)

        def deaf():
            ends = [connected() for _ in range(20)]
            for end in ends:
                end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
                send(end, CONNECT)
                end.setblocking(False)
                for _ in range(200):
                    send(end, READ)
            return ends

        def many():
            ends = []
            for _ in range(600):
                try:
                    ends.append(connected())
                except OSError:
                    break
            return ends

        def silent():
            """Takes the place of a session, and says nothing."""
            listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            listener.bind(os.environ["SOCKET"])
            os.chmod(os.environ["SOCKET"], 0o600)
            listener.listen(5)
            print("ready", flush=True)
            held = []
            while True:
                held.append(listener.accept()[0])

        def mute():
            """Takes the place of a session, describes itself as that did, and answers nothing else."""
            end = connected()
            send(end, DESCRIBE)
            description = end.recv(100_000)
            send(connected(), STOP)
            while os.path.exists(os.environ["SOCKET"]):
                time.sleep(0.02)
            listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            listener.bind(os.environ["SOCKET"])
            os.chmod(os.environ["SOCKET"], 0o600)
            listener.listen(5)
            print("ready", flush=True)
            held = []
            while True:
                end = listener.accept()[0]
                if end.recv(10_000) == DESCRIBE:
                    send(end, description)
                held.append(end)

        def deserters():
            """Two sessions that describe themselves as the real one does, and hang up on every other question."""
            real = folder + os.listdir(folder)[0]
            listeners = {}
            for name in ("deaf-no1", "deaf-no2"):
                listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                listener.bind(real.replace("pulse-hr", name))
                os.chmod(real.replace("pulse-hr", name), 0o600)
                listener.listen(5)
                listeners[listener] = name.encode()
            print("ready", flush=True)
            asked = set()
            while True:
                for listener in select.select(list(listeners), [], [])[0]:
                    end = listener.accept()[0]
                    request = end.recv(10_000)
                    if listener not in asked:
                        asked.add(listener)
                        other = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                        other.connect(real)
                        other.send(request)
                        end.send(other.recv(100_000).replace(b"pulse-hr", listeners[listener]))
                        other.close()
                    end.close()

        held = globals()[sys.argv[1]]()
        print("done", flush=True)
        if held:
            signal.pause()
        END
        hostile() { python3 $F/hostile.py "$@"; }
        # Those that hold connections stay until they are killed.
        holding() { python3 $F/hostile.py $1 >$F/$1 2>&1 & other=$!; until_there "grep -q . $F/$1"; }

        """#

    private func shell(_ script: String) async throws -> (lines: [String], errors: String) {
        try await SessionShell.run(Self.hostile + script)
    }

    @Test func `noise, partial and huge messages, and clients that never read do not stop a session`() async throws {
        let run = try await shell(
            #"""
            blectl session start -d 'Pulse HR' >/dev/null; pid=$(holder)
            blectl read battery-level; before=$(ls /proc/$pid/fd | wc -l)
            for kind in noise giants; do hostile $kind; blectl -v read battery-level 2>&1 | grep -c "using session 'pulse-hr'"; done
            for kind in halves deaf; do
                holding $kind; cat $F/$kind
                blectl -v read battery-level 2>&1 | grep -c "using session 'pulse-hr'"
                kill $other; wait $other 2>/dev/null
            done
            blectl read battery-level
            until_there "[ \$(ls /proc/$pid/fd | wc -l) -le $before ]"
            [ "$(holder)" = $pid ] && echo same; blectl session stop
            """#
        )
        let expected = [
            "87 %", "done", "1", "done", "1", "done", "1", "done", "1", "87 %", "same", "session pulse-hr has ended",
        ]
        #expect(run.lines == expected, "\(run)")
        #expect(run.errors == "", "\(run)")
    }

    @Test func `a session that several commands stop at once has ended for each`() async throws {
        let run = try await shell(
            #"""
            for round in 1 2 3; do
                blectl session start -d 'Pulse HR' >/dev/null
                for i in 1 2 3 4 5 6; do blectl session stop >$F/$i 2>&1; echo $? >$F/status$i & done
                wait $(jobs -p)
                # Status 68 is that of one for which there was no session any more.
                cat $F/status[1-6] | sort -u
            done
            """#
        )
        #expect(run.lines.contains("0") && Set(run.lines).isSubset(of: ["0", "68"]), "\(run)")
    }

    @Test func `six hundred connections block others only while they exist`() async throws {
        let run = try await shell(
            #"""
            ulimit -n 4096
            blectl session start -d 'Pulse HR' >/dev/null; pid=$(holder); before=$(ls /proc/$pid/fd | wc -l)
            holding many; cat $F/many
            # A command that gets no answer connects by itself.
            blectl read battery-level -d 'Pulse HR' --timeout 10 2>/dev/null
            kill $other; wait $other 2>/dev/null
            until_there "[ \$(ls /proc/$pid/fd | wc -l) -le $before ]"
            blectl -v read battery-level 2>&1 | grep -c "using session 'pulse-hr'"
            [ "$(holder)" = $pid ] && echo same; blectl session stop
            """#
        )
        #expect(run.lines == ["done", "87 %", "1", "same", "session pulse-hr has ended"], "\(run)")
    }

    @Test func `a process that says nothing is left out after --timeout, and the command connects by itself`()
        async throws
    {
        let run = try await shell(
            #"""
            blectl session start -d 'Pulse HR' >/dev/null
            export SOCKET=$XDG_RUNTIME_DIR/blectl/$(ls $XDG_RUNTIME_DIR/blectl)
            blectl session stop
            holding silent
            begin=$EPOCHREALTIME
            blectl read battery-level -d 'Pulse HR' --timeout 8 2>$F/err; echo $?
            awk -v begin=$begin -v end=$EPOCHREALTIME 'BEGIN { spent = end - begin; print (spent >= 8 && spent < 16) ? "in time" : spent }'
            kill $other; cat $F/err
            """#
        )
        let expected = [
            "session pulse-hr has ended", "87 %", "0", "in time",
            "blectl: session 'pulse-hr' is left out: its process has said nothing for 8 s",
        ]
        #expect(run.lines == expected, "\(run)")
    }

    @Test func `a process that stalls after its description is given up after --connect-timeout`() async throws {
        let run = try await shell(
            #"""
            blectl session start -d 'Pulse HR' >/dev/null
            SOCKET=$(ls $XDG_RUNTIME_DIR/blectl/*) holding mute
            begin=$EPOCHREALTIME
            blectl read battery-level -d 'Pulse HR' --timeout 20 --connect-timeout 6 2>$F/err; echo $?
            awk -v begin=$begin -v end=$EPOCHREALTIME 'BEGIN { spent = end - begin; print (spent >= 6 && spent < 16) ? "in time" : spent }'
            kill $other; cat $F/err
            """#
        )
        let expected = [
            "124", "in time", "blectl: cannot connect to Pulse HR (C8:4B:1D:3A:90:5E): the device did not answer",
            "hint: a session has its link: blectl session list, or connect with --no-session",
        ]
        #expect(run.lines == expected, "\(run)")
    }

    @Test func `sessions that cannot be stopped are reported, and the others are stopped`() async throws {
        let run = try await shell(
            #"""
            blectl session start -d 'Pulse HR' >/dev/null
            holding deserters
            blectl session stop --all --timeout 5 2>$F/err; [ $? -ne 0 ] && echo failed
            kill $other; grep -o "cannot stop session 'deaf-no[12]'" $F/err
            """#
        )
        let expected = [
            "session pulse-hr has ended", "failed", "cannot stop session 'deaf-no1'", "cannot stop session 'deaf-no2'",
        ]
        #expect(run.lines == expected, "\(run)")
    }

    @Test func `a hung process is reported as such, and cannot be stopped`() async throws {
        let run = try await shell(
            #"""
            blectl session start -d 'Pulse HR' >/dev/null; pid=$(holder)
            stopped $pid
            blectl session list --timeout 1 2>$F/list; echo "list $?"
            blectl session stop pulse-hr --timeout 1 2>$F/named; echo "named $?"
            blectl session stop --timeout 1 2>$F/only; echo "only $?"
            kill -CONT $pid
            cat $F/list; grep -c "cannot stop session 'pulse-hr': it does not answer" $F/named $F/only | grep -o '[0-9]*$'
            blectl session stop
            """#
        )
        let expected = [
            "list 0", "named 124", "only 124",
            "blectl: session 'pulse-hr' is left out: its process has said nothing for 1 s", "1", "1",
            "session pulse-hr has ended",
        ]
        #expect(run.lines == expected, "\(run)")
    }

    @Test func `a command longer than --timeout is awaited while its process lives`() async throws {
        let run = try await shell(
            """
            world
            blectl session start -d 'Pulse HR' >/dev/null
            touch_world out-of-range 'Pulse HR'
            until_there "blectl session list --format '{state}' | grep -q connecting"
            blectl read battery-level --timeout 3 --connect-timeout 9 2>$F/err; echo "away $?"
            grep -c "cannot use session" $F/err; grep -c "Pulse HR" $F/err
            blectl session stop
            """
        )
        #expect(run.lines == ["away 124", "0", "1", "session pulse-hr has ended"], "\(run)")
    }

    @Test func `a status query does not keep a session from being idle, and a read does`() async throws {
        let run = try await shell(
            #"""
            blectl session start -d 'Pulse HR' --idle 5 >/dev/null; pid=$(holder)
            end=$((SECONDS + 9)); while [ $SECONDS -lt $end ]; do blectl read battery-level; done | sort -u
            [ "$(holder)" = $pid ] && echo "used, and there"
            # A command that means another device asks for the link, and leaves without a request; so does a scan.
            (until [ -e $F/stop ]; do
                blectl read temperature -d 'Thermo 1'; blectl notify temperature -d 'Thermo 1' --count 1
                blectl session list; blectl scan --count 1
            done) >/dev/null 2>&1 & looker=$!
            until_there "! kill -0 $pid"; touch $F/stop; wait $looker; echo "idle, and gone"
            """#
        )
        #expect(run.lines == ["87 %", "used, and there", "idle, and gone"], "\(run)")
        #expect(run.errors == "", "\(run)")
    }

    @Test func `another user who reaches the socket is refused without a message`() async throws {
        guard geteuid() == 0, FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv") else { return }
        let run = try await shell(
            #"""
            chmod 755 $F $XDG_RUNTIME_DIR
            blectl session start -d 'Pulse HR' >/dev/null
            chmod 755 $XDG_RUNTIME_DIR/blectl; chmod 666 $XDG_RUNTIME_DIR/blectl/*
            cat >$F/other.py <<'END'
            import os, socket, sys
            folder = sys.argv[1] + "/blectl/"
            end = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            end.connect(folder + os.listdir(folder)[0])
            end.settimeout(20)
            try:
                end.send(b"B\1\6\1")
            except BrokenPipeError:
                pass
            try:
                print(len(end.recv(10_000)))
            except ConnectionResetError:
                print(0)
            END
            setpriv --reuid 65534 --clear-groups --inh-caps=-all python3 $F/other.py $XDG_RUNTIME_DIR
            python3 $F/other.py $XDG_RUNTIME_DIR | awk '{ print ($1 > 10) ? "told" : "not told" }'
            chmod 700 $XDG_RUNTIME_DIR/blectl; blectl read battery-level; blectl session stop
            """#
        )
        #expect(run.lines == ["0", "told", "87 %", "session pulse-hr has ended"], "\(run)")
    }
}
