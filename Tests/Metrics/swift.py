# SPDX-License-Identifier: GPL-2.0-or-later
"""Swift source, as far as it can be read without a compiler: what is code, what is a comment, and what is declared."""

import re

# What begins something that is not code. In an interpolation, parentheses are counted until it ends.
OPENING = re.compile(r'//|/\*|#*"""|#*"|[()]')
COMMENT_EDGE = re.compile(r"/\*|\*/")
DECLARATION = re.compile(
    r"\b(struct|class|enum|protocol|actor|extension|typealias|associatedtype)\s+([A-Za-z_][\w.]*)\s*(<[^{]*?>)?\s*"
    r"(?::\s*([^{=]*?))?\s*(?=\bwhere\b|[{=\n])"
)
FUNCTION = re.compile(r"(?<![.\w])(func\s+[^\s(<]+|init[?!]?(?=\s*[(<])|deinit(?=\s*\{)|subscript(?=\s*[(<]))")
# Braces and parentheses of a function's head; or a line that begins the next declaration, before which there was no body.
BODY_OR_NEXT = re.compile(
    r"[()\[\]{}]|\n\s*(?:(?:@\w+|public|package|private|static|mutating|nonisolated)\s+)*(?:func|var|let|init|case)\b"
)
BRACES = re.compile(r"[{}]")
TYPE_NAME = re.compile(r"\b[A-Z]\w*")


class Source:
    """One file: its code without comments and literals, and its lines by what they are."""

    def __init__(self, path, text):
        self.path = path
        self.module = path.parts[1]
        self.text = text
        self.is_generated = any("generated" in line.lower() for line in text.split("\n")[:3])
        self.code, comments, self.literal_lines = _strip(text)
        self.lines = {"code": 0, "doc": 0, "comment": 0, "blank": 0}
        written, coded = text.split("\n"), self.code.split("\n")
        if written[-1] == "":
            written.pop()
        for number, line in enumerate(written):
            if number in self.literal_lines or coded[number].strip():
                self.lines["code"] += 1
            elif line.strip() and number in comments:
                self.lines["doc" if comments[number] else "comment"] += 1
            else:
                self.lines["blank"] += 1
        self.count = len(written)
        self.imports = frozenset(re.findall(r"\bimport\s+(\w+)", self.code))
        qualified = re.compile(rf"\b({'|'.join([self.module, *self.imports])})\.([A-Z]\w*)")
        # The types that are named, each with its module if that is written before it.
        self.names = {name: None for name in TYPE_NAME.findall(qualified.sub("", self.code))}
        self.names.update((name, module) for module, name in qualified.findall(self.code) if name not in self.names)

    @property
    def is_data(self):
        """Whether most of the code is text in literals: devices, prose, tables."""
        return not self.is_generated and len(self.literal_lines) * 2 > self.lines["code"]

    def declarations(self):
        """What is declared: (keyword, name, depth in braces, what it inherits or conforms to)."""
        depths = _depths(self.code)
        for match in DECLARATION.finditer(self.code):
            if re.search(r"\.$|\bimport\s+$", self.code[: match.start()][-12:]):
                continue  # `.class`, `import struct`
            parents = re.findall(r"[A-Za-z_][\w.]*", re.sub(r"<[^<>]*>", "", match[4] or ""))
            yield match[1], match[2], depths(match.start()), parents

    def functions(self):
        """The functions with a body: (name, lines of the body, line number)."""
        for match in FUNCTION.finditer(self.code):
            brace = _body(self.code, match.end())
            if brace is not None:
                end = _matching(self.code, brace)
                body = self.code.count("\n", brace, end) - 1
                yield match[1].split()[-1], max(body, 0), self.code.count("\n", 0, match.start()) + 1

    def declared_with(self, access):
        """The number of declarations with an access level, other than of setters and of imports."""
        return len(re.findall(rf"\b{access}\b(?!\s*\(set\)|\s+import\b)", self.code))


def _strip(text):
    """The code without comments and literals, but with their line breaks; the lines that have comments, with whether
    they document; and the lines that are inside a literal of several lines."""
    code, comments, literals = [], {}, set()
    position, line, depth = 0, 0, 0
    waiting = []  # Of each interpolation around: the depth of parentheses where it ends, and the end of its literal.

    def advance(end, keep):
        nonlocal position, line
        piece = text[position:end]
        code.append(piece if keep else re.sub(r"[^\n]", " ", piece))
        line += piece.count("\n")
        position = end

    def literal(quotes, hashes):
        """Skips to the end of the literal, or to the next interpolation in it."""
        nonlocal depth
        first, stop = line, re.compile(
            rf'\\{hashes}\(|\\{hashes}.|{quotes}{hashes}' + ("" if len(quotes) == 3 else "|\n"), re.DOTALL
        )
        while True:
            match = stop.search(text, position)
            advance(match.end() if match else len(text), False)
            if match and match[0].startswith("\\") and not match[0].endswith("("):
                continue
            if len(quotes) == 3:
                literals.update(range(first, line + 1))
            if match and match[0].startswith("\\"):
                waiting.append((depth, quotes, hashes))
                depth += 1
            return

    while match := OPENING.search(text, position):
        advance(match.start(), True)
        token = match[0]
        if token == "//":
            end = text.find("\n", position)
            comments[line] = text.startswith("///", position)
            advance(end if end >= 0 else len(text), False)
        elif token == "/*":
            first, documents, nested = line, text.startswith("/**", position), 0
            while edge := COMMENT_EDGE.search(text, position):
                advance(edge.end(), False)
                nested += 1 if edge[0] == "/*" else -1
                if nested == 0:
                    break
            comments.update((number, documents) for number in range(first, line + 1))
        elif token == "(":
            depth += 1
            advance(match.end(), True)
        elif token == ")":
            depth -= 1
            advance(match.end(), not (waiting and waiting[-1][0] == depth))
            if waiting and waiting[-1][0] == depth:
                literal(*waiting.pop()[1:])
        else:
            hashes = token.rstrip('"')
            advance(match.end(), False)
            if not text.startswith('""', match.start() + len(hashes)) or token.endswith('"""'):
                literal(token[len(hashes) :], hashes)
            else:
                advance(match.end() + 1 + len(hashes), False)  # An empty literal.
    advance(len(text), True)
    return "".join(code), comments, literals


def _depths(code):
    """A function that gives the depth in braces of positions that grow."""
    braces = BRACES.finditer(code)
    state = {"next": next(braces, None), "depth": 0}

    def depth(position):
        while state["next"] and state["next"].start() < position:
            state["depth"] += 1 if state["next"][0] == "{" else -1
            state["next"] = next(braces, None)
        return state["depth"]

    return depth


def _body(code, position):
    """The brace that opens the body of the function whose name ends here; `None` if it has none."""
    nested = 0
    for match in BODY_OR_NEXT.finditer(code, position):
        token = match[0]
        if token in ("(", "["):
            nested += 1
        elif token in (")", "]"):
            nested -= 1
        elif token == "{" and nested == 0:
            return match.start()
        elif token == "{":
            nested += 1
        elif token == "}":
            nested -= 1
            if nested < 0:
                return None
        elif nested == 0:
            return None
    return None


def _matching(code, brace):
    """The position of the brace that closes the one here."""
    nested = 0
    for match in BRACES.finditer(code, brace):
        nested += 1 if match[0] == "{" else -1
        if nested == 0:
            return match.start()
    return len(code)
