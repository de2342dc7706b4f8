"""Keep a comparison in the repository: its figures, and its predictions without the scores of all labels.

What is kept is a comparison's folder still: ``branchwise compare --output`` goes on with it, and writes its report.
"""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path

from branchwise.compare.folder import ABOUT, RUNS, read_lines, write_lines

FILES = ("comparison.json", "comparison.csv", ABOUT)


def main() -> None:
    """Copy records and figures as they are, and predictions without scores."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("comparison", type=Path)
    parser.add_argument("kept", type=Path)
    arguments = parser.parse_args()
    (arguments.kept / RUNS).mkdir(parents=True, exist_ok=True)
    for name in FILES:
        shutil.copy(arguments.comparison / name, arguments.kept / name)
    for path in sorted((arguments.comparison / RUNS).iterdir()):
        place = arguments.kept / RUNS / path.name
        if path.suffix == ".json":
            record = json.loads(path.read_text(encoding="utf-8"))
            place.write_text(json.dumps(record, ensure_ascii=False) + "\n", encoding="utf-8")
        else:
            write_lines(
                place,
                (
                    {name: value for name, value in one.items() if name != "scores"}
                    for one in read_lines(path)
                ),
            )


if __name__ == "__main__":
    main()
