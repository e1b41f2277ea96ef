#!/usr/bin/env python3
"""The low-level layer of the Python package, from the public headers: pliant/_capi.py with every enum, struct, callback and function of include/pliant/.

generate_python.py FILE    write it

It is made at every build of the package and never kept in the repository, so it cannot differ from the headers. Comments of the headers come along: the
Python layer above shows them as docstrings, with units, ranges and defaults.
"""
import pathlib
import re
import sys

from generate import BadTable, enum_constants, read_tables
from tree import ROOT

SCALARS = {"double": "c_double", "float": "c_float", "bool": "c_bool", "char": "c_char", "int": "c_int", "unsigned": "c_uint", "size_t": "c_size_t",
           "int8_t": "c_int8", "uint8_t": "c_uint8", "int16_t": "c_int16", "uint16_t": "c_uint16", "int32_t": "c_int32", "uint32_t": "c_uint32",
           "int64_t": "c_int64", "uint64_t": "c_uint64", "void": "None"}
HEAD = '''"""Made by scripts/generate_python.py from the headers of Pliant; do not edit. One name here for each in the headers."""
from ctypes import *  # noqa: F401,F403

'''


class BadHeader(Exception):
    pass


def headers():
    """The public headers, each after those it includes."""
    order = []

    def visit(name):
        path = ROOT / "include/pliant" / name
        if path in order:
            return
        for included in re.findall(r'#include "pliant/(\w+\.h)"', path.read_text(encoding="utf-8")):
            visit(included)
        order.append(path)
    visit("pliant.h")
    return order


def prefix(names):
    """What all names begin with, up to an underscore."""
    first, last = min(names), max(names)
    common = next((i for i, (a, b) in enumerate(zip(first, last)) if a != b), len(first))
    return first[:first.rfind("_", 0, common) + 1]


def plain(comment):
    """The text of the lines of a comment."""
    return " ".join(re.sub(r"^\s*///<?\s?", "", line).strip() for line in comment.strip().splitlines())


def without_comments(text):
    return re.sub(r"//[^\n]*", "", text)


