"""Addresses of stores are read strictly, and no message has a secret."""

import pytest

from sotto_protocol.store_address import AddressError, StoreAddress, read_address, without_secrets


def test_address_names_bucket_prefix_and_options() -> None:
    address = read_address("s3://surveys/2026/lunch/?endpoint_override=127.0.0.1:9000&scheme=http")
    assert address == StoreAddress(
        "surveys", "2026/lunch", (("endpoint_override", "127.0.0.1:9000"), ("scheme", "http"))
    )
    assert (str(address), address.path("a.parquet")) == ("s3://surveys/2026/lunch", "surveys/2026/lunch/a.parquet")
    assert read_address("s3://surveys").path("a") == "surveys/a"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("s3://KEY:HIDDEN@surveys/x", "must have no credentials. Set AWS_ACCESS_KEY_ID"),
        ("s3://surveys/x?access_key=HIDDEN", "has 'access_key'; it may have endpoint_override, region, scheme."),
        ("s3://surveys/x?scheme=ftp", "scheme (ftp) must be http or https"),
        ("s3://surveys/x?region=a&region=b", "region must be in the address of a store once"),
        ("s3://surveys/x?region=", "region must be"),
        ("s3://surveys/x?region=k:HIDDEN@host", "region must be"),
        ("s3://surveys/x?", "has ''; it may have"),
        ("s3:///x", "must be s3://BUCKET/PREFIX"),
        ("s3://UPPER_CASE/x", "must be s3://BUCKET/PREFIX"),
        ("s3://surveys/a//b", "a prefix without empty steps"),
        ("s3://surveys/../b", "a prefix without empty steps"),
    ],
)
def test_other_addresses_are_refused(given: str, said: str) -> None:
    with pytest.raises(AddressError) as refused:
        read_address(given)
    assert said in str(refused.value)
    assert "HIDDEN" not in str(refused.value)


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (OSError("When reading 'x': AWS Error ACCESS_DENIED during HeadObject: key HIDDEN"), "says access denied"),
        (OSError("HIDDEN"), "the store failed"),
        (FileNotFoundError(2, "Path does not exist HIDDEN"), "the store has no such file"),
    ],
)
def test_what_a_store_says_is_told_in_its_codes_alone(fault: OSError, reason: str) -> None:
    assert reason in str(without_secrets(fault))
    assert "HIDDEN" not in str(without_secrets(fault))
