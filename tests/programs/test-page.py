#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""The page's judgement: what is worse, what differs, and a diagnosis that names another driver."""
import os
import sys
import tempfile
from types import SimpleNamespace as Some

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import page  # noqa: E402

failed = number = 0


def check(what, got, wanted):
    global failed, number
    number += 1
    failed += got != wanted
    print("%sok %d - %s" % ("not " * (got != wanted), number, what))
    if got != wanted:
        print("#   got: %r\n#   wanted: %r" % (got, wanted))


def run(text, status=0, processes=()):
    return Some(status=status, answer=page.answer(text, status), words=page.words(text), visible=lambda: text,
                diagnosis=page.diagnosis(text), processes=list(processes))


def row(bare, shim, name="wrong", **more):
    program = Some(label="Thing", diagnoses=more.get("diagnoses", False), cuda=12)
    return page.Row(program, "1.0", {name: (bare, shim)}, None, None, False)


def diagnosis(libcuda):
    return run("cuInit = 803\nlibcuda reported version is: %s\nkernel reported version is: 535.261.3" % libcuda)


refused, fits = run("cuInit = 803"), run("cuInit = 100")
check("803 to 100 helps", (row(refused, fits).helped(), row(refused, fits).fine()), (True, True))
check("100 to 803 is worse", (row(fits, refused).worse(), row(fits, refused).fine()), (True, False))
check("100 to a signal is worse", row(fits, run("cuInit = 100", 139)).worse(), True)
check("another output differs where nothing is wrong", row(run("a"), run("b"), "right").fine(), False)
check("and where something is wrong it does not count", row(run("a"), run("b")).fine(), True)
check("other files differ", row(fits, run("cuInit = 100", 0, [("native libcuda",)]), "right").fine(), False)
check("XLA names the loaded driver",
      row(diagnosis("555.58.2"), diagnosis("535.261.3"), diagnoses=True).diagnosed(),
      ("kernel 535.261.3, libcuda 555.58.2, with cuarbiter kernel 535.261.3, libcuda 535.261.3", True))
for what, bare, shim in (("another driver", diagnosis("555.58.2"), diagnosis("555.58.2")),
                         ("no driver", diagnosis("555.58.2"), fits),
                         ("another driver, bare", diagnosis("535.261.3"), diagnosis("535.261.3"))):
    check("XLA names " + what, row(bare, shim, diagnoses=True).fine(), False)

with tempfile.TemporaryDirectory() as folder:
    path = folder + "/page.md"
    sheet = page.Page(path, ["one", "two", "three"])
    sheet.add("one", [row(refused, fits)], "a day")
    sheet.not_run(Some(name="two", programs=[Some(label="lost")]), "no matching distribution\nmore")
    with open(path) as file:
        text = file.read()
    check("what is not available has a row that says why",
          "| lost | not available: no matching distribution |" in text, True)
    check("the summary counts", "2 rows: 1 get a driver that fits where they had none, 0 worse than without "
          "cuarbiter, 0 differ where nothing was wrong, 1 not available. Not run: three." in text, True)
    page.Page(path, ["one", "two", "three"]).not_run(Some(name="one", programs=[]), "no network")
    with open(path) as file:
        check("a section that was run stays", "| Thing 1.0 | 803 → 100 |" in file.read(), True)
print("1..%d" % number)
sys.exit(failed > 0)
