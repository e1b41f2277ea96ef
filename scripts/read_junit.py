#!/usr/bin/env python3
"""read_junit.py FILE PREFIX: the results that `ctest --output-junit FILE` or `pytest --junit-xml FILE` wrote, one line a test: `ok NAME`, `not ok NAME` or `skipped NAME`.

The output of a test that failed stands above its line. Exit status 1 if a test failed, or if there is no result at all.
"""
import sys
import xml.etree.ElementTree as tree


def main(path, prefix):
    try:
        cases = list(tree.parse(path).getroot().iter("testcase"))
    except (OSError, tree.ParseError) as error:
        print(f"{path}: no results: {error}", f"not ok {prefix}: results", sep="\n")
        return 1
    failed = not cases
    for case in cases:
        name, output = f"{prefix}: {case.get('name')}", (case.findtext("system-out") or "").rstrip()
        skipped, problem = case.find("skipped"), case.find("failure") if case.find("failure") is not None else case.find("error")
        if case.get("status") is None:  # of pytest
            output = "" if problem is None else problem.text or ""
            passed = skipped is None and problem is None
            if skipped is not None:
                print(f"skipped {name}: {skipped.get('message')}")
                continue
        else:
            passed = case.get("status") == "run"
        if passed:
            print(f"ok {name}")
        elif skipped is not None and skipped.get("message", "").startswith("SKIP_RETURN_CODE"):
            print(f"skipped {name}: {output.splitlines()[-1] if output else 'no reason given'}")
        else:  # failed, crashed, out of time, or without its program
            failed = True
            # Indented: tests print lines that begin with `ok`, too.
            print(f"--- {name}, {float(case.get('time', 0)):.1f} s", *(f"    {line}" for line in output.splitlines()), f"not ok {name}", sep="\n")
    if not cases:
        print(f"not ok {prefix}: no tests were found")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
