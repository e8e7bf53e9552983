#!/usr/bin/env python3
"""Side by side: our engines and every installed peer over the same programs, as a Markdown table and SVG plots.

Usage: peers.py SELVEDGE [-o FOLDER] [--quick] [--seconds S] [--only TOOL,...] [--tools peers.toml]

Everything runs one after the other, so that nobody disturbs anybody. A tool that is not installed is skipped and named. An
answer that contradicts what is known of a program is marked in the table, and is no answer in the plots.
"""

import argparse
import math
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from dataclasses import dataclass
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COLOURS = ["#0b5394", "#a33b00", "#1e6b33", "#7a1fa2", "#7a5c00", "#00696b", "#a3124f", "#4b4f56"]
PROPERTIES = ["assertion", "deadlock"]
DASHES = ["", "6 3", "2 3", "8 3 2 3"]


@dataclass
class Result:
    """What a tool said: safe, unsafe, bounded, none, timeout, or not asked; and its seconds."""

    answer: str
    seconds: float

    def is_right(self, expected):
        return self.answer == expected

    def is_wrong(self, expected):
        """Nothing within bounds does not contradict a violation beyond them."""
        return self.answer in ("safe", "unsafe") and self.answer != expected


def run(words, seconds, patterns):
    """Runs a command for at most so many seconds; all of its processes end with it."""
    started = time.monotonic()
    with subprocess.Popen(
        words,
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        text=True,
        errors="replace",
    ) as process:
        try:
            # Our own limits are kept within a second; others are given as long.
            output, _ = process.communicate(timeout=seconds + 2)
            late = False
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            late = True
    took = time.monotonic() - started
    if not late:
        for answer in ("unsafe", "bounded", "safe"):
            if answer in patterns and re.search(patterns[answer], output, re.MULTILINE):
                return Result(answer, took)
    return Result("timeout" if late or took >= seconds else "none", took)


def command(tool, settings, program, **more):
    """The words of a tool's command for a program."""
    names = ("unwind", "rounds", "jobs", "property")
    values = {key: more.get(key, program.get(key, settings[key])) for key in names}
    defines = program.get("defines", {}) | more.get("defines", {})
    defines = " ".join(f"-D{name}={value}" for name, value in defines.items())
    text = tool["command"].format(file=program["file"], defines=defines, seconds=settings["seconds"], **values)
    words = shlex.split(text)
    return [settings["selvedge"] if words[0] == "selvedge" else words[0], *words[1:]]


# SVG


class Page:
    """A drawing with axes."""

    WIDTH, HEIGHT = 640, 420
    LEFT, TOP, RIGHT, BOTTOM = 64, 34, 170, 52

    def __init__(self, title, x, y, legend=True):
        self.right = self.RIGHT if legend else 24
        self.parts = []
        self.text(self.WIDTH / 2, 20, title, size=15)
        self.text((self.LEFT + self.WIDTH - self.right) / 2, self.HEIGHT - 10, x)
        middle = (self.TOP + self.HEIGHT - self.BOTTOM) / 2
        self.parts.append(
            f'<text x="16" y="{middle}" text-anchor="middle" transform="rotate(-90 16 {middle})">{escape(y)}</text>'
        )
        self.entries = 0

    def text(self, x, y, text, size=12, anchor="middle"):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}">{escape(text)}</text>')

    def x(self, share):
        return self.LEFT + share * (self.WIDTH - self.right - self.LEFT)

    def y(self, share):
        return self.HEIGHT - self.BOTTOM - share * (self.HEIGHT - self.BOTTOM - self.TOP)

    def line(self, points, colour="#999", dash="", width=1.0):
        path = " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in points)
        dash = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}"{dash}/>')

    def dot(self, x, y, colour, title):
        self.parts.append(
            f'<circle cx="{self.x(x):.1f}" cy="{self.y(y):.1f}" r="4" fill="{colour}"><title>{escape(title)}</title></circle>'
        )

    def tick_x(self, share, text):
        self.line([(share, 0), (share, 1)], "#ddd")
        self.text(self.x(share), self.HEIGHT - self.BOTTOM + 16, text)

    def tick_y(self, share, text):
        self.line([(0, share), (1, share)], "#ddd")
        self.text(self.LEFT - 6, self.y(share) + 4, text, anchor="end")

    def entry(self, name, colour, dash):
        y = self.TOP + 8 + 18 * self.entries
        x = self.WIDTH - self.right + 12
        dash = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(f'<line x1="{x}" y1="{y}" x2="{x + 24}" y2="{y}" stroke="{colour}" stroke-width="2"{dash}/>')
        self.text(x + 30, y + 4, name, anchor="start")
        self.entries += 1

    def write(self, path):
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.WIDTH} {self.HEIGHT}" '
            f'width="{self.WIDTH}" height="{self.HEIGHT}" font-family="sans-serif" font-size="12">'
            '<rect width="100%" height="100%" fill="#fff"/>'
        )
        path.write_text("\n".join([head, *self.parts, "</svg>"]) + "\n")


