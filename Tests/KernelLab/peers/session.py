# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs a client for the cases: reads a JSON object from each line of standard input, and answers each with one on
standard output.

{"do": VERB, …} is answered by {"result": …}, {"refused": ATT ERROR CODE} or {"error": …}.
"""

import asyncio
import json
import sys
from typing import Protocol


class Refused(Exception):
    """The server answered with an error."""

    def __init__(self, code: int):
        super().__init__(code)
        self.code = code


class Client(Protocol):
    """The verbs. Values are hexadecimal, UUIDs have 128 bits. A client omits the verbs that it does not support."""

    async def do_mtu(self, mtu: int) -> int: ...

    async def do_tree(self) -> dict[str, list]: ...

    async def do_read(self, handle: int) -> str: ...

    async def do_read_by_uuid(self, uuid: str) -> list[str]: ...

    async def do_write(self, handle: int, value: str) -> None: ...

    async def do_write_command(self, handle: int, value: str) -> None: ...

    async def do_write_long(self, handle: int, value: str) -> None: ...

    async def do_subscribe(self, handle: int, configuration: int, indicate: bool) -> None: ...

    async def do_heard(self, handle: int) -> str: ...

    async def do_unsubscribe(self, handle: int, configuration: int) -> None: ...


async def answer(client: Client, verb: str, details: dict) -> dict:
    try:
        return {"result": await getattr(client, "do_" + verb)(**details)}
    except Refused as refusal:
        return {"refused": refusal.code}
    except Exception as error:
        return {"error": repr(error)}


async def serve(client: Client) -> None:
    """Runs until standard input ends."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    print(json.dumps({"result": "ready"}), flush=True)
    while line := await reader.readline():
        request = json.loads(line)
        print(json.dumps(await answer(client, request.pop("do"), request)), flush=True)
