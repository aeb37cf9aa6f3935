# SPDX-License-Identifier: GPL-2.0-or-later
#
#   make demo     install what is missing, build, and watch a simulated heart
#   make test     install what is missing, and run the tests
#   make          build the release
#   make help     the other targets

PREFIX  ?= /usr/local
DESTDIR ?=
SWIFT   ?= swift
# The total run time of all fuzz targets, in seconds.
FUZZ_SECONDS ?= 60
# The most failed tests that run once more, alone.
TEST_AGAIN ?= 0
SUDO    ?= $(shell [ "$$(id -u)" = 0 ] || echo sudo)

# Packed relocations take 20 KB instead of 1.2 MB, because most of them only add the base address. That makes the
# program start faster. They need glibc 2.36: an older one refuses to start the program, so they are used only if the
# glibc of this machine supports them. For a target with an older glibc: make PACKED_RELOCATIONS=
PACKED_RELOCATIONS := $(shell grep -q GLIBC_ABI_DT_RELR "$$(clang -print-file-name=libc.so.6)" 2>/dev/null && \
    echo -Xlinker -z -Xlinker pack-relative-relocs)

# The Swift libraries are linked statically. So are the libraries of C++ and of the compiler that they use, because looking up
# symbols took most of the start-up time. At run time the program needs libc, libm and libbluetooth.
STATIC        := .build/static
SYMBOLS       := -Xlinker -s
# The program has a fixed address, as those of Go have. An address that is chosen at each start takes 270 more pages, whose
# 77,000 pointers the loader corrects: 0.7 ms of the 2.6 that blectl --version took. Where a distribution demands one: make PIE=1
PIE           :=
ADDRESS       = $(if $(PIE),,-Xclang-linker -no-pie)
# What a command runs and writes first lies together: make order. Tables for unwinding stay where symbols stay.
ORDER         = -Xlinker --symbol-ordering-file=Sources/blectl/start.order -Xlinker --no-warn-symbol-ordering \
    $(patsubst %,-Xlinker --script=Sources/blectl/%.ld,layout $(if $(filter -s,$(SYMBOLS)),stripped))
LINKER        = -static-stdlib -use-ld=lld -L$(STATIC) -Xclang-linker -static-libgcc $(SYMBOLS) $(ADDRESS) $(ORDER) \
    -Xlinker --gc-sections -Xlinker --icf=all -Xlinker --no-export-dynamic -Xlinker --as-needed $(PACKED_RELOCATIONS)
# One tree has the program and its tests. Package.swift has the flags of the compiler.
FLAGS         := -c release --disable-xctest --disable-local-rpath --use-integrated-swift-driver
BUILD         = BLECTL_LINKER="$(LINKER)" $(SWIFT) build $(FLAGS)
TEST          = env BLECTL_LINKER="$(LINKER)" $(SWIFT) test $(FLAGS)
BINARY        := .build/release/blectl
BINDIR        := $(DESTDIR)$(PREFIX)/bin
MANDIR        := $(DESTDIR)$(PREFIX)/share/man
DATADIR       := $(DESTDIR)$(PREFIX)/share/blectl
DOCDIR        := $(DESTDIR)$(PREFIX)/share/doc/blectl
BASHDIR       := $(DESTDIR)$(PREFIX)/share/bash-completion/completions
ZSHDIR        := $(DESTDIR)$(PREFIX)/share/zsh/site-functions
FISHDIR       := $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d

.PHONY: all release debug demo test build-tests lab lab-alone bench bench-save metrics fuzz crosscheck vectors lint format docs api symbols man completions tables order golden pictures outsider install uninstall deb check-deb setcap clean deps static shells libedit python validator readers shark rig strace help

all: release

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

release: deps static ## build the release (the default)
	$(BUILD) --product blectl

static:
	@mkdir -p $(STATIC)
	@archive=$$(clang -print-file-name=libstdc++.a); [ "$$archive" = libstdc++.a ] || ln -sf "$$archive" $(STATIC)/

