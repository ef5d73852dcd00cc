"""watch: changes as they come, for loops and asynchronous loops."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
import threading

from briskfs._briskfs import ChangeStream


class Watch:
    """Batches of changes. The first one has what has changed since the state."""

    def __init__(self, watching):
        self._watching = watching

    def __iter__(self):
        return self

    def __next__(self):
        is_main = threading.current_thread() is threading.main_thread()
        batch = self._watching.next(is_main)
        if batch is None:
            raise StopIteration
        return batch

    async def __aiter__(self):
        # The default executor has few threads, and one that waits here would be missing there.
        with self, ThreadPoolExecutor(1, "briskfs.watch") as waiting:
            loop = asyncio.get_running_loop()
            try:
                while batch := await loop.run_in_executor(waiting, self._watching.next, False):
                    yield batch
            finally:
                # Before the executor waits for its thread.
                self.close()

    def accept(self):
        """Accepts the last batch, as asking for the next one does."""
        self._watching.accept()

    def close(self):
        """Ends the loops over it, and saves what was accepted."""
        self._watching.close()

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        self.close()


def watch(*paths, state=None, settle=0.02, content=False, ctime=True, renames=True):
    """Watches trees and files. A batch ends when nothing has happened for `settle` seconds."""
    return Watch(ChangeStream(paths, state, settle, content, ctime, renames))
