"""A device that speaks to a gateway by itself: requests sealed with the keys of a store, responses opened."""

from dataclasses import replace

import requests

from house import House
from sotto_client.sealing import Sealed, seal
from sotto_collector.store import Store
from sotto_collector.store.gateway import make_keys, read_identity
from sotto_protocol import Report, Survey, batch_body
from sotto_protocol.binary_http import InnerRequest, InnerResponse
from sotto_protocol.gateway_keys import KeyConfiguration, read_keys
from sotto_protocol.oblivious import GATEWAY_PATH, REQUEST_TYPE, RESPONSE_TYPE, inner_post
from sotto_protocol.request_size import oblivious_request_bytes

RELAY = "http://127.0.0.1:1"


def with_gateway(store: Store, survey: Survey, relay: str = RELAY) -> Survey:
    """Return a survey that is delivered obliviously, to this store's gateway, which gets keys if it has none."""
    with store.reader() as connection:
        identity = read_identity(connection)
    if identity is None:
        make_keys(store)
        with store.reader() as connection:
            identity = read_identity(connection)
    assert identity is not None
    return replace(survey, id=f"{survey.id}-oblivious", delivery="oblivious", relay=relay, gateway_key=identity.hex())


def keys_of(house: House) -> tuple[KeyConfiguration, ...]:
    """Return the keys that the gateway gives, that of X25519 first."""
    return read_keys(house.http.get(GATEWAY_PATH).data)


def keys_of_url(url: str) -> tuple[KeyConfiguration, ...]:
    """Return the same of a collector that is served."""
    return read_keys(requests.get(url + GATEWAY_PATH, timeout=60).content)


def report_request(survey: Survey, report: Report) -> InnerRequest:
    return inner_post("collector.example", f"/v1/surveys/{survey.id}/reports", batch_body(survey, [report]))


def seal_report(survey: Survey, report: Report, key: KeyConfiguration) -> Sealed:
    return seal(key, report_request(survey, report).to_bytes(oblivious_request_bytes(survey)))


def ask(house: House, request: InnerRequest, key: KeyConfiguration, size: int = 4096) -> tuple[InnerResponse, int]:
    """Return the response to a request, and how long it was, with its padding."""
    sealed = seal(key, request.to_bytes(size))
    answer = house.http.post(GATEWAY_PATH, data=sealed.message, content_type=REQUEST_TYPE)
    assert (answer.status_code, answer.content_type) == (200, RESPONSE_TYPE), answer.data
    message = sealed.open(answer.data)
    return InnerResponse.from_bytes(message), len(message)
