"""The process of the site keeps its memory compact for any number of threads."""

import os
import platform
import subprocess
import sys

import pytest

from almunia.server.memory import GC_THRESHOLDS, MAX_ARENAS

PROGRAM = """
import ctypes, gc, sys
from threading import Barrier, Thread
from almunia.server.memory import limit_memory

if "as it comes" not in sys.argv:
    limit_memory()
    print(*gc.get_threshold())
libc, all_there = ctypes.CDLL(None), Barrier(12)

def take():
    all_there.wait()
    libc.malloc(100_000)
    all_there.wait()

threads = [Thread(target=take) for _ in range(12)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
sys.stdout.flush()
libc.malloc_info(0, ctypes.c_void_p.in_dll(libc, "stdout"))
libc.fflush(None)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="The C library is not glibc.")
def test_threads_share_their_heaps() -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MALLOC_")}

    def told(*words: str) -> str:
        return subprocess.run(
            [sys.executable, "-c", PROGRAM, *words], env=environment, check=True, capture_output=True, text=True
        ).stdout

    tuned = told()
    assert tuned.splitlines()[0] == " ".join(map(str, GC_THRESHOLDS))
    assert tuned.count("<heap nr=") == MAX_ARENAS < told("as it comes").count("<heap nr=")
