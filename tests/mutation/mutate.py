#!/usr/bin/env python3
"""Mutation testing of core/: changes one token at a time and says which changes no test notices.

usage: mutate.py [--minutes M] [--seed N] [--files GLOB]... [--at FILE:LINE]... [--simulation-seeds N] [--list]
                 [--work DIRECTORY]

Works on a copy of the sources (nothing here is changed), with its own build of core's tests only: the unit tests,
the scenarios and some seeds of the simulator. Mutants are taken at random, in an order that --seed decides, until the
time is over. Printed at the end: how many were noticed, and each that was not, with its place.
Exit code: 0 also with survivors (they are for reading); 1 if the unchanged sources do not pass.
"""
import argparse
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
EQUIVALENT = pathlib.Path(__file__).with_name("equivalent.txt")  # changes that no test can notice, and why
TARGETS = ["pollux_core_test", "scenario_tests", "pollux_simulation"]
TEST_LIMIT_S = 120  # unchanged they take some seconds: what takes longer hangs, which is noticed, too

# What is tried on a token. Spaces decide between an operator and a template's bracket or a pointer.
SWAPS = {
    " == ": " != ", " != ": " == ", " < ": " <= ", " <= ": " < ", " > ": " >= ", " >= ": " > ", " && ": " || ",
    " || ": " && ", " + ": " - ", " - ": " + ", " += ": " -= ", " -= ": " += ", "true": "false", "false": "true",
    "std::min": "std::max", "std::max": "std::min", ".next()": "", ".prev()": "", "break;": "continue;",
    "continue;": "break;",
}
WORDS = re.compile("|".join(sorted((r"\b" + re.escape(s) + r"\b" if s[0].isalpha() and s[-1].isalpha() else
                                    re.escape(s) for s in SWAPS), key=len, reverse=True)))
NUMBER = re.compile(r"(?<![\w.\"])(\d+)(?![\w.\"'])")
NEGATION = re.compile(r"(?<=[(\s])!(?=[\w(])")
STATEMENT = re.compile(r"^\s+[a-z][\w.>\-:]*\(.*\);\s*$")
SKIPPED = re.compile(r"^\s*(//|#|static_assert|POLLUX_CHECK|constexpr|using |namespace |template|case )")


def mutants_of(path):
    """(line number, what, new line) of each mutant of a file."""
    in_text = re.compile(r'"(?:[^"\\]|\\.)*"')
    for number, line in enumerate(path.read_text().split("\n"), 1):
        if SKIPPED.match(line):
            continue
        code = line.split("//")[0] if '"' not in line else line
        texts = [m.span() for m in in_text.finditer(code)]

        def free(at):
            return at < len(code) and not any(a <= at < b for a, b in texts)

        for match in WORDS.finditer(code):
            if free(match.start()):
                new = SWAPS[match.group()]
                yield number, f"{match.group().strip()} -> {new.strip() or 'nothing'}", \
                    line[:match.start()] + new + line[match.end():]
        for match in NUMBER.finditer(code):
            if free(match.start()):
                new = str(int(match.group()) + 1)
                yield number, f"{match.group()} -> {new}", line[:match.start()] + new + line[match.end():]
        for match in NEGATION.finditer(code):
            if free(match.start()):
                yield number, "! -> nothing", line[:match.start()] + line[match.end():]
        if STATEMENT.match(code):
            yield number, "statement -> nothing", re.match(r"^\s*", line).group() + ";"
        if code.strip() == "return;":
            yield number, "return -> nothing", re.match(r"^\s*", line).group() + ";"


def equivalents():
    """(file, line without its indentation, what): each entry is three lines, the third says why."""
    entries = [line for line in EQUIVALENT.read_text().split("\n") if line and not line.startswith("#")]
    known = set()
    for place, line, _ in zip(entries[::3], entries[1::3], entries[2::3]):
        name, what = place.split(": ", 1)
        known.add((name, line.strip(), what))
    return known


