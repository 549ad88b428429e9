"""Threads of the linear algebra library."""

from __future__ import annotations

from contextlib import AbstractContextManager


def one_thread() -> AbstractContextManager[object]:
    """Many small products: threads of the linear algebra library only wait for each other.

    With one thread figures are also the same on every machine with the same processor.
    """
    from threadpoolctl import threadpool_limits

    return threadpool_limits(limits=1, user_api="blas")  # type: ignore[no-any-return]
