"""Exceptions: one class per status of the library, with file, line, field and findings."""
import ctypes

from . import _capi
from ._library import lib


class Finding:
    """One problem or doubt about user data: `severity`, `kind`, `you_see`, `why`, `fix`, and where it is (`file`, `line`, `column`, `field`, `index`, `position`)."""

    __slots__ = ("severity", "line", "column", "index", "position", "file", "field", "kind", "you_see", "why", "fix", "text")

    def __init__(self, finding):
        self.severity = ("note", "warning", "error")[finding.severity]
        self.line, self.column, self.index = finding.line, finding.column, finding.index
        self.position = tuple(finding.position) if finding.has_position else None
        for name in ("file", "field", "kind", "you_see", "why", "fix"):
            setattr(self, name, (getattr(finding, name) or b"").decode("utf-8", "replace"))
        buffer = ctypes.create_string_buffer(4096)
        lib.pl_finding_format(ctypes.byref(finding), buffer, len(buffer))
        self.text = buffer.value.decode("utf-8", "replace")

    def __str__(self):
        return self.text

    def __repr__(self):
        return f"<Finding {self.text}>"


class PliantError(Exception):
    """A call of the library failed; nothing has changed. `status` is the name of the status; `file`, `line`, `column` and `field` say where the data is
    wrong, as far as that is known; `findings` has everything that was found in the user's data."""

    def __init__(self, text, *, status="", file="", line=0, column=0, field="", findings=()):
        super().__init__(text)
        self.status, self.file, self.line, self.column, self.field = status, file, line, column, field
        self.findings = list(findings)


class OutOfMemoryError(PliantError, MemoryError):
    """The allocator returned nothing."""


class InvalidArgumentError(PliantError, ValueError):
    """An argument is outside its documented range."""


class InvalidDataError(PliantError, ValueError):
    """A file, mesh, scene or array is wrong; the error says where."""


class NotFoundError(PliantError, LookupError):
    """A name, a file or a handle does not exist: a body that was removed, for example."""


class FileError(PliantError, OSError):
    """The operating system refused a file operation."""


class UnsupportedError(PliantError, NotImplementedError):
    """Valid, but not something this build or this kind of body can do."""


class NotFiniteError(PliantError, ArithmeticError):
    """The simulation produced infinities or NaNs; the world is as it was before the step."""


class ClosedError(PliantError, ValueError):
    """The object was closed."""


class BusyError(PliantError, RuntimeError):
    """Another thread is using the object. A world, a fit or a tracker is for one thread at a time."""


_CLASSES = {-1: OutOfMemoryError, -2: InvalidArgumentError, -3: InvalidDataError, -4: NotFoundError, -5: FileError, -6: UnsupportedError, -7: NotFiniteError}
_STATUS_NAMES = {value: name for name, value in _capi.ENUMS["pl_status"].items()}


def failure(status, error=None, findings=()):
    """The exception of a negative status."""
    text, places = "", {}
    if error is not None and error.text:
        buffer = ctypes.create_string_buffer(2048)
        lib.pl_error_format(ctypes.byref(error), buffer, len(buffer))
        text = buffer.value.decode("utf-8", "replace")
        places = {"file": error.file.decode("utf-8", "replace"), "line": error.line, "column": error.column, "field": error.field.decode("utf-8", "replace")}
    text = text or lib.pl_status_text(status).decode()
    return _CLASSES.get(status, PliantError)(text, status=_STATUS_NAMES.get(status, str(status)), findings=findings, **places)


def check(status, error=None, findings=()):
    """Raise what a negative status stands for; other statuses come back."""
    if status < 0:
        raise failure(status, error, findings)
    return status