class Seconds:
    """A logarithmic axis of time, from a hundredth of a second to the limit."""

    def __init__(self, limit):
        self.limit = limit

    def share(self, seconds):
        low, high = math.log10(0.01), math.log10(self.limit)
        return (math.log10(min(max(seconds, 0.01), self.limit)) - low) / (high - low)

    def ticks(self):
        powers = [10.0**power for power in range(-2, 5) if 10.0**power < self.limit * 0.7]
        return [(self.share(value), f"{value:g}") for value in [*powers, self.limit]]


def style(index):
    return COLOURS[index % len(COLOURS)], DASHES[index // len(COLOURS) % len(DASHES)]


def quantile(path, results, programs, axis):
    page = Page("Programs decided, by time", "programs", "seconds")
    for share, text in axis.ticks():
        page.tick_y(share, text)
    most = max(len(programs), 1)
    for count in range(0, most + 1, max(1, most // 8)):
        page.tick_x(count / most, str(count))
    for index, (name, of_tool) in enumerate(results.items()):
        right = sorted(r.seconds for r, p in zip(of_tool, programs) if r.is_right(p["expect"]))
        colour, dash = style(index)
        page.line([((n + 1) / most, axis.share(s)) for n, s in enumerate(right)], colour, dash, 2)
        if len(right) == 1:
            page.dot(1 / most, axis.share(right[0]), colour, name)
        page.entry(f"{name} ({len(right)})", colour, dash)
    page.write(path)


def scatter(path, name, ours, theirs, programs, axis):
    page = Page(f"auto and {name}", "auto, seconds", f"{name}, seconds", legend=False)
    for share, text in axis.ticks():
        page.tick_x(share, text)
        page.tick_y(share, text)
    page.line([(0, 0), (1, 1)], "#666", "4 3")
    for own, other, program in zip(ours, theirs, programs):
        place = [axis.share(r.seconds if r.is_right(program["expect"]) else axis.limit) for r in (own, other)]
        colour = COLOURS[0] if program["expect"] == "safe" else COLOURS[1]
        page.dot(*place, colour, f"{program['file']}: {own.seconds:.2f} s, {other.seconds:.2f} s")
    page.text(page.x(0.02), page.y(0.96), "blue: safe, brown: unsafe; at the edge: no answer", anchor="start", size=11)
    page.write(path)


def growth(path, what, series, values, axis):
    page = Page(f"Time, as {what} grow", what, "seconds")
    for share, text in axis.ticks():
        page.tick_y(share, text)
    share = lambda value: values.index(value) / max(len(values) - 1, 1)
    for value in values:
        page.tick_x(share(value), str(value))
    for index, (name, points) in enumerate(series.items()):
        colour, dash = style(index)
        done = [(value, r) for value, r in points if r.answer in ("safe", "unsafe", "bounded")]
        page.line([(share(value), axis.share(r.seconds)) for value, r in done], colour, dash, 2)
        for value, r in done:
            page.dot(share(value), axis.share(r.seconds), colour, f"{name}, {value}: {r.answer}, {r.seconds:.2f} s")
        page.entry(name, colour, dash)
    page.write(path)


# Tables


def cell(result, expected):
    if result.is_wrong(expected):
        return f"**wrong: {result.answer}** {result.seconds:.2f}"
    silent = {"none": "–", "timeout": "time", "not asked": ""}
    return silent.get(result.answer, f"{result.answer} {result.seconds:.2f}")


def rows(header, body):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in body)]) + "\n"