debug: deps ## build for debugging
	$(SWIFT) build

demo: release ## build the release and watch a simulated heart
	$(BINARY) --simulate watch heart-rate --count 5

# The testing library takes a backtrace of every error that code under test throws, and shows none of them. That was a
# fifth of the processor time of the tests.
test: export SWT_SWIFT_ERROR_BACKTRACING_ENABLED = 0
test: build-tests shells libedit validator readers shark rig strace ## run the tests, those of the program with the release; needs no Bluetooth
	BLECTL_BINARY="$(CURDIR)/$(BINARY)" Tests/again $(TEST_AGAIN) $(TEST) --skip-build $(TEST_OPTIONS)

build-tests: deps static ## build the release and the tests
	$(BUILD) --build-tests

# A package by somebody else, which has nothing but the products. Its libraries are built without libbluetooth on sight.
outsider: deps ## test an app that uses the library
	$(SWIFT) test --package-path Tests/Outsider --scratch-path .build/outsider --disable-xctest

lab: release outsider ## drive the release on a real Linux Bluetooth stack, in a user-mode kernel
	@$(MAKE) --no-print-directory lab-alone

# A copy, so that the release can be linked anew meanwhile.
lab-alone: python
	@mkdir -p .build/lab && cp $(BINARY) .build/lab/blectl
	Tests/KernelLab/run .build/lab/blectl $(LAB_OPTIONS)

bench: release python ## measure what commands cost, beside other programs and beside the run that was kept
	Tests/Benchmarks/run --against .build/bench.json $(BINARY) $(BENCH)

bench-save: release python ## the same, and keep the figures for the next run
	Tests/Benchmarks/run --against .build/bench.json --keep .build/bench.json $(BINARY) $(BENCH)

# METRICS=--cycle lists the largest cycle; Tests/Metrics/run --help says what else there is.
metrics: python ## count lines, cycles of files, and what is public; builds nothing
	@Tests/Metrics/run $(METRICS)

fuzz: python ## fuzz what strangers send, for FUZZ_SECONDS in all
	SWIFTC=$(SWIFT)c Tests/Fuzz/run --seconds $(FUZZ_SECONDS)

# The reading of the GATT Specification Supplement by another program.
SUPPLEMENT := .build/supplement
SAMPLES = $(SUPPLEMENT)/bin/python Tests/Supplement/samples.py \
    $$($(SUPPLEMENT)/bin/python -c 'import bluetooth_sig, pathlib; print(pathlib.Path(bluetooth_sig.__file__).parent / "bluetooth_sig")')

$(SUPPLEMENT): Tests/Supplement/requirements.txt
	python3 -m venv $@ && $@/bin/pip install --quiet -r $< && touch $@

# The decoders of advertisements by other people.
BEACONS := .build/beacons

$(BEACONS): Tests/Beacons/requirements.txt
	python3 -m venv $@ && $@/bin/pip install --quiet -r $< && touch $@

crosscheck: deps static $(SUPPLEMENT) $(BEACONS) ## hold formats of characteristics and of advertisements to other readings
	$(SAMPLES) 200 "$${SEED:-$$(date +%s)}" > $(SUPPLEMENT)/samples.txt
	$(BEACONS)/bin/python Tests/Beacons/vectors.py "$${SEED:-$$(date +%s)}" 50 > $(BEACONS)/vectors.jsonl
	BLECTL_SUPPLEMENT_SAMPLES="$(CURDIR)/$(SUPPLEMENT)/samples.txt" BLECTL_BEACON_VECTORS="$(CURDIR)/$(BEACONS)/vectors.jsonl" \
	    $(TEST) --filter 'SupplementTests|BeaconVectorTests'

vectors: deps static $(SUPPLEMENT) $(BEACONS) ## write the vectors in Tests/Supplement and Tests/Beacons anew
	$(SAMPLES) 3 2026 > Tests/Supplement/samples.txt
	$(BEACONS)/bin/python Tests/Beacons/vectors.py 2026 > Tests/Beacons/vectors.jsonl
	BLECTL_GOLDEN=write $(TEST) --filter SupplementTests

