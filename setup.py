"""Builds the compiled loops, where there is a compiler; without one the package works in NumPy."""

import sys

from setuptools import Extension, setup

# No fused multiplications: figures are the same on every kind of processor.
FLAGS = ["/O2"] if sys.platform == "win32" else ["-O3", "-ffp-contract=off"]

setup(
    ext_modules=[
        Extension(
            "microgauge.kernels._loops",
            ["src/microgauge/kernels/loops.c"],
            define_macros=[("Py_LIMITED_API", "0x030b0000")],
            py_limited_api=True,
            extra_compile_args=FLAGS,
            optional=True,
        )
    ],
    # One wheel for Python 3.11 and all later ones.
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
