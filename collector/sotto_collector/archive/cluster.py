"""Recount on a cluster: Dask's workers count the files, which all of them must see under the same path."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from distributed import Client, LocalCluster, as_completed
from distributed.scheduler import KilledWorker

from sotto_collector.archive.manifest import ArchiveFile
from sotto_collector.archive.recount import Counted, Progress, add_up, count_file, open_archive
from sotto_collector.errors import ArchiveError
from sotto_protocol import Tally

LOCAL = "local"
_CONNECT_S = 30
_N_RETRIES = 3  # of a file that could not be read: a shared folder may be away for a moment


def recount_on_cluster(
    folder: Path,
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
    manifest = open_archive(folder, wave)
    with ExitStack() as opened:
        if scheduler == LOCAL:
            cluster = LocalCluster(
                n_workers=n_workers, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0"
            )  # type: ignore[no-untyped-call]
            scheduler = opened.enter_context(cluster).scheduler_address
        try:
            client = opened.enter_context(Client(scheduler, timeout=_CONNECT_S, set_as_default=False))  # type: ignore[no-untyped-call]
        except (OSError, ValueError) as fault:
            raise ArchiveError(f"the scheduler at {scheduler} could not be reached.") from fault
        try:
            client.wait_for_workers(1, timeout=_CONNECT_S)
        except TimeoutError as fault:
            raise ArchiveError(f"the scheduler at {scheduler} has no workers.") from fault
        try:
            return add_up(manifest, _count_on(client, folder.resolve(), manifest.files, wave), progress)
        except KilledWorker as fault:
            raise ArchiveError("the workers that counted a file died, one after the other: is it memory?") from fault


def _count_on(client: Client, folder: Path, files: list[ArchiveFile], wave: int | None) -> Iterator[Counted]:
    """Yield the files' counts as they come. A task is named after its file's digest: the same task is the same file."""
    tasks = [
        client.submit(
            count_file, folder, file, wave, key=f"sotto-count-{file.digest}-{wave or 'all'}", retries=_N_RETRIES
        )
        for file in files
    ]
    done = as_completed(tasks, loop=client.loop)  # type: ignore[no-untyped-call]
    del tasks  # a result is let go of as soon as it is added
    for future in done:
        yield future.result()
        future.release()