# What does not link libbluetooth, and its tests. Everything else is GPL-2.0-or-later.
MIT := $(addprefix Sources/,CBluetoothData CSwiftTasks Bluetooth BluetoothProfiles BluetoothDevices BluetoothHost ControllerRadio RadioSharing SimulatedRadio BluetoothTesting FirmwareUpdate) \
    $(addprefix Tests/,BluetoothTests BluetoothProfilesTests BluetoothDevicesTests BluetoothHostTests ControllerRadioTests RadioSharingTests \
    SimulatedRadioTests BluetoothTestingTests FirmwareUpdateTests Outsider)

lint: deps python ## check the form of the code, and that everything public is documented
	$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Tests
	@long=$$(git ls-files 'Sources/*.swift' 'Tests/*.swift' | while read -r file; do \
	    [ "$$(sed -n 1,3p "$$file" | grep -c -i generated)" -gt 0 ] && continue; \
	    lines=$$(wc -l < "$$file"); [ "$$lines" -gt 500 ] && echo "$$file has $$lines lines, more than 500"; \
	  done); [ -z "$$long" ] || { echo "$$long" >&2; exit 1; }
	@wrong=$$( { git grep -l '^.. SPDX-License-Identifier: GPL' -- $(MIT); \
	    git grep -l '^.. SPDX-License-Identifier: MIT' -- Sources Tests $(patsubst %,':!%',$(MIT)); \
	    git grep -L 'SPDX-License-Identifier: ' -- 'Sources/*.swift' 'Tests/*.swift' '*.py'; } | sort -u); \
	  [ -z "$$wrong" ] || { echo "the licence of these files is not that of their module (LICENSE):" $$wrong >&2; exit 1; }
	@Tests/API/run documentation
	@Tests/Metrics/run --check

format: ## bring the code into form
	$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Tests

docs: deps python ## write the documentation of the library products to .build/docs, for a web server
	Tests/API/run docs .build/docs

api: deps python ## compare the public API of the library products with the lists in Tests/API
	Tests/API/run compare

symbols: deps python ## write the lists of the public API in Tests/API anew; look at the difference
	Tests/API/run update

man: debug ## write man/ anew from the command table and man/pages
	@for file in $$(.build/debug/blectl help --generate list); do \
	    .build/debug/blectl help --generate "$$file" > "$$file.new" && mv "$$file.new" "$$file" || exit 1; done

# The program prints the scripts of completions/, which are written by hand.
completions: ## put completions/ into the program anew
	@{ printf '%s\n' '// SPDX-License-Identifier: GPL-2.0-or-later' "// Generated from completions/ by 'make completions'." '' \
	    'extension CompletionScript {' '    package static let texts = ['; \
	  for file in _blectl blectl.bash blectl.fish; do \
	    echo "        \"$$file\": ##\"\"\""; sed 's/^./        &/' completions/$$file; echo '        """##,'; \
	  done; printf '%s\n' '    ]' '}'; } > Sources/CommandLineInterface/Completion/CompletionScript+Texts.swift

# The package carries the YAML of the Bluetooth SIG. Its code is not used, and what its code needs is not installed.
TABLES := Sources/CBluetoothData

tables: python ## write the tables of assigned numbers anew, from the Bluetooth SIG's YAML in the package bluetooth-sig
	python3 -m venv .build/tables
	.build/tables/bin/pip install --quiet --no-deps bluetooth-sig==0.6.0 pyyaml==6.0.3
	.build/tables/bin/python $(TABLES)/generate.py "$$(find .build/tables -type d -name assigned_numbers | grep '/bluetooth_sig/assigned_numbers$$')"

order: ## choose anew what lies together in the program, from what commands do at their start
	$(MAKE) release SYMBOLS= PIE=
	Tests/StartOrder/run $(BINARY) > .build/start.order
	mv .build/start.order Sources/blectl/start.order
	$(MAKE) release

