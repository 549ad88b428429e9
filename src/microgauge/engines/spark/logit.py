"""Logistic regression by Spark ML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from microgauge.arrays import Floats
from microgauge.engines.engine import Features
from microgauge.engines.spark.work import Batches, coded_batch, grouped
from microgauge.passes.batch import BATCH_ROWS

CLOSE = 1e-12
MOST_STEPS = 500


def logistic(
    sides: tuple[tuple[Any, Mapping[str, str]], tuple[Any, Mapping[str, str]]],
    features: tuple[Features, Features],
) -> Floats:
    """Intercept and coefficients of the model that tells the second frame from the first."""
    from pyspark.ml.classification import LogisticRegression
    from pyspark.ml.functions import array_to_vector

    labelled = [
        frame.mapInArrow(
            partial(_labelled, features=columns, places=places, label=float(label)),
            "label double, features array<double>",
        )
        for label, ((frame, places), columns) in enumerate(zip(sides, features, strict=True))
    ]
    rows = labelled[0].unionAll(labelled[1])
    rows = rows.select("label", array_to_vector(rows.features).alias("features")).persist()
    try:
        fit = LogisticRegression(
            regParam=0.0, tol=CLOSE, maxIter=MOST_STEPS, standardization=False
        ).fit(rows)
        return np.append(fit.intercept, fit.coefficients.toArray())
    finally:
        rows.unpersist()


def _labelled(
    batches: Batches,
    features: Features,
    places: Mapping[str, str],
    label: float,
) -> Iterator[Any]:
    """Rows as columns of numbers, and which table they are from."""
    import pyarrow as pa

    for frame in grouped(batches, BATCH_ROWS):
        columns = features(coded_batch(frame, places, None))
        width = columns.shape[1]
        starts = pa.array(np.arange(len(columns) + 1, dtype=np.int32) * width)
        cells = pa.ListArray.from_arrays(starts, pa.array(np.ascontiguousarray(columns).ravel()))
        labels = pa.array(np.full(len(columns), label))
        yield pa.RecordBatch.from_arrays([labels, cells], ["label", "features"])
