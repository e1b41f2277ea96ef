#!/usr/bin/env python3
"""The tables of the scene format in docs/formats.md, made from docs/scene.schema.json so that the two cannot drift.

schema_tables.py           put the tables between the markers of docs/formats.md
schema_tables.py --check   only compare; prints `ok NAME` or `not ok NAME`
"""
import json
import sys

from tree import ROOT

SCHEMA = ROOT / "docs/scene.schema.json"
PAGE = ROOT / "docs/formats.md"
BEGIN = "<!-- tables made from scene.schema.json by scripts/schema_tables.py: begin -->"
END = "<!-- end of the tables -->"


def number(value):
    """A number as a person writes it."""
    if isinstance(value, float):
        inverse = round(1 / value) if value else 0
        if inverse > 1 and abs(inverse * value - 1) < 1e-12 and len(repr(value)) > 8:
            return f"1/{inverse}"
        return f"{value:g}"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**6 and str(value).rstrip("0") == "1":
        return f"1e{len(str(value)) - 1}"
    return json.dumps(value)


def link(reference):
    name = reference.rsplit("/", 1)[1]
    return f"[{name}](#{name})"


def kind(entry):
    """What a value looks like, in a word or two."""
    if "$ref" in entry:
        return link(entry["$ref"])
    if "enum" in entry:
        return " ".join(f"`{choice}`" for choice in entry["enum"])
    if "oneOf" in entry:
        one = next((choice for choice in entry["oneOf"] if "$ref" in choice), None)
        if one:
            return f"{link(one['$ref'])} or a list of them"
        is_color = any("pattern" in choice for choice in entry["oneOf"])
        return '`"#rrggbb"` or `[r, g, b]`' if is_color else "rotation"
    if entry["type"] == "array":
        return kind_of_list(entry)
    if entry["type"] == "object":
        named = entry["additionalProperties"]
        return f"{link(named['$ref'])} by name" if "$ref" in named else f"{named['type']}s by name"
    return {"string": "text", "boolean": "true or false"}.get(entry["type"], entry["type"])


def kind_of_list(entry):
    items = entry["items"]
    if "$ref" in items:
        return f"list of {link(items['$ref'])}"
    if items["type"] == "array":
        return f"list of {items['minItems']} {items['items']['type']}s"
    length = entry.get("maxItems")
    return f"{length} {items['type']}s" if length else f"list of {items['type']}s"


def limits(entry):
    """The range of a value, or of each of its numbers."""
    holder = entry["items"] if entry.get("type") == "array" and "$ref" not in entry.get("items", {}) else entry
    minimum, above, maximum = holder.get("minimum"), holder.get("exclusiveMinimum"), holder.get("maximum")
    if maximum is None:
        return ""
    if minimum is not None and minimum == maximum:
        return number(minimum)
    return f"> {number(above)}, ≤ {number(maximum)}" if above is not None else f"{number(minimum)} … {number(maximum)}"


def default(entry, required):
    if required:
        return "**required**"
    if "default" not in entry:
        return ""
    value = entry["default"]
    if isinstance(value, list):
        return "[" + ", ".join(number(item) for item in value) + "]"
    return f"`{value}`" if isinstance(value, str) and value else number(value)


def table(title, level, definition):
    rows = [f"{level} {title}", "", definition["description"], "", "| key | value | unit | range | default | meaning |", "| --- | --- | --- | --- | --- | --- |"]
    for key, entry in definition["properties"].items():
        if key == "comment":  # allowed everywhere, said once
            continue
        cells = [f"`{key}`", kind(entry), entry.get("unit", ""), limits(entry), default(entry, key in definition.get("required", [])),
                 entry["description"]]
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return rows + [""]


def tables():
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    rows = table("scene", "####", schema)
    for name, definition in schema["$defs"].items():
        rows += table(name, "####", definition)
    return "\n".join(rows)


def main(arguments):
    page = PAGE.read_text(encoding="utf-8")
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        print(f"not ok page: {PAGE.relative_to(ROOT)} has no place for the tables of the scene format")
        return 1
    wanted = f"{before}{BEGIN}\n\n{tables()}\n{END}{after}"
    if arguments == ["--check"]:
        if page != wanted:
            print("run scripts/schema_tables.py")
        print("ok" if page == wanted else "not ok", "page: the tables of docs/formats.md are those of docs/scene.schema.json")
        return page != wanted
    PAGE.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
