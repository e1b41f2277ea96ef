#!/usr/bin/env python3
"""Everything that is written from the tables of parameters (src/*/*_parameters.c): the fields of public structs in include/pliant/, docs/parameters.md, the
tables of single defs and of the presets of materials between markers in other pages of docs/, and the numbers of rods in docs/pliant_rod_examples.schema.json.

generate.py           bring them up to date
generate.py --check   only compare; prints `ok NAME` or `not ok NAME`

`make generate` also writes docs/scene.schema.json, which the tool knows, and the tables of docs/formats.md from that.
"""
import json
import re
import sys
import textwrap
from dataclasses import dataclass, field

from tree import ROOT

BEGIN = "// parameters of {} by `make generate`: begin"
END = "// parameters: end"
PAGE = ROOT / "docs/parameters.md"
CHARACTERS = ROOT / "docs/pliant_rod_examples.schema.json"
PAGE_BEGIN = "<!-- parameters of {} by make generate: begin -->"
PAGE_END = "<!-- parameters: end -->"
PRESETS = ROOT / "src/appearance/appearance_presets.c"
PRESETS_BEGIN = "<!-- presets by make generate: begin -->"
PRESETS_END = "<!-- presets: end -->"
COLUMNS = 100
TYPES = {"NUMBER": "double", "INTEGER": "int32_t", "SEED": "uint64_t", "BITS": "uint32_t", "SWITCH": "bool", "VECTOR": "pl_vec3", "COLOR": "pl_color"}
# Words for defaults in base/parameter_words.h.
VECTORS = {"ALL_BITS": "4294967295", "ZERO_VECTOR": "(0, 0, 0)", "EARTH_GRAVITY": "(0, -9.81, 0)"}


@dataclass
class Parameter:
    """One line of a table."""
    name: str
    type: str
    default: str
    choices: list = field(default_factory=list)
    words: dict = field(default_factory=dict)

    def value_range(self):
        """What is allowed, in a few words; empty for everything."""
        if "ABOVE" in self.words:
            low, high = self.words["ABOVE"]
            return f"above {low} up to {high}"
        if "FROM" in self.words:
            low, high = self.words["FROM"]
            return f"{low} … {high}"
        return ""

    def unit(self):
        unit = "m" if "METRES" in self.words else "m/" + self.words["METRES_PER"][0] if "METRES_PER" in self.words else self.words.get("UNIT", [""])[0]
        return unit.replace("^2", "²").replace("^3", "³")

    def about(self):
        return self.words["ABOUT"][0]

    def choice(self):
        """The word of a choice's default."""
        return self.choices[enum_constants(self.type).index(self.default)]

    def default_text(self):
        return "" if "REQUIRED" in self.words else self.default


@dataclass
class Table:
    """The parameters of one def."""
    source: str
    title: str
    def_name: str
    parameters: list


class BadTable(Exception):
    pass


def enum_constants(name):
    """The constants of an enum of the public headers, in their order."""
    for path in sorted((ROOT / "include/pliant").glob("*.h")):
        match = re.search(r"typedef enum %s \{(.*?)\}" % name, path.read_text(encoding="utf-8"), re.DOTALL)
        if match:
            return re.findall(r"^\s*(PL_\w+)", match[1], re.MULTILINE)
    raise BadTable(f"no header of include/pliant/ defines enum {name}")


def split(text):
    """The arguments of a macro call: split at commas outside of parentheses, braces and strings."""
    parts, depth, quoted, start = [], 0, False, 0
    for i, c in enumerate(text):
        if c == '"' and text[i - 1] != "\\":
            quoted = not quoted
        elif quoted:
            continue
        elif c in "({":
            depth += 1
        elif c in ")}":
            depth -= 1
        elif c == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    return parts + [text[start:].strip()] if text.strip() else []


def call(text):
    """`NAME(arguments)` as (NAME, [arguments]); a bare word has none. Strings lose their quotes."""
    match = re.fullmatch(r"(\w+)(?:\((.*)\))?", text, re.DOTALL)
    if not match:
        raise BadTable(f"cannot read `{text}`")
    return match[1], [re.sub(r'\\"', '"', part[1:-1]) if part.startswith('"') else part for part in split(match[2] or "")]


def default_of(text):
    """A default as a person writes it: 1.0 / 240 is 1/240."""
    name, arguments = call(text) if re.match(r"[A-Z_]+\b", text) and not text.startswith("PL_") else (text, [])
    if name == "XYZ":
        return f"({', '.join(arguments)})"
    if name in VECTORS:
        return VECTORS[name]
    return re.sub(r"^(\d+)(?:\.0)? / (\d+)(?:\.0)?$", r"\1/\2", text)