class Layer:
    """What the headers declare, as lines of Python."""

    def __init__(self):
        self.constants, self.enums, self.structs, self.callbacks, self.functions = {}, {}, {}, {}, {}
        self.opaque, self.docs, self.choices, self.aliases = [], {}, {}, {}

    # --- types

    def base(self, words):
        if words in SCALARS:
            return SCALARS[words]
        if words in self.aliases:
            return self.aliases[words]
        if words in self.enums:
            return "c_int"
        if words in self.structs or words in self.opaque or words in self.callbacks:
            return words
        raise BadHeader(f"unknown type `{words}`")

    def type(self, text):
        """A C type without a name, such as `const char *const *`, as a ctypes expression."""
        tag = re.search(r"\bstruct (\w+)", text)
        if tag and tag[1] not in self.structs and tag[1] not in self.opaque:
            self.opaque.append(tag[1])  # named where it is used and nowhere else
        words = re.sub(r"\b(const|struct|enum)\b", "", text)
        stars = words.count("*")
        words = words.replace("*", "").strip()
        base = self.base(words)
        if stars and words == "char":
            base, stars = "c_char_p", stars - 1
        elif stars and words == "void":
            base, stars = "c_void_p", stars - 1
        elif stars and words in self.callbacks:
            stars -= 1  # a pointer to a function is what CFUNCTYPE makes
        for _ in range(stars):
            base = f"POINTER({base})"
        return base

    def declarator(self, text):
        """`const double *weights`, `char file[256]`, `void (*run)(void *user)` as (name, ctypes expression)."""
        text = " ".join(text.split())
        function = re.fullmatch(r"(.+?)\(\*(\w+)\)\((.*)\)", text)
        if function:
            return function[2], self.callback(function[1], function[3])
        match = re.fullmatch(r"(.+?)(\w+)((?:\[\w+\])*)", text)
        if not match:
            raise BadHeader(f"cannot read `{text}`")
        expression = self.type(match[1])
        for size in reversed(re.findall(r"\[(\w+)\]", match[3])):
            expression = f"({expression} * {self.constants.get(size, size)})"
        return match[2], expression

    def callback(self, result, parameters):
        types = [self.parameter(part) for part in self.split(parameters)]
        return f"CFUNCTYPE({', '.join([self.type(result)] + types)})"

    def parameter(self, text):
        expression = self.declarator(text)[1]
        array = re.fullmatch(r"\((.+) \* \w+\)", expression)  # an array as a parameter is a pointer
        return f"POINTER({array[1]})" if array else expression

    @staticmethod
    def split(parameters):
        """Parameters, split at commas outside of parentheses."""
        parts, depth, start = [], 0, 0
        for i, c in enumerate(parameters):
            depth += (c == "(") - (c == ")")
            if c == "," and depth == 0:
                parts.append(parameters[start:i])
                start = i + 1
        parts = [part.strip() for part in parts + [parameters[start:]]]
        return [] if parts in ([""], ["void"]) else parts

    # --- declarations

    def read(self, path):
        text = path.read_text(encoding="utf-8")
        for name, value in re.findall(r"^#define (PL_\w+) (-?[\d.]+)$", text, re.M):
            self.constants[name] = float(value) if "." in value else int(value)
        for base, name in re.findall(r"^typedef (\w+) (pl_\w+);", text, re.M):
            self.aliases[name] = self.base(base)
        declaration = re.compile(r"((?:^[ \t]*///[^\n]*\n)*)^(typedef enum (\w+) \{(.*?)^\} \w+;|typedef struct (\w+) \{(.*?)^\} \w+;|typedef struct (\w+) \w+;|"
                                 r"struct (\w+);|typedef ([^;(]+?)\b(\w+)\(([^;]*)\);|PL_API ([^;(]+?)\b(pl_\w+)\(([^;]*?)\)(?:\s*PL_PRINTF\([^)]*\))?;|"
                                 r"typedef enum (\w+) \{([^}\n]*)\} \w+;)", re.M | re.S)
        for match in declaration.finditer(text):
            (comment, _, enum, items, struct, fields, opaque, forward, result, callback, inputs, returned, function, parameters, short, short_items) = match.groups()
            name = enum or struct or opaque or forward or callback or function or short
            if plain(comment):
                self.docs.setdefault(name, plain(comment))
            if enum or short:
                self.read_enum(enum or short, items or short_items)
            elif struct:
                self.read_struct(struct, fields)
            elif opaque or forward:
                if name not in self.opaque and name not in self.structs:
                    self.opaque.append(name)
            elif callback:
                self.callbacks[callback] = self.callback(result, inputs)
            else:
                arguments = [self.parameter(part) for part in self.split(without_comments(parameters))]
                self.functions[function] = (self.type(returned), arguments)
        declared = set(re.findall(r"^PL_API[^;]*?\b(pl_\w+)\s*\(", without_comments(text), re.M))
        missing = declared - set(self.functions)
        if missing:
            raise BadHeader(f"{path.name}: cannot read {', '.join(sorted(missing))}")

    def number(self, text):
        """The value of a constant: a number, an earlier constant, or a few of them with operators such as `1 << 3`."""
        known = re.sub(r"\bPL_\w+", lambda name: str(self.constants.get(name[0], name[0])), text)
        if not re.fullmatch(r"[\d\sxXa-fA-F()|&~+*<>-]+", known):
            raise BadHeader(f"cannot read the constant `{text}`")
        return eval(known, {"__builtins__": {}})  # pylint: disable=eval-used

    def read_enum(self, name, items):
        following, values = 0, {}
        for item in without_comments(items).split(","):
            item = item.strip()
            if not item:
                continue
            constant, _, value = (part.strip() for part in item.partition("="))
            following = self.number(value) if value else following
            values[constant] = following
            self.constants[constant] = following
            following += 1
        self.enums[name] = values

    def read_struct(self, name, body):
        fields = []
        self.structs[name] = fields  # a struct may point to itself
        above, code = [], ""
        started = 0  # first of the fields of the last declaration, which comments after it belong to
        for line in body.splitlines():
            before, mark, after = line.partition("///<")
            stripped = before.strip()
            if stripped.startswith("///"):
                above.append(plain(stripped))
            elif not stripped.startswith("//"):
                code += " " + without_comments(stripped)
            if code.rstrip().endswith(";"):
                started = len(fields)
                self.read_choice(name, code.strip())
                self.read_fields(code.strip().rstrip(";"), " ".join(above), fields)
                above, code = [], ""
            if mark and not code.strip():
                fields[started:] = [(item, expression, f"{about} {after.strip()}".strip()) for item, expression, about in fields[started:]]
            elif mark:
                above.append(after.strip())

    def read_choice(self, struct, code):
        """A field of an enum: the words for its constants are their names without the common part."""
        match = re.fullmatch(r"(\w+) (\w+);", code)
        if match and match[1] in self.enums:
            constants = self.enums[match[1]]
            common = len(re.match(r"(PL_(?:\w+_)?)", "PL_" if len(constants) < 2 else prefix(list(constants)))[1])
            self.choices.setdefault(struct, {})[match[2]] = {name[common:].lower().replace("_", "-"): value for name, value in constants.items()}

    def read_parameters(self):
        """Defaults, units and ranges from the tables of parameters, and the words that scenes have for choices."""
        self.parameters = {}
        for path in sorted((ROOT / "src").glob("*/*_parameters.c")):
            for table in read_tables(path):
                rows = self.parameters.setdefault(table.def_name, {})
                for parameter in table.parameters:
                    default = parameter.default_text()
                    if parameter.choices:
                        constants = enum_constants(parameter.type)
                        default = parameter.choice()
                        self.choices.setdefault(table.def_name, {})[parameter.name] = {
                            word: self.constants[constant] for word, constant in zip(parameter.choices, constants)}
                    rows[parameter.name] = (default, parameter.unit(), parameter.value_range(), parameter.about())

    def read_fields(self, code, about, fields):
        first, *others = code.split(",") if "(" not in code else [code]
        fields.append((*self.declarator(first), about))
        base = re.match(r"(.+?)[*\s]*\w+(?:\[\w+\])*$", first)[1] if others else ""
        for other in others:
            fields.append((*self.declarator(f"{base} {other.strip()}"), about))

    # --- output

    def lines(self):
        yield HEAD
        yield f"VERSION = {'.'.join(str(self.constants['PL_VERSION_' + part]) for part in ('MAJOR', 'MINOR', 'PATCH'))!r}\n"
        for name, value in self.constants.items():
            yield f"{name} = {value!r}"
        yield "\nENUMS = {"
        for name, values in self.enums.items():
            yield f"    {name!r}: {values!r},"
        yield "}\n\n"
        for name in [*self.opaque, *self.structs]:
            if name in self.structs and name in self.opaque:
                continue
            yield f"class {name}(Structure):\n    {self.docs.get(name, '')!r}\n"
        for name in self.structs:
            if name in self.opaque:
                yield f"class {name}(Structure):\n    {self.docs.get(name, '')!r}\n"
        yield "\n# callbacks"
        for name, expression in self.callbacks.items():
            yield f"{name} = {expression}"
        yield "\n# fields"
        for name, fields in self.structs.items():
            yield f"{name}._fields_ = [" + ", ".join(f"({item!r}, {expression})" for item, expression, _ in fields) + "]"
        for title, tables in (("# def: {field: {word: value}}\nCHOICES", self.choices), ("# def: {field: (default, unit, range, about)}\nPARAMETERS", self.parameters)):
            yield f"\n{title} = {{"
            for name, table in tables.items():
                yield f"    {name!r}: {table!r},"
            yield "}"
        yield "\nFIELD_DOCS = {"
        for name, fields in self.structs.items():
            yield f"    {name!r}: {({item: about for item, _, about in fields})!r},"
        yield "}\n\n# name: (result, parameters)\nFUNCTIONS = {"
        for name, (result, parameters) in self.functions.items():
            yield f"    {name!r}: ({result}, [{', '.join(parameters)}]),"
        yield "}\n\nDOCS = {"
        for name in self.functions:
            yield f"    {name!r}: {self.docs.get(name, '')!r},"
        yield "}"


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit("usage: generate_python.py FILE")
    layer = Layer()
    for path in headers():
        layer.read(path)
    layer.read_parameters()
    out = pathlib.Path(sys.argv[1])
    text = "\n".join(layer.lines()) + "\n"
    if not out.is_file() or out.read_text(encoding="utf-8") != text:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    try:
        main()
    except (BadHeader, BadTable) as problem:
        sys.exit(f"generate_python.py: {problem}")
