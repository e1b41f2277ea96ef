"""The parameters of Pliant, from the schema of its scenes (scene.schema.json), which is made from the same tables as the program's own help."""
import json
import os

METHODS = ("solid", "fem", "rigid")

# What the add-on sets by itself, or what needs more than one value.
LEFT_OUT = {"examples", "groups", "grouping", "shape", "thickness_map"}


class Parameter:
    """One parameter of a method: its key, and what a panel needs."""

    def __init__(self, key, entry):
        self.key = key
        self.about = entry.get("description", "")
        self.unit = entry.get("unit", "")
        self.default = entry.get("default")
        self.choices = entry.get("enum")
        self.kind = "choice" if self.choices else entry.get("type")
        self.min = entry.get("minimum", entry.get("exclusiveMinimum"))
        self.max = entry.get("maximum")
        self.min_above = "exclusiveMinimum" in entry

    @property
    def label(self):
        return self.key.replace("_", " ").capitalize() + (f" ({self.unit})" if self.unit else "")


def load(path=None):
    with open(path or os.path.join(os.path.dirname(__file__), "scene.schema.json"), encoding="utf-8") as file:
        return json.load(file)


def parameters(schema, method):
    """The parameters of a method that are one number, switch or choice, in the order of the tables."""
    found = []
    for key, entry in schema["$defs"][method]["properties"].items():
        parameter = Parameter(key, entry)
        if key == "comment" or key in LEFT_OUT or "default" not in entry:
            continue
        if parameter.kind in ("number", "integer", "boolean", "choice"):
            found.append(parameter)
    return found


def supports(schema, type_name, key):
    return key in schema["$defs"].get(type_name, {}).get("properties", {})
