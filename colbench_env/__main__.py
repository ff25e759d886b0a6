"""`python -m colbench_env` is the command `colbench`."""

import sys

from colbench_env.cli import main

sys.exit(main())
