# SPDX-License-Identifier: Apache-2.0
"""What a program's output says of the driver, and the page that scripts/programs writes."""
import itertools
import os
import re
import signal

# What programs call each answer. A word of several programs comes before the number alone.
ANSWERS = [
    ("803", r"\b803\b|SYSTEM_DRIVER_MISMATCH|SystemDriverMismatch|unsupported display driver"
            r"|Driver/library version mismatch"),
    ("804", r"\b804\b|COMPAT_NOT_SUPPORTED|CompatNotSupported|forward compatibility was attempted"),
    ("35", r"InsufficientDriver|driver version is insufficient|NVIDIA driver on your system is too old"),
    ("34", r"STUB_LIBRARY|StubLibrary|stub library"),
    ("222", r"UNSUPPORTED_PTX_VERSION|UnsupportedPtxVersion"),
    ("100", r"cuInit = 100\b|cuInit=100\b|CUDA_ERROR_NO_DEVICE|NoDevice|no CUDA-capable device is detected"),
    ("no libcuda", r"no libcuda is mapped|libcuda\.so\S*: cannot open|cannot load libcuda"
                   r"|Cannot load libcuda|Found no NVIDIA driver|couldn't find libcuda|libcuda\.so.*not found"
                   r"|Could not find cuda drivers|error=libcuda\.so"),
]
RUNS, SOME, FAILS = 2, 1, 0
NATIVE, BUNDLED = "535.261.03", "555.58.02"
# What XLA says when cuInit fails: the version in the name of the libcuda.so.1 that it finds among the
# loaded objects, and the kernel driver's.
DIAGNOSIS = r"\b(libcuda|kernel) reported version is: *(\S+)"


def answer(text, status):
    """What cuInit and the runtimes answered, as one cell of the page."""
    found = [code for code, pattern in ANSWERS if re.search(pattern, text, re.M)]
    # Several libraries of one process say each of these two where the other is meant.
    if "no libcuda" in found and len(found) > 1:
        found.remove("no libcuda")
    if status < 0:
        found.append("no end")
    elif status > 128:
        found.append(signal.Signals(status - 128).name if status - 128 in set(signal.Signals)
                     else "exit %d" % status)
    return ", ".join(found) or "exit %d" % status


def rank(cell):
    codes = cell.split(", ")
    if codes == ["100"] or codes == ["exit 0"]:
        return RUNS
    return SOME if set(codes) <= {"100", "222", "36"} else FAILS


