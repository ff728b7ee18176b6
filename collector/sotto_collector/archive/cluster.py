"""Recount on a cluster: Dask's workers count the files, which all of them must see under the same path."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

from distributed import Client, LocalCluster, as_completed
from distributed.scheduler import KilledWorker

from sotto_collector.archive.folders import Folder, Given, folder_of
from sotto_collector.archive.recount import CountedFile, Progress, Sum, count_file, open_archive
from sotto_collector.errors import ArchiveError
from sotto_protocol import Tally
from sotto_protocol.archive import ArchiveFile

LOCAL = "local"
_CONNECT_S = 30
_N_RETRIES = 3  # of a file that could not be read: a shared folder may be away for a moment


def recount_on_cluster(
    given: Given,
    scheduler: str,
    wave: int | None = None,
    *,
    n_workers: int | None = None,
    progress: Progress = lambda *_: None,
) -> Tally:
    """Count an archive, of one wave or all, on the workers of a scheduler, or of a local cluster with `n_workers`.

    A worker may die at any moment: its files are counted by others, and a file that is counted twice counts once.
    Raises ArchiveError.
    """
    return asyncio.run(_recount(folder_of(given), scheduler, wave, n_workers, progress))


async def _recount(
    folder: Folder, scheduler: str, wave: int | None, n_workers: int | None, progress: Progress
) -> Tally:
    manifest = open_archive(folder, wave)
    total = Sum(manifest, progress)
    async with AsyncExitStack() as opened:
        if scheduler == LOCAL:
            cluster = LocalCluster(
                n_workers=n_workers,
                threads_per_worker=1,
                processes=True,
                dashboard_address="127.0.0.1:0",
                asynchronous=True,
            )  # type: ignore[no-untyped-call]
            scheduler = (await opened.enter_async_context(cluster)).scheduler_address
        client = await _connect(opened, scheduler)
        try:
            async for counted in _count_on(client, folder.anywhere(), manifest.files, wave):
                total.add(counted)
        except KilledWorker as fault:
            raise ArchiveError(
                "the workers that counted one file died, one after the other. Give them more memory."
            ) from fault
    return total.tally()


async def _connect(opened: AsyncExitStack, scheduler: str) -> Client:
    """Return a client, of a scheduler that has workers; it is closed with what is `opened`. Raises ArchiveError."""
    try:
        client = Client(scheduler, asynchronous=True, timeout=_CONNECT_S, set_as_default=False)  # type: ignore[no-untyped-call]
        opened.push_async_callback(client.close)
        await client
    except (OSError, ValueError) as fault:
        raise ArchiveError(f"the scheduler at {scheduler} could not be reached.") from fault
    try:
        await client.wait_for_workers(1, timeout=_CONNECT_S)  # type: ignore[misc, func-returns-value] # typed as if sync
    except TimeoutError as fault:
        raise ArchiveError(f"the scheduler at {scheduler} has no workers.") from fault
    return client


async def _count_on(
    client: Client, folder: Folder, files: list[ArchiveFile], wave: int | None
) -> AsyncIterator[CountedFile]:
    """Yield the files' counts as they come. A task is named after its file's digest: the same task is the same file."""
    tasks = [
        client.submit(
            count_file, folder, file, wave, key=f"sotto-count-{file.digest}-{wave or 'all'}", retries=_N_RETRIES
        )
        for file in files
    ]
    done = as_completed(tasks, loop=client.loop)  # type: ignore[no-untyped-call]
    del tasks  # a result's memory is freed as soon as it is added
    async for future in done:
        yield await future.result()
        future.release()
