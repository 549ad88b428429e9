"""`python -m microgauge`."""

import sys

from microgauge.cli import main

sys.exit(main())