def table(results, programs, missing, settings):
    text = f"# Side by side\n\nSeconds of wall time, at most {settings['seconds']} for each. `bounded`: nothing within bounds; empty: not asked.\n\n"
    body = [
        [Path(program["file"]).name, program["expect"], *(cell(of[n], program["expect"]) for of in results.values())]
        for n, program in enumerate(programs)
    ]
    pairs = {name: list(zip(of, programs)) for name, of in results.items()}
    for title, is_such in (("right", Result.is_right), ("wrong", Result.is_wrong)):
        counts = [str(sum(is_such(r, p["expect"]) for r, p in of)) for of in pairs.values()]
        body.append([f"**{title}**", "", *counts])
    text += rows(["program", "is", *results], body)
    if missing:
        text += f"\nNot installed, and left out: {', '.join(missing)}.\n"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("selvedge")
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "target" / "bench")
    parser.add_argument("--tools", type=Path, default=ROOT / "bench" / "peers.toml")
    parser.add_argument("--quick", action="store_true", help="a few small programs")
    parser.add_argument("--seconds", type=float, help="the limit of each run")
    parser.add_argument("--only", help="tools, separated by commas")
    arguments = parser.parse_args()
    settings = tomllib.loads(arguments.tools.read_text())
    if arguments.quick:
        settings["seconds"] = settings["quick_seconds"]
    settings["seconds"] = arguments.seconds or settings["seconds"]
    # Options take whole seconds.
    settings["seconds"] = max(1, round(settings["seconds"]))
    settings["selvedge"] = str(Path(arguments.selvedge).resolve())

    wanted = arguments.only.split(",") if arguments.only else None
    tools, missing = {}, []
    for name, tool in settings["tool"].items():
        if wanted is not None and name not in wanted:
            continue
        if tool.get("needs") and not shutil.which(tool["needs"]):
            missing.append(name)
            continue
        answers = tool["answers"]
        tools[name] = tool | {"answers": settings["answers"][answers] if isinstance(answers, str) else answers}
    programs = [p for p in settings["program"] if p.get("quick") or not arguments.quick]
    arguments.output.mkdir(parents=True, exist_ok=True)
    axis = Seconds(settings["seconds"])

    results = {name: [] for name in tools}
    for program in programs:
        for name, tool in tools.items():
            if program.get("property", settings["property"]) in tool.get("properties", PROPERTIES):
                result = run(command(tool, settings, program), settings["seconds"], tool["answers"])
            else:
                result = Result("not asked", 0)
            results[name].append(result)
            print(f"{program['file']}: {name}: {cell(result, program['expect'])}", file=sys.stderr, flush=True)
    text = table(results, programs, missing, settings)
    quantile(arguments.output / "quantile.svg", results, programs, axis)
    for name in tools:
        if "auto" in results and name != "auto":
            path = arguments.output / f"scatter-{name}.svg"
            scatter(path, name, results["auto"], results[name], programs, axis)

    for what, grow in settings["grow"].items():
        values = grow["values"][:3] if arguments.quick else grow["values"]
        series = {}
        for name, tool in tools.items():
            if what not in tool.get("grows", []):
                continue
            series[name] = []
            for value in values:
                more = {"defines": {grow["define"]: value}} if "define" in grow else {}
                more |= {{"cores": "jobs"}.get(what, what): value} if what != "threads" else {}
                result = run(command(tool, settings, grow, **more), settings["seconds"], tool["answers"])
                series[name].append((value, result))
                print(f"{what} = {value}: {name}: {cell(result, result.answer)}", file=sys.stderr, flush=True)
                if result.answer == "timeout":
                    break
        growth(arguments.output / f"growth-{what}.svg", what, series, values, axis)
        body = [
            [name, *(next((cell(r, r.answer) for v, r in points if v == value), "") for value in values)]
            for name, points in series.items()
        ]
        text += f"\n## {what} ({Path(grow['file']).name})\n\n" + rows(["", *map(str, values)], body)

    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    text += f"\n{used.ru_utime + used.ru_stime:.0f} s of processor time in all.\n"
    (arguments.output / "table.md").write_text(text)
    print(text)
    print(f"The table and the plots are in {arguments.output}.")


if __name__ == "__main__":
    main()