golden: deps static ## write Tests/CLITests/Golden anew from what blectl does now; look at the difference
	rm -f Tests/CLITests/Golden/*
	BLECTL_GOLDEN=write $(TEST) --filter "TranscriptTests|TerminalTests|ScreenTests"

pictures: deps static ## draw the pictures of README anew, from what blectl shows on a terminal
	BLECTL_GOLDEN=write $(TEST) --filter PictureTests

install: ## install the binary, the manual pages and the completions (PREFIX, DESTDIR); run make first
	@[ -x $(BINARY) ] || { echo "make install: run 'make' first" >&2; exit 1; }
	install -d "$(BINDIR)" "$(MANDIR)/man1" "$(MANDIR)/man5" "$(MANDIR)/man7" "$(DOCDIR)/examples" "$(DATADIR)" "$(BASHDIR)" "$(ZSHDIR)" "$(FISHDIR)"
	install -m 755 $(BINARY) "$(BINDIR)/blectl"
	install -m 644 man/*.1 "$(MANDIR)/man1/"
	install -m 644 man/*.5 "$(MANDIR)/man5/"
	install -m 644 man/*.7 "$(MANDIR)/man7/"
	install -m 644 man/rig/* man/examples/lamp* "$(DOCDIR)/examples/"
	chmod 755 "$(DOCDIR)/examples/blectl-publish" "$(DOCDIR)/examples/rig.bats"
	install -m 644 man/*.json "$(DATADIR)/"
	install -m 644 completions/blectl.bash "$(BASHDIR)/blectl"
	install -m 644 completions/_blectl "$(ZSHDIR)/_blectl"
	install -m 644 completions/blectl.fish "$(FISHDIR)/blectl.fish"
	@echo
	@echo "Scanning sends commands to the controller, which needs a capability. To grant it to everyone who runs blectl:"
	@echo "    sudo make setcap PREFIX=$(PREFIX)"

# The release is linked again, with the symbols, which become a package of their own, and at no fixed address, as Debian wants it.
deb: deps ## make a Debian package, and one of its debug symbols, in .build/deb
	@$(MAKE) --no-print-directory release SYMBOLS='-Xlinker --build-id=sha1' PIE=1
	rm -rf .build/deb
	.packaging/debian/build $(BINARY) .build/deb

check-deb: deb ## hold the packages to lintian, and to their life in a clean Debian (needs root)
	@missing=$$(for tool in lintian mmdebstrap; do command -v $$tool >/dev/null || echo $$tool; done); [ -z "$$missing" ] || { \
	    echo "make: installing" $$missing; \
	    $(SUDO) apt-get install -y $$missing || { $(SUDO) apt-get update && $(SUDO) apt-get install -y $$missing; }; }
	$(SUDO) .packaging/debian/check .build/deb

setcap: ## let the installed binary scan without root
	setcap cap_net_raw,cap_net_admin+eip "$(BINDIR)/blectl"

uninstall: ## remove what install installed
	rm -f "$(BINDIR)/blectl" "$(MANDIR)"/man1/blectl.1 "$(MANDIR)"/man1/blectl-*.1 "$(MANDIR)"/man5/blectl-*.5 "$(MANDIR)"/man7/blectl-*.7 "$(DATADIR)"/blectl-*.json \
	    $(foreach file,$(wildcard man/rig/* man/examples/lamp*),"$(DOCDIR)/examples/$(notdir $(file))") \
	    "$(BASHDIR)/blectl" "$(ZSHDIR)/_blectl" "$(FISHDIR)/blectl.fish"

clean: ## remove what was built
	$(SWIFT) package clean
	rm -rf .build

# Installs only what is missing, so that a complete machine needs neither network nor rights.
deps:
	@command -v $(SWIFT) >/dev/null || { echo "make: no Swift toolchain on PATH; see https://www.swift.org/install" >&2; exit 1; }
	@[ -e /usr/include/bluetooth/hci_lib.h ] || { \
	    echo "make: installing libbluetooth-dev"; \
	    $(SUDO) apt-get install -y libbluetooth-dev || { $(SUDO) apt-get update && $(SUDO) apt-get install -y libbluetooth-dev; }; }

# The tests complete command lines in these shells.
shells:
	@missing=$$(for shell in bash zsh fish; do command -v $$shell >/dev/null || echo $$shell; done); [ -z "$$missing" ] || { \
	    echo "make: installing" $$missing; \
	    $(SUDO) apt-get install -y $$missing || { $(SUDO) apt-get update && $(SUDO) apt-get install -y $$missing; } || \
	    echo "make: without them, their completions are not tested" >&2; }

# 'blectl shell' edits lines with it.
libedit:
	@python3 -c 'import ctypes; ctypes.CDLL("libedit.so.2")' 2>/dev/null || { \
	    echo "make: installing libedit2"; \
	    $(SUDO) apt-get install -y libedit2 || { $(SUDO) apt-get update && $(SUDO) apt-get install -y libedit2; }; }

# Python runs the lab, the benchmark and the fuzz targets.
python:
	@command -v python3 >/dev/null || { \
	    echo "make: installing python3"; \
	    $(SUDO) apt-get install -y python3 || { $(SUDO) apt-get update && $(SUDO) apt-get install -y python3; }; }

# Wireshark's program for terminals, which captures are held to.
shark:
	@command -v tshark >/dev/null || { \
	    echo "make: installing tshark"; \
	    $(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends tshark || \
	    { $(SUDO) apt-get update && $(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends tshark; } || \
	    echo "make: without it, captures are not held to Wireshark" >&2; }

# It ends blectl at a chosen system call, by which the files of keys are held to their promise.
strace:
	@command -v strace >/dev/null || { \
	    echo "make: installing strace"; \
	    $(SUDO) apt-get install -y strace || { $(SUDO) apt-get update && $(SUDO) apt-get install -y strace; } || \
	    echo "make: without it, kills while keys are written are not tested" >&2; }

# What blectl-rig(7) is about: the broker and its clients, and what runs tests.
rig: python
	@missing=$$([ -x /usr/sbin/mosquitto ] || echo mosquitto; command -v mosquitto_pub >/dev/null || echo mosquitto-clients; \
	  command -v bats >/dev/null || echo bats; \
	  for module in pytest yaml; do for python in python3 /usr/bin/python3; do \
	    $$python -c "import $$module" 2>/dev/null && continue 2; done; echo python3-$$module; done); [ -z "$$missing" ] || { \
	    echo "make: installing" $$missing; \
	    $(SUDO) apt-get install -y $$missing || { $(SUDO) apt-get update && $(SUDO) apt-get install -y $$missing; } || \
	    echo "make: without them, the recipes of blectl-rig(7) are not tested" >&2; }

# The readers of reports by which the reports of scripts are tested.
readers: python
	@missing=$$(for python in python3 /usr/bin/python3; do $$python -c 'import junitparser, tap.parser' 2>/dev/null && exit; done; \
	  echo python3-junitparser python3-tap; ); missing="$$missing $$(command -v prove >/dev/null || echo perl)"; \
	missing="$$missing $$(command -v xmllint >/dev/null || echo libxml2-utils)"; \
	[ -z "$$(echo $$missing)" ] || { \
	    echo "make: installing" $$missing; \
	    $(SUDO) apt-get install -y $$missing || { $(SUDO) apt-get update && $(SUDO) apt-get install -y $$missing; }; }

# The validator that holds the JSON records to their schema.
validator: python
	@for python in python3 /usr/bin/python3; do $$python -c 'import jsonschema' 2>/dev/null && exit; done; \
	    echo "make: installing python3-jsonschema"; \
	    $(SUDO) apt-get install -y python3-jsonschema || \
	    { $(SUDO) apt-get update && $(SUDO) apt-get install -y python3-jsonschema; }
