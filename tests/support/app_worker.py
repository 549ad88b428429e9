"""Stands in for the command where thousands of runs are asked for: says and writes what it would.

Started without site packages it takes a hundredth of a second. What it writes was made by the real
command once: the folder that MICROGAUGE_PREPARED names.
"""

import json
import os
import random
import shutil
import sys
import time
from pathlib import Path


def say(**said):
    sys.stderr.write(json.dumps(said) + "\n")
    sys.stderr.flush()


def option(words, name):
    return words[words.index(name) + 1] if name in words else None


def main(words):
    rng = random.Random(" ".join(words) + os.environ.get("MICROGAUGE_SEED", ""))
    command = words[0]
    named = [w for w in words[1:] if w.endswith(".csv") or ".xlsx" in w]
    tables = [w.partition("::")[0] for w in named if words[words.index(w) - 1][:2] != "--"]
    gone = [name for name in tables if not Path(name).exists()]
    say(doing="reading the original table", share=0.0)
    if gone:
        say(faults=[{"code": "table", "sentence": f"there is no file {name}."} for name in gone])
        return 2
    pause = rng.choice((0, 0, 0.02, 0.3)) if command in ("assess", "rank", "explore") else 0
    for place in range(5):
        say(doing="measuring", share=place / 5)
        time.sleep(pause / 5)
    if rng.random() < 0.08:
        say(faults=[{"code": "column", "sentence": "[variable.age] is not to be had."}])
        return 2
    if rng.random() < 0.04:
        sys.stderr.write("microgauge: a fault of microgauge: ValueError in x.py, line 1.\n")
        return 3
    write(command, words, tables, pause)
    return rng.choice((0, 0, 1)) if command in ("assess", "rank", "explore") else 0


def write(command, words, tables, pause):
    prepared = Path(os.environ["MICROGAUGE_PREPARED"])
    if command == "mask":
        shutil.copyfile(tables[0], option(words, "--output"))
        return
    if command == "schema":
        shutil.copyfile(prepared / "variables.json", option(words, "--json"))
        return
    if command == "assess":
        result = json.loads((prepared / "assess.json").read_text())
        say(kept="first", verdict=result["verdict"])
        time.sleep(pause)
    if command == "explore":
        kept = Path(option(words, "--folder"))
        kept.mkdir(exist_ok=True)
        for path in sorted((prepared / "explored").iterdir()):
            shutil.copyfile(path, kept / path.name)
            time.sleep(pause / 2)
    shutil.copyfile(prepared / f"{command}.json", option(words, "--json"))
    for name in ("--report", "--public", "--summary", "--excel", "--map"):
        if option(words, name):
            Path(option(words, name)).write_text("<!DOCTYPE html>\n")


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
