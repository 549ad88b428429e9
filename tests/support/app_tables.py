"""Tables that are measured in a second."""

import numpy as np
import polars as pl
import xlsxwriter


def write_tables(folder, rows=150):
    rng = np.random.default_rng(5)
    table = pl.DataFrame(
        {
            "age": rng.integers(18, 80, rows),
            "sex": rng.choice(["f", "m"], rows),
            "region": rng.choice(["north", "south", "east"], rows, p=[0.5, 0.3, 0.2]),
            "income": np.round(rng.lognormal(8, 0.5, rows), 0),
        }
    )
    table.write_csv(folder / "original.csv")
    weak = table.with_columns(income=pl.col("income") + rng.normal(0, 100, rows).round())
    weak.write_csv(folder / "weak.csv")
    weak.with_columns(age=pl.col("age") // 20 * 20).write_csv(folder / "strong.csv")


def write_workbook(path, **sheets):
    """A workbook of files: sheet=FILE; a dict may hold names that Python has not."""
    with xlsxwriter.Workbook(str(path)) as book:
        for name, file in sheets.items():
            table, sheet = pl.read_csv(file), book.add_worksheet(name)
            for place, column in enumerate(table.columns):
                sheet.write_string(0, place, column)
                sheet.write_column(1, place, table[column].to_list())