def words(text):
    """The line in which the program says it, cut to what can be read."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    lines = [line for line in lines if not re.match(r"cuarbiter\[\d+\]:|cuInit = |no libcuda is mapped", line)]
    telling = [line for line in lines if any(re.search(p, line) for _, p in ANSWERS)]
    raised = [line for line in lines if re.match(r"[\w.]*(Error|Exception)\b", line)]
    line = (telling or raised or lines or [""])[-1]
    small = re.search(r"\b(cuInit)=(\d+)", line)
    if small and line.startswith("program="):
        return "%s = %s" % small.groups()
    line = re.sub(r"\s+", " ", re.sub(r"/\S*/(?=[^/\s])", ".../", line))
    if len(line) <= 160:
        return line
    hit = next((m for m in (re.search(p, line) for _, p in ANSWERS) if m), None)
    start = max(0, min(hit.start() - 40, len(line) - 154)) if hit else 0
    return ("..." if start else "") + line[start:start + 154] + ("..." if start + 154 < len(line) else "")


def diagnosis(text):
    return dict(re.findall(DIAGNOSIS, text))


def version(text):
    """535.261.03 as XLA writes it, 535.261.3."""
    return ".".join(str(int(part)) for part in text.split("."))


def release(number):
    """12090 as 12.9"""
    return "%d.%d" % (number // 1000, number // 10 % 100)


def first(bare, shim):
    """Where two lists of lines part."""
    pairs = itertools.zip_longest(bare, shim, fillvalue="nothing")
    return "`%s`, with cuarbiter `%s`" % next(p for p in pairs if p[0] != p[1])


class Row:
    def __init__(self, program, version, runs, truth, cost, patched):
        self.program, self.version, self.runs = program, version, runs
        self.truth, self.cost, self.patched = truth, cost, patched

    def worse(self):
        return any(rank(shim.answer) < rank(bare.answer) for bare, shim in self.runs.values())

    def helped(self):
        return any(rank(shim.answer) > rank(bare.answer) for bare, shim in self.runs.values())

    def differs(self):
        """In which way a run on `right` or `none` is another one with cuarbiter."""
        found = []
        for name in ("right", "none"):
            if name in self.runs:
                bare, shim = self.runs[name]
                found += ["%s: %s: %s" % (name, what, first(one, other)) for what, one, other in (
                    ("exit status", [str(bare.status)], [str(shim.status)]),
                    ("output", bare.visible().splitlines(), shim.visible().splitlines()),
                    ("NVIDIA files", *([", ".join(p) for p in r.processes] for r in (bare, shim))))
                    if one != other]
        return found

    def cuda(self):
        """What cuarbiter takes for the program's CUDA, against what the program has."""
        if not self.truth:
            return "", True
        own = {release(v) for v in self.truth["runtimes"].values()}
        taken = self.truth["taken"]
        if not taken or not taken.get("cuda"):
            return "nothing", not own  # a runtime inside the program leaves no trace, one beside it does
        own = own or {".".join(v.split(".")[:2]) for v in self.truth["wheels"].values()}
        said = taken["cuda"]
        # A name with no more than the SONAME's number says a major version alone.
        bound = said.endswith(".0") and re.fullmatch(r"libcudart(-[0-9a-f]+)?\.so\.\d+(\.0)?",
                                                     taken.get("source") or "")
        if not own:
            return said + ", runtime not seen", True
        if bound:
            agrees = all(o.split(".")[0] == said.split(".")[0] for o in own)
            return "%s or later, is %s" % (said, "/".join(sorted(own))), agrees
        return ("%s" % said, True) if own == {said} else ("%s, is %s" % (said, "/".join(sorted(own))), False)

    def diagnosed(self):
        """What XLA says of the driver on `wrong`, and whether it is the loaded one, bare and with cuarbiter."""
        if not self.program.diagnoses or "wrong" not in self.runs:
            return "", True
        said = [run.diagnosis for run in self.runs["wrong"]]
        wanted = [{"libcuda": version(file), "kernel": version(NATIVE)} for file in (BUNDLED, NATIVE)]
        return ", with cuarbiter ".join(
            ", ".join("%s %s" % pair for pair in sorted(each.items())) or "nothing" for each in said), said == wanted

    def fine(self):
        return not self.worse() and not self.differs() and self.cuda()[1] and self.diagnosed()[1]

    def cell(self, name):
        if name not in self.runs:
            return "not run"
        bare, shim = self.runs[name]
        return bare.answer if bare.answer == shim.answer else "%s → %s" % (bare.answer, shim.answer)

    def mapped(self, name):
        """What each process with a libcuda has of NVIDIA's, on this machine with cuarbiter."""
        processes = self.runs[name][1].processes if name in self.runs else []
        kinds = sorted({"%s %s" % (where, ", ".join(f.split(" ")[1] for f in p if f.startswith(where + " ")))
                        for p in processes for where in sorted({f.split(" ")[0] for f in p})})
        return "; ".join(kinds) + (" (%d processes)" % len(processes) if len(processes) > 1 else "")

    def label(self):
        return self.program.label + (" †" if self.patched else "")


HEAD = """# Real programs

"Initialised" is 100 here: cuInit found a driver that fits and no GPU behind it. The kernel driver is a
stand-in, and no kernel ran. Every user-mode driver is real: {native} is the host's, {bundled} the one in the image.

| machine | |
| --- | --- |
| right | the host's driver alone |
| wrong | and the image's, first in `ld.so.cache` |
| wrong-path | the same, by `LD_LIBRARY_PATH` |
| none | no driver, no libcuda |

`803 → 100`: 803 without cuarbiter, 100 with it; one value: the same in both. A signal or an exit status after the answer
ended the program. "Its CUDA" is the version that cuarbiter found, and the runtime's own answer if that differs. "Start" is
the number of instructions of a whole run on `right` with cuarbiter, as a multiple of those without; (time): processor time
instead, which varies by a tenth with other work on the machine and with threads that wait actively. †: a runtime of CUDA 13
answers 35 with every driver that is available; here private copies were changed so that cuDriverGetVersion answers 13.4 and
13.5.

"Differs" compares, on `right` and `none`, exit status, standard output and the NVIDIA files in use; numbers
of processes, addresses, times, temporary names and free memory are masked. "XLA's diagnosis" is what XLA, in
JAX and TensorFlow, prints about the libcuda that it finds loaded and about the kernel driver.

`scripts/programs [GROUP...]` writes this page: it installs a group, runs it, and replaces its section.

{summary}
"""


