"""Every public class, function, method and property of the package is called by some test of this folder."""
import pathlib

import pytest

from conftest import TOUCHED


def test_every_public_name_is_called(request):
    files = {path.name for path in pathlib.Path(__file__).parent.glob("test_*.py")}
    if {item.path.name for item in request.session.items} != files:
        pytest.skip("only some of the tests run")
    assert len(TOUCHED) > 130
    missing = sorted(name for name, count in TOUCHED.items() if count == 0)
    assert not missing, "\n".join(missing)
