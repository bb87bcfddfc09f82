"""What a distinguished name may be: the string form of RFC 4514, section 3, without empty values."""

import re
from typing import Final

from installer.rules import Fault, Rule

_TYPE: Final = r"(?:[A-Za-z][A-Za-z0-9-]*|(?:0|[1-9][0-9]*)(?:[.](?:0|[1-9][0-9]*))+)"
_PAIR: Final = r'\\(?:[\\"+,;<>= #]|[0-9A-Fa-f]{2})'
_INNER: Final = r'[^"+,;<>\\\x00]'
_LEAD: Final = r'[^"+,;<>\\\x00 #]'
_TRAIL: Final = r'[^"+,;<>\\\x00 ]'
_STRING: Final = rf"(?:{_LEAD}|{_PAIR})(?:(?:{_INNER}|{_PAIR})*(?:{_TRAIL}|{_PAIR}))?"
_PART: Final = rf"{_TYPE}=(?:#(?:[0-9A-Fa-f]{{2}})+|{_STRING})"
_NAME: Final = rf"{_PART}(?:[+,]{_PART})*"
_MAX: Final = 1024


def _read(text: str) -> str:
    if len(text) > _MAX:
        raise Fault(f"has {len(text)} characters", f"use a name of at most {_MAX}")
    if re.search(r"(?<!\\)[,+] ", text):
        raise Fault("has a blank after ',' or '+'", "write the parts without blanks between")
    if re.fullmatch(_NAME, text) is None:
        remedy = r"write attribute=value parts with ',' between; put '\' before , + ; < > inside a value"
        raise Fault("is not a distinguished name", remedy)
    return text


DN: Final = Rule("a distinguished name as of RFC 4514", _read)