def read_line(line, lists):
    kind, arguments = call(line)
    if kind == "CHOICE":
        name, type_name, words, default = arguments[:4]
        return Parameter(name, type_name, default, lists[words], dict(call(word) for word in arguments[4:]))
    if kind == "RANGE":
        start, low, high, fitted = arguments[1:5]
        default = f"start {start} between {low} and {high}, {'fitted' if fitted == 'true' else 'not fitted'}"
        return Parameter(arguments[0], "pl_fit_range", default, [], dict(call(word) for word in arguments[5:]))
    if kind not in TYPES:
        raise BadTable(f"there is no kind {kind}")
    return Parameter(arguments[0], TYPES[kind], default_of(arguments[1]), [], dict(call(word) for word in arguments[2:]))


def read_tables(path):
    """The tables of a file, in their order."""
    text = path.read_text(encoding="utf-8")
    lists = {name: [word for _, (word,) in [("", call(f"X({part})")[1]) for part in split(body)[:-1]]]
             for name, body in re.findall(r"static const char \*const (\w+)\[\] = \{(.*?)\};", text, re.DOTALL)}
    titles = {array: (title, def_name) for title, def_name, array in re.findall(r'= TABLE(?:_WITHOUT_MAGIC)?\("([^"]*)", (\w+), (\w+)\);', text)}
    tables = []
    for array, body in re.findall(r"^static const pl_parameter (\w+)\[\] = \{\n(.*?)^\};", text, re.DOTALL | re.MULTILINE):
        source = str(path.relative_to(ROOT))
        parameters = []
        for line in body.splitlines():
            line = line.strip()
            if not line or line.startswith("//"):
                continue
            try:
                parameters.append(read_line(line.rstrip(","), lists))
            except (BadTable, KeyError, IndexError, ValueError) as problem:
                raise BadTable(f"{source}: cannot read the line `{line}`: {problem}; write it as base/parameter_words.h says") from problem
        tables.append(Table(source, *titles[array], parameters))
    return tables


def fields(table):
    """The lines of the public struct."""
    lines = []
    for parameter in table.parameters:
        facts = [parameter.unit(), parameter.value_range()]
        facts.append(f"default {parameter.default_text()}" if parameter.default_text() else "to be filled in")
        lines += textwrap.wrap(parameter.about(), COLUMNS, initial_indent="  /// ", subsequent_indent="  /// ", break_long_words=False, break_on_hyphens=False)
        facts = ', '.join(filter(None, facts))
        line = f"  {parameter.type} {parameter.name};"
        # A line that is too long would be broken by the formatter in the middle of the declaration.
        if len(line) + len("  ///< ") + len(facts) > COLUMNS:
            lines += [f"  /// {facts[0].upper() + facts[1:]}.", line]
        else:
            lines.append(f"{line}  ///< {facts}")
    return lines


def header_with(text, table, name):
    """The header's text with the fields of one struct brought up to date."""
    begin = BEGIN.format(table.source)
    start = text.find(f"typedef struct {table.def_name} {{")
    close = text.find(f"}} {table.def_name};", start)
    first, last = text.find(begin, start, close), text.find(END, start, close)
    if start < 0 or first < 0 or last < 0:
        raise BadTable(f"include/pliant/{name}: struct {table.def_name} has no lines `{begin}` and `{END}`")
    return text[: first + len(begin)] + "\n" + "\n".join(fields(table)) + "\n  " + text[last:]


def header_of(table):
    """The public header that defines the struct."""
    for path in sorted((ROOT / "include/pliant").glob("*.h")):
        if f"typedef struct {table.def_name} {{" in path.read_text(encoding="utf-8"):
            return path
    raise BadTable(f"{table.source}: no header of include/pliant/ defines struct {table.def_name}")


def rows_for_scenes(table):
    """The table of one def as scene documents see it, for the page of its method."""
    rows = ["| key | value | unit | range | default | what it does |", "| --- | --- | --- | --- | --- | --- |"]
    for parameter in table.parameters:
        if "NOT_IN_SCENES" in parameter.words:
            continue
        words = {"double": "number", "int32_t": "integer", "bool": "true or false", "pl_vec3": "3 numbers"}
        value = " ".join(f"`{word}`" for word in parameter.choices) or words[parameter.type]
        default = f"`{parameter.choice()}`" if parameter.choices else parameter.default_text() or "**required**"
        key = parameter.words.get("KEY", [parameter.name])[0]
        rows.append("| " + " | ".join([f"`{key}`", value, parameter.unit(), parameter.value_range(), default, parameter.about()]) + " |")
    return rows


def page_with(text, tables, name):
    """A page's text with all tables between markers brought up to date."""
    for table in tables:
        begin = PAGE_BEGIN.format(table.def_name)
        if begin not in text:
            continue
        before, _, rest = text.partition(begin)
        _, end, after = rest.partition(PAGE_END)
        if not end:
            raise BadTable(f"docs/{name}: there is no line `{PAGE_END}` after `{begin}`")
        text = before + "\n".join([begin, "", *rows_for_scenes(table), "", PAGE_END]) + after
    return text


