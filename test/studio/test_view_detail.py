# ctest: cli once long
"""An example recorded by `pliant view`: the claim of test_view.py that takes a minute."""
import pathlib
import runpy
import sys

program = pathlib.Path(__file__).with_name("test_view.py")
sys.argv = [str(program), "an_example_of_detail_is_recorded_used_and_saved"]
runpy.run_path(str(program), run_name="__main__")