class Tree:
    """The copy that is changed, and its build."""

    def __init__(self, work):
        self.source, self.build = work / "source", work / "build"
        work.mkdir(parents=True, exist_ok=True)
        listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True).stdout
        shutil.rmtree(self.source, ignore_errors=True)
        for name in listed.decode().split("\0"):
            if name and (ROOT / name).is_file():
                (self.source / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self.source / name)
        subprocess.run(["cmake", "-G", "Ninja", "-S", str(self.source), "-B", str(self.build), "-DPOLLUX_TESTS=ON",
                        "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O1"], check=True,
                       stdout=subprocess.DEVNULL)

    def make(self):
        return subprocess.run(["cmake", "--build", str(self.build), "--parallel", str(os.cpu_count()), "--target", *TARGETS], capture_output=True,
                              text=True)

    def passes(self, seeds):
        """None if all tests pass, else which noticed."""
        tests = self.build / "tests"
        for command in ([tests / "unit/core/pollux_core_test", "--gtest_fail_fast"],
                        [tests / "scenarios/scenario_tests", "--gtest_fail_fast"],
                        [tests / "simulation/pollux_simulation", "--seeds", str(seeds)]):
            try:
                ended = subprocess.run([str(word) for word in command], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL, timeout=TEST_LIMIT_S).returncode
            except subprocess.TimeoutExpired:
                return command[0].name + " (does not end)"
            if ended != 0:
                return command[0].name
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--files", action="append", help="default: core/src/*.cc")
    parser.add_argument("--simulation-seeds", type=int, default=300)
    parser.add_argument("--list", action="store_true", help="print all mutants and do nothing")
    parser.add_argument("--at", action="append", metavar="FILE:LINE", help="only the mutants of this line")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build" / "mutation")
    options = parser.parse_args()

    files = sorted({path for pattern in options.files or ["core/src/*.cc"] for path in ROOT.glob(pattern)})
    mutants = [(path.relative_to(ROOT), *mutant) for path in files for mutant in mutants_of(path)]
    known = equivalents()
    texts = {path.relative_to(ROOT): path.read_text().split("\n") for path in files}
    mutants = [(name, number, what, new) for name, number, what, new in mutants
               if (str(name), texts[name][number - 1].strip(), what) not in known]
    if options.at:
        mutants = [mutant for mutant in mutants if f"{mutant[0]}:{mutant[1]}" in options.at]
    if options.list:
        for name, number, what, _ in mutants:
            print(f"{name}:{number}: {what}")
        return 0
    random.Random(options.seed).shuffle(mutants)
    print(f"{len(mutants)} mutants in {len(files)} files; seed {options.seed}, {options.minutes:g} minutes", flush=True)
    until = time.monotonic() + options.minutes * 60
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    tree = Tree(options.work)
    built = tree.make()
    if built.returncode != 0:
        print(built.stdout[-3000:])
        return 1
    noticed = tree.passes(options.simulation_seeds)
    if noticed:
        print(f"the unchanged sources do not pass {noticed}: nothing to learn")
        return 1

    killed, not_built, survivors = 0, 0, []
    for name, number, what, changed in mutants:
        if time.monotonic() > until:
            break
        file = tree.source / name
        original = file.read_text()
        lines = original.split("\n")
        before, lines[number - 1] = lines[number - 1], changed
        file.write_text("\n".join(lines))
        if tree.make().returncode != 0:
            not_built += 1
        else:
            by = tree.passes(options.simulation_seeds)
            if by:
                killed += 1
            else:
                survivors.append(f"{name}:{number}: {what}\n    {before.strip()}")
                print("survived: " + survivors[-1], flush=True)
        file.write_text(original)
    tried = killed + len(survivors)
    print(f"\n{tried} mutants tried, {not_built} more did not compile: {killed} noticed, {len(survivors)} survived"
          + (f" ({100 * killed / tried:.0f} % noticed)" if tried else ""))
    for survivor in sorted(survivors):
        print("  " + survivor)
    return 0


sys.exit(main())
