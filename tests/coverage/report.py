#!/usr/bin/env python3
"""Coverage of folders, from what gcov counted in a build with the preset `coverage`.

usage: report.py SOURCE BUILD FOLDER...

Prints a line a file (lines that a test reached, of those that could be) with the lines no test reached, and a
percentage a folder. A header's line counts as reached if any program reached it. Exit code 1 if nothing was counted.
"""
import collections
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile


def read_counts(source, build, folders):
    """{file: {line: times reached}} of the sources in `folders`, from every .gcda file below `build`."""
    counts = collections.defaultdict(lambda: collections.defaultdict(int))
    data = sorted(build.rglob("*.gcda"))
    with tempfile.TemporaryDirectory() as scratch:
        for number, file in enumerate(data):
            subprocess.run(["gcov", "--json-format", "--stdout", str(file)], cwd=scratch, check=True,
                           stdout=open(os.path.join(scratch, "out"), "wb"), stderr=subprocess.DEVNULL)
            text = open(os.path.join(scratch, "out"), "rb").read()
            if text[:2] == b"\x1f\x8b":
                text = gzip.decompress(text)
            for document in text.decode().splitlines():
                told = json.loads(document)
                for each in told["files"]:
                    path = pathlib.Path(told["current_working_directory"], each["file"]).resolve()
                    if not path.is_relative_to(source):
                        continue
                    name = str(path.relative_to(source))
                    if name.split("/")[0] not in folders or name.startswith("build/"):
                        continue
                    for line in each["lines"]:
                        counts[name][line["line_number"]] += line["count"]
            if sys.stderr.isatty():
                print(f"\rread {number + 1} of {len(data)}", end="", file=sys.stderr)
    return counts


def ranges(lines):
    """[1, 2, 3, 7] as "1-3 7"."""
    parts = []
    for line in lines:
        if parts and parts[-1][1] == line - 1:
            parts[-1][1] = line
        else:
            parts.append([line, line])
    return " ".join(str(a) if a == b else f"{a}-{b}" for a, b in parts)


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    source, build = (pathlib.Path(each).resolve() for each in sys.argv[1:3])
    folders = sys.argv[3:]
    counts = read_counts(source, build, folders)
    if not counts:
        sys.exit("nothing was counted: build with the preset `coverage` and run tests first")
    totals = {folder: [0, 0] for folder in folders}
    for name in sorted(counts):
        lines = counts[name]
        reached = sum(1 for count in lines.values() if count > 0)
        total = totals[name.split("/")[0]]
        total[0] += reached
        total[1] += len(lines)
        missed = ranges(sorted(line for line, count in lines.items() if count == 0))
        print(f"{100 * reached / len(lines):6.1f} %  {name}" + (f"  not reached: {missed}" if missed else ""))
    for folder, (reached, all_lines) in totals.items():
        if all_lines:
            print(f"{100 * reached / all_lines:6.1f} %  of {folder}/: {reached} of {all_lines} lines")


main()
