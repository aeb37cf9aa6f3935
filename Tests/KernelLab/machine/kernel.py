# SPDX-License-Identifier: GPL-2.0-or-later
"""The user-mode kernel: Debian's own source with the lab's configuration, built once and kept."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from . import LAB, SetupError, say
from .packages import KERNEL_SOURCE, TO_BUILD_A_KERNEL, made_from

CONFIGURATION = LAB / "kernel.config"

# Corrections of the source: for each file, the present text and its replacement.
MENDS = {
    # Linux 6.1.192 frees a link's HCI channel twice if the link is lost before the program has closed its socket: once
    # with the link, once with the socket. Every case with a device that disconnects would crash the machine. If the
    # source has both places, the channel is freed only with the link.
    "net/bluetooth/l2cap_core.c": (
        (
            "\thci_chan_del(conn->hchan);\n\thci_conn_put(",
            "\tif (conn->hchan)\n\t\thci_chan_del(conn->hchan);\n\thci_conn_put(",
        ),
        (
            "\thcon->l2cap_data = NULL;\n\tl2cap_conn_put(",
            "\thci_chan_del(conn->hchan);\n\tconn->hchan = NULL;\n\thcon->l2cap_data = NULL;\n\tl2cap_conn_put(",
        ),
    ),
    # At a page fault the host's process gets that page alone, also where the kernel has its neighbours at hand. A fault is some
    # switches between processes, and a program that starts has two thousand: with this correction, which brings the page's
    # 64 KiB and has a write make what it will write next, it starts in two fifths of the processor time.
    "arch/um/kernel/trap.c": (
        (
            "\tflush_tlb_page(vma, address);\n",
            """
	if (is_write && is_user && !(vma->vm_flags & VM_SHARED)) {
		unsigned long next = (address & PAGE_MASK) + PAGE_SIZE;

		for (; next < min(vma->vm_end, (address | 0xffffUL) + 1); next += PAGE_SIZE) {
			pte = pte_offset_kernel(pmd, next);
			if (!pte_none(*pte) && (!vma->vm_file || pte_write(*pte)))
				continue;
			if (handle_mm_fault(vma, next, FAULT_FLAG_WRITE | FAULT_FLAG_USER, NULL) & VM_FAULT_ERROR)
				break;
		}
	}
	flush_tlb_range(vma, max(vma->vm_start, address & ~0xffffUL), min(vma->vm_end, (address | 0xffffUL) + 1));
""",
        ),
    ),
    # The kernel assumes that a processor's extended state has 2,696 octets, as with AVX-512. With AMX it has 11,008,
    # and the host refuses to set a state of another length, so that the first process would die at once. The correction
    # makes room for more, and sets as many octets as were read. The kernel's stacks, which hold these states, are
    # enlarged accordingly (kernel.config).
    "arch/x86/um/user-offsets.c": (("DEFINE_LONGS(HOST_FP_SIZE, 2696);", "DEFINE_LONGS(HOST_FP_SIZE, 12288);"),),
    "arch/x86/um/os-Linux/registers.c": (
        ("int have_xstate_support;\n", "int have_xstate_support;\nstatic unsigned long xstate_size;\n"),
        (
            "iov.iov_len = FP_SIZE * sizeof(unsigned long);\n\t\tif (ptrace(PTRACE_SETREGSET",
            "iov.iov_len = xstate_size;\n\t\tif (ptrace(PTRACE_SETREGSET",
        ),
        (
            "NT_X86_XSTATE, &iov) == 0)\n\t\thave_xstate_support = 1;",
            "NT_X86_XSTATE, &iov) == 0) {\n\t\thave_xstate_support = 1;\n\t\txstate_size = iov.iov_len;\n\t}",
        ),
    ),
}
SOURCE = Path("/usr/src") / f"{KERNEL_SOURCE}.tar.xz"


def kernel() -> Path:
    """The path of the kernel. Builds it if the cache has none for this source and configuration."""
    recipe = CONFIGURATION.read_bytes() + repr(MENDS).encode()
    return made_from(KERNEL_SOURCE, "linux", recipe, TO_BUILD_A_KERNEL, build)


def build(program: Path, version: str) -> None:
    """Builds in a separate folder, and moves the finished program into place, so that two runs cannot disturb each
    other."""
    with tempfile.TemporaryDirectory(prefix="building-", dir=program.parent) as directory:
        say(f"building the user-mode kernel {version}, once (about three minutes)")
        log = Path(directory) / "log"
        with log.open("w") as output:

            def step(what: str, *command: str, cwd: Path = Path(directory)) -> None:
                say(f"  {what}")
                done = subprocess.run(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
                if done.returncode != 0:
                    output.flush()
                    tail = "\n".join(log.read_text(errors="replace").splitlines()[-25:])
                    raise SetupError(f"the kernel could not be built ({what}):\n{tail}")

            step("unpacking the source", "tar", "--extract", "--xz", f"--file={SOURCE}")
            tree = Path(directory) / KERNEL_SOURCE
            for file, mends in MENDS.items():
                mend(tree / file, mends)
            step("configuring", "make", "ARCH=um", "tinyconfig", cwd=tree)
            with (tree / ".config").open("a") as config:
                config.write(CONFIGURATION.read_text())
            step("configuring", "make", "ARCH=um", "olddefconfig", cwd=tree)
            step("compiling", "make", "ARCH=um", f"-j{os.cpu_count() or 1}", "linux", cwd=tree)
            step("stripping", "strip", "--strip-all", "-o", str(Path(directory) / "linux"), "linux", cwd=tree)
        os.replace(Path(directory) / "linux", program)
        shutil.rmtree(tree, ignore_errors=True)
    say(f"the kernel is at {program}")


def mend(file: Path, mends: tuple[tuple[str, str], ...]) -> None:
    """Applies the corrections if all of them fit."""
    text = file.read_text()
    if all(text.count(old) == 1 for old, _ in mends):
        for old, new in mends:
            text = text.replace(old, new)
        file.write_text(text)
