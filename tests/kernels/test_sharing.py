"""Work that threads share."""

import multiprocessing
import threading
import time

import pytest

from microgauge.kernels import in_threads, sharing


@pytest.fixture(autouse=True)
def _four_processors(monkeypatch):
    monkeypatch.setattr(sharing, "processors", lambda: 4)
    sharing._threads.cache_clear()
    yield
    sharing._threads().shutdown()
    sharing._threads.cache_clear()


def test_answers_come_in_the_order_of_the_items():
    def slowly(item):
        time.sleep(0.002 * (item % 3))
        return item * item

    assert in_threads(slowly, range(40), shared=True) == [i * i for i in range(40)]
    assert in_threads(slowly, range(3), shared=False) == [0, 1, 4]
    assert in_threads(slowly, [], shared=True) == []


def test_several_threads_take_part():
    seen = set()
    met = threading.Barrier(3)

    def meet(item):
        seen.add(threading.current_thread().name)
        met.wait(10)
        return item

    in_threads(meet, range(3), shared=True)
    assert len(seen) == 3


def test_who_helps_is_helped_and_nobody_waits_for_ever():
    def deeper(item):
        return sum(
            in_threads(lambda x: in_threads(abs, [x, -x], shared=True)[1], range(item), shared=True)
        )

    assert in_threads(deeper, range(20), shared=True) == [sum(range(i)) for i in range(20)]


@pytest.mark.parametrize("bad", range(4))
def test_faults_are_told_and_nothing_goes_on(bad):
    done = []

    def work(item):
        if item == bad:
            raise IndexError("told")
        time.sleep(0.01)
        done.append(item)

    with pytest.raises(IndexError, match="told"):
        in_threads(work, range(400), shared=True)
    count = len(done)
    time.sleep(0.05)
    assert len(done) == count < 399


@pytest.mark.parametrize("bad", range(4))
def test_nobody_is_at_work_any_more_when_a_fault_is_told(bad):
    caller = threading.current_thread()
    met, done = threading.Barrier(4), []

    def work(item):
        met.wait(10)
        if item == bad:
            raise IndexError("told")
        if threading.current_thread() is not caller:
            time.sleep(0.05)
        done.append(item)

    with pytest.raises(IndexError, match="told"):
        in_threads(work, range(4), shared=True)
    assert len(done) == 3


def _in_a_child(queue):
    queue.put(in_threads(abs, [-1, -2, -3], shared=True))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork")
def test_processes_that_were_forked_have_threads_of_their_own():
    in_threads(abs, [-1, -2, -3], shared=True)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_in_a_child, args=(queue,))
    child.start()
    assert queue.get(timeout=20) == [1, 2, 3]
    child.join(20)