def page(tables):
    """docs/parameters.md: every table."""
    rows = ["# Parameters", "",
            "Every number, switch and choice of the structs that functions take (`pl_*_def`), with its default. Written by `make generate` from the tables in",
            "`src/`; [architecture.md](architecture.md) says how one is added. Keys of scene documents are in [formats.md](formats.md).", ""]
    for table in tables:
        rows += [f"## {table.def_name}", "", f"`pliant/{header_of(table).name}`, from `{table.source}`.", "",
                 "| field | type | unit | range | default | meaning |", "| --- | --- | --- | --- | --- | --- |"]
        for parameter in table.parameters:
            cells = [f"`{parameter.name}`", f"`{parameter.type}`", parameter.unit(), parameter.value_range(),
                     f"`{parameter.default_text()}`" if parameter.default_text() else "**required**", parameter.about()]
            rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        rows.append("")
    return "\n".join(rows).rstrip() + "\n"


def schema_of_characters(text, table):
    """docs/pliant_rod_examples.schema.json with the properties of `rod` brought up to date; a character has a surface, so there are no tubes, and what its chains touch is the scene's."""
    lines = []
    for parameter in table.parameters:
        if parameter.name in ("tube_sides", "self_contact"):
            continue
        value = {"enum": parameter.choices, "default": parameter.choice()} if parameter.choices else {
            "type": "integer" if parameter.type == "int32_t" else "number"}
        if not parameter.choices:
            low, high = parameter.words.get("ABOVE") or parameter.words["FROM"]
            value["exclusiveMinimum" if "ABOVE" in parameter.words else "minimum"] = plain(low)
            value["maximum"] = plain(high)
            value["default"] = plain(parameter.default)
        unit = parameter.words.get("UNIT", [""])[0]
        value["description"] = parameter.about() + (f" Unit: {unit}." if unit else "")
        lines.append(f"        {json.dumps(parameter.name)}: {json.dumps(value, ensure_ascii=False)},")
    pattern = re.compile(r'("rod": \{\n[^{]*"properties": \{\n)(.*?\n)( *"extensions")', re.DOTALL)
    return pattern.sub(lambda match: match[1] + "\n".join(lines) + "\n" + match[3], text, count=1)


def plain(text):
    """A number of a table as JSON writes it."""
    top, _, bottom = text.partition("/")
    value = float(top) / float(bottom or 1)
    return int(value) if value == int(value) else value


def presets():
    """The table of materials by name."""
    text = PRESETS.read_text(encoding="utf-8")
    names = re.findall(r'"(\w+)"', re.search(r"pl_appearance_preset_names\[\] = \{(.*?)\}", text)[1])
    lines = re.findall(r'^    \{"([^"]*)", ([^}]*)\},$', text, re.MULTILINE)
    if len(names) != len(lines):
        raise BadTable(f"{PRESETS.relative_to(ROOT)}: {len(names)} names, but {len(lines)} presets")
    rows = ["| name | roughness | metallic | translucency | sheen | look |", "| --- | --- | --- | --- | --- | --- |"]
    return rows + [f"| `{name}` | {' | '.join(numbers.split(', '))} | {about} |" for name, (about, numbers) in zip(names, lines)]


def with_presets(text):
    """A page's text with the table of presets brought up to date."""
    before, begin, rest = text.partition(PRESETS_BEGIN)
    _, end, after = rest.partition(PRESETS_END)
    return before + "\n".join([begin, "", *presets(), "", end]) + after if begin and end else text


def generated():
    """What every generated file should hold: {path: text}."""
    tables = [table for path in sorted((ROOT / "src").glob("*/*_parameters.c")) for table in read_tables(path)]
    texts = {}
    for table in tables:
        path = header_of(table)
        texts[path] = header_with(texts.get(path) or path.read_text(encoding="utf-8"), table, path.name)
    texts[PAGE] = page(tables)
    rod = next(table for table in tables if table.def_name == "pl_rod_def")
    texts[CHARACTERS] = schema_of_characters(CHARACTERS.read_text(encoding="utf-8"), rod)
    for path in sorted((ROOT / "docs").glob("*.md")):
        if path != PAGE and PAGE_END in path.read_text(encoding="utf-8"):
            texts[path] = page_with(path.read_text(encoding="utf-8"), tables, path.name)
        if PRESETS_BEGIN in path.read_text(encoding="utf-8"):
            texts[path] = with_presets(texts.get(path) or path.read_text(encoding="utf-8"))
    return texts


def main(arguments):
    try:
        texts = generated()
    except BadTable as problem:
        print(f"not ok parameters: {problem}")
        return 1
    failed = 0
    for path, text in texts.items():
        name = path.relative_to(ROOT)
        fresh = path.exists() and path.read_text(encoding="utf-8") == text
        if arguments == ["--check"]:
            print("ok" if fresh else "not ok", f"{name} is what the tables of parameters say", "" if fresh else "(run make generate)")
            failed |= not fresh
        elif not fresh:
            path.write_text(text, encoding="utf-8")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
