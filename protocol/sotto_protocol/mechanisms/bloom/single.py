"""One report of bits at a time, as a device makes it: the coins and the bytes of the bulk code, without its arrays.

numpy costs more than the coins do where there is a single row. Bits are bytes of 0 and 1 here, one behind the other.
"""

from collections.abc import Sequence

from sotto_protocol.coins import Coins

_DIGITS = b"01" + bytes(254)
_FEW_COINS = 2**10
"""From so many coins on the bulk code is as fast."""


def is_few(n_coins: int) -> bool:
    """Whether a row of so many coins is flipped faster here."""
    return n_coins < _FEW_COINS


def respond_row(true_bits: Sequence[int], width: int, if_true: int, if_other: int, coins: Coins) -> bytes:
    """Flip `width` coins by `if_other`, and replace those at the true bits by coins by `if_true`, in order."""
    bits = bytearray(coins.flip_few(if_other, width))
    for place, coin in zip(true_bits, coins.flip_few(if_true, len(true_bits)), strict=True):
        bits[place] = coin
    return bytes(bits)


def report_row(permanent: bytes, if_one: int, if_zero: int, coins: Coins) -> bytes:
    """Replace every bit by a coin; both coins are drawn for each."""
    width = len(permanent)
    zeros = int.from_bytes(coins.flip_few(if_zero, width), "little")
    ones = int.from_bytes(coins.flip_few(if_one, width), "little")
    chosen = zeros ^ ((zeros ^ ones) & int.from_bytes(permanent, "little"))
    return chosen.to_bytes(width, "little")


def pack_row(bits: bytes, n_values: int) -> bytes:
    """Pack blocks of n_values bits, each from a whole byte, bit v mod 8 (the least significant is 0) of byte v // 8."""
    n_bytes = (n_values + 7) // 8
    digits = bits.translate(_DIGITS)[::-1]
    blocks = [digits[start : start + n_values] for start in range(len(digits) - n_values, -1, -n_values)]
    return b"".join([int(block, 2).to_bytes(n_bytes, "little") for block in blocks])
