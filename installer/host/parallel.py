"""Programs side by side: a thread each, that does nothing but wait for one."""

from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

T = TypeVar("T")
Task: TypeAlias = Callable[[], T]


def every(tasks: Sequence[Task[T]]) -> list[T]:
    """Run the tasks at the same time, and return their results in order when all have ended.

    Raises whatever the first that failed raised; no thread is left, so that forking stays safe.
    """
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(max(1, len(tasks))) as pool:
        futures = [pool.submit(task) for task in tasks]
    return [future.result() for future in futures]
