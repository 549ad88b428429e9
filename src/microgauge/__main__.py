"""`python -m microgauge`."""

import gc
import os
import signal
import sys
import warnings


def run() -> int:
    """The command. Ctrl-C before there is anything to clear away just ends it, without a word."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # What libraries say to programmers; figures that are none are null, with the reason.
    warnings.simplefilter("ignore")
    # Threads of the linear algebra library sleep while there is nothing to do, instead of asking.
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
    from microgauge.cli import main

    code = main()
    gc.freeze()  # what is left goes with the process: looking through it takes time
    return code


if __name__ == "__main__":
    sys.exit(run())
