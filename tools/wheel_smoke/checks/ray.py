"""`--ray`: a trace made on a local Ray cluster equals one made in threads, also after it was killed half way."""

from pathlib import Path
from tempfile import TemporaryDirectory

from .traces import equal, finish, kill_half_way

GAME, FORM = "oregon", "arrays"

if __name__ == "__main__":
    with TemporaryDirectory() as scratch:
        threads, cluster = Path(scratch) / "threads", Path(scratch) / "cluster"
        finish(GAME, threads, FORM)
        parts = kill_half_way(GAME, cluster, FORM, "--ray")
        finish(GAME, cluster, FORM, "--ray")
        assert equal(threads, cluster)
        print(f"{GAME}: the same on Ray as in threads, killed after {parts} parts", flush=True)
