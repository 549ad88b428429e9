"""A survey extract with a protected version, shipped to try things on.

Persons aged 16 and over of the American Community Survey's public use sample, Alaska, 2024: a work
of the US Census Bureau, in the public domain. `tools/make_demo.py` in the source tree made both.
"""

from pathlib import Path

FOLDER = Path(__file__).parent
ORIGINAL = FOLDER / "original.csv"
PROTECTED = FOLDER / "protected.csv"
SCHEMA = FOLDER / "schema.toml"

STORY = """\
American Community Survey 2024, Alaska, persons aged 16 and over; public domain.
Protected: ages in bands, 10 % of marital statuses and 5 % of races swapped,
10 % noise on incomes, cells of education and hours suppressed, class of worker
removed.

"""
