"""A real S3 server on this machine (moto's), which can fail, or kill a client, at a chosen request."""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from pyarrow.fs import S3FileSystem
from werkzeug.serving import WSGIRequestHandler, make_server

BUCKET = "surveys"
SECRET = "wJalrXUtnFEMI-do-not-print"  # noqa: S105  # of no account
KEY = "AKIADONOTPRINT"


class _Silent(WSGIRequestHandler):
    def log(self, *_: object) -> None:
        pass


@dataclass
class ObjectStore:
    """`on_request` is told of each request's method and path, and may return a status to fail with."""

    port: int = 0
    on_request: Callable[[str, str], int] = lambda *_: 0
    seen: list[tuple[str, str]] = field(default_factory=list)

    def address(self, prefix: str) -> str:
        return f"s3://{BUCKET}/{prefix}?endpoint_override=127.0.0.1:{self.port}&scheme=http&region=us-east-1"

    @property
    def files(self) -> S3FileSystem:
        """What is in the store, by pyarrow itself."""
        return S3FileSystem(
            endpoint_override=f"127.0.0.1:{self.port}", scheme="http", region="us-east-1", allow_bucket_creation=True
        )


@contextmanager
def object_store() -> Iterator[ObjectStore]:
    """Serve an empty bucket, to a client whose credentials are in the environment."""
    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app

    store, moto = ObjectStore(), DomainDispatcherApplication(create_backend_app)

    def answer(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        method, path = environ["REQUEST_METHOD"], environ["PATH_INFO"]
        store.seen.append((method, path))
        if status := store.on_request(method, path):
            start_response(f"{status} Refused", [("Content-Length", "0")])
            return []
        return moto(environ, start_response)

    server = make_server("127.0.0.1", 0, answer, threaded=True, request_handler=_Silent)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    store.port = server.port
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET}.items():
            patch.setenv(name, value)
        patch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        store.files.create_dir(BUCKET)
        try:
            yield store
        finally:
            server.shutdown()
            thread.join()
            server.server_close()