class Page:
    """docs/evidence/programs.md: a head, and a section a group. Sections of groups that are not run stay."""

    def __init__(self, path, order):
        self.path, self.order, self.sections = path, order, {}
        if os.path.exists(path):
            with open(path) as file:
                parts = re.split(r"^## (\S+)\n", file.read(), flags=re.M)
            self.sections = dict(zip(parts[1::2], parts[2::2]))

    def add(self, group, rows, when):
        names = list(rows[0].runs) if rows else []
        lines = ["", "Run on %s." % when, "",
                 "| program | %s | its CUDA | start | in use on `wrong`, with cuarbiter |" % " | ".join(names),
                 "| --- |" + " --- |" * (len(names) + 3)]
        notes, said = [], {}
        for row in rows:
            cuda, agrees = row.cuda()
            mark = "**worse** " if row.worse() else ""
            lines.append("| %s%s %s | %s | %s | %s | %s |" % (
                mark, row.label(), row.version, " | ".join(row.cell(n) for n in names),
                cuda if agrees else "**%s**" % cuda, row.cost or "", row.mapped("wrong")))
            notes += ["- %s: **differs** on %s" % (row.label(), what) for what in row.differs()]
            text, right = row.diagnosed()
            if text:
                notes.append("- %s: XLA's diagnosis%s: %s" % (
                    row.label(), "" if right else ", which is **not the loaded driver**", text))
            if "wrong" in row.runs:
                bare, shim = row.runs["wrong"]
                said.setdefault("`%s`%s" % (bare.words.replace("`", "'"), "" if bare.words == shim.words else
                                            ", with cuarbiter `%s`" % shim.words.replace("`", "'")), []).append(row.label())
        self.sections[group] = "\n".join(lines + ["", "On `wrong`, in their own words:", ""] + [
            "- %s: %s" % ("; ".join(labels), text) for text, labels in said.items()] + notes) + "\n\n"
        self.write()

    def not_run(self, group, why):
        """A section that was run before stays."""
        if "Run on" not in self.sections.get(group.name, ""):
            lines = ["", "| program | |", "| --- | --- |"]
            lines += ["| %s | not available: %s |" % (p.label, why.splitlines()[0]) for p in group.programs]
            self.sections[group.name] = "\n".join(lines) + "\n\n"
            self.write()

    def summary(self):
        text = "".join(self.sections[n] for n in self.order if n in self.sections)
        rows = re.findall(r"^\| (?!program|---)(.*)", text, re.M)
        missing = [r for r in rows if "not available" in r]
        return ("%d rows: %d get a driver that fits where they had none, %d worse than without cuarbiter, "
                "%d differ where nothing was wrong, %d not available. Not run: %s." % (
                    len(rows), sum("→ 100" in r for r in rows), text.count("**worse**"),
                    len(set(re.findall(r"^- (.*): \*\*differs\*\*", text, re.M))), len(missing),
                    ", ".join(n for n in self.order if "\n| " not in self.sections.get(n, "")) or "nothing"))

    def write(self):
        text = HEAD.format(native=NATIVE, bundled=BUNDLED, summary=self.summary())
        for name in self.order:
            text += "\n## %s\n%s" % (name, self.sections.get(name, "\nNot run.\n\n").rstrip("\n") + "\n")
        with open(self.path + ".new", "w") as file:
            file.write(text)
        os.replace(self.path + ".new", self.path)

    def close(self):
        pass


class Tap:
    """The same as a test: what a row must not be is a failure."""

    def __init__(self):
        self.number = 0

    def say(self, fine, what, why=()):
        self.number += 1
        print("%sok %d - %s" % ("" if fine else "not ", self.number, what))
        for line in why:
            print("#   " + line)

    def add(self, group, rows, _):
        for row in rows:
            for name in row.runs:
                bare, shim = row.runs[name]
                self.say(rank(shim.answer) >= rank(bare.answer), "%s: %s, %s: %s" % (
                    group, row.label(), name, row.cell(name)), () if bare.answer == shim.answer else (shim.words,))
                if name.startswith("wrong") and row.program.cuda < 13:
                    self.say(rank(shim.answer) > rank(bare.answer), "%s: %s, %s: helped" % (
                        group, row.label(), name))
            self.say(not row.differs(), "%s: %s: nothing differs where nothing is wrong" % (group, row.label()),
                     row.differs())
            text, right = row.diagnosed()
            if row.program.diagnoses:
                self.say(right, "%s: %s: XLA names the loaded driver: %s" % (group, row.label(), text))
            cuda, agrees = row.cuda()
            self.say(agrees, "%s: %s: its CUDA: %s" % (group, row.label(), cuda or "not asked"))

    def not_run(self, group, why):
        self.number += 1
        print("ok %d - %s # SKIP %s" % (self.number, group.name, why.splitlines()[0]))

    def close(self):
        print("1..%d" % self.number)
