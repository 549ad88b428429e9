"""Threads of the libraries that compute."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

MANY = 20_000
"""Rows from which threads share work instead of waiting for each other."""


def one_thread() -> AbstractContextManager[object]:
    """Many small products: threads of the linear algebra library only wait for each other.

    With one thread figures are also the same on every machine with the same processor.
    """
    from threadpoolctl import threadpool_limits

    return threadpool_limits(limits=1, user_api="blas")  # type: ignore[no-any-return]


def one_thread_if_few(rows: int) -> AbstractContextManager[object]:
    """Trees on few rows are many small steps, after each of which all threads wait for the last.

    On a busy machine that is most of the time. Libraries must be loaded before.
    """
    from threadpoolctl import threadpool_limits

    if rows >= MANY:
        return nullcontext()
    return threadpool_limits(limits=1, user_api="openmp")  # type: ignore[no-any-return]
