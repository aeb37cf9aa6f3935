# SPDX-License-Identifier: GPL-2.0-or-later
"""The records as the checked-in JSON Schema describes them, by a validator that others wrote."""

import json
from pathlib import Path

from jsonschema import Draft202012Validator

from .checks import Failure

SCHEMA = Path(__file__).resolve().parents[3] / "man" / "blectl-records.schema.json"


class Records:
    """The schema, with a validator for each kind of record, which are made when they are needed."""

    def __init__(self) -> None:
        self.schema = json.loads(SCHEMA.read_text())
        Draft202012Validator.check_schema(self.schema)
        self.places = {part["$ref"].split("/")[-1]: part["$ref"] for part in self.schema["oneOf"]}
        self.validators: dict[str, Draft202012Validator] = {}

    def validator(self, kind: str) -> Draft202012Validator:
        if kind not in self.places:
            raise Failure(f"the schema knows no record of type {kind!r}")
        if kind not in self.validators:
            self.validators[kind] = Draft202012Validator({"$ref": self.places[kind], "$defs": self.schema["$defs"]})
        return self.validators[kind]


RECORDS = Records()


def obeys(record: dict) -> dict:
    """Checks the record against the schema of its kind."""
    problem = next(RECORDS.validator(record["type"]).iter_errors(record), None)
    if problem is not None:
        raise Failure(f"{record['type']}: {problem.json_path}: {problem.message}")
    return record


def full_uuid(uuid: str) -> str:
    """A UUID of the program's output, with 128 bits in lower case."""
    text = uuid.lower()
    return f"{int(text, 16):08x}-0000-1000-8000-00805f9b34fb" if text.startswith("0x") else text
