"""Names of many events, each made when it is asked for: of a hundred thousand, one is said."""

from collections.abc import Callable, Sequence


class Names:
    """So many names: `names[3]` is the fourth."""

    def __init__(self, n: int, say: Callable[[int], str]) -> None:
        self._n, self._say = n, say

    @staticmethod
    def of(names: Sequence[str]) -> "Names":
        """Return these names."""
        return Names(len(names), names.__getitem__)

    @staticmethod
    def join(several: "Sequence[Names]") -> "Names":
        """Return all of these, one behind the other."""

        def say(index: int) -> str:
            for names in several:
                if index < len(names):
                    return names[index]
                index -= len(names)
            raise IndexError

        return Names(sum(map(len, several)), say)

    def __len__(self) -> int:
        return self._n

    def __getitem__(self, index: int) -> str:
        return self._say(index)

    def behind(self, prefix: str) -> "Names":
        """Return these names, each behind a prefix."""
        return Names(self._n, lambda index: prefix + self[index])

    def both_ways(self) -> "Names":
        """Return the names of events, of their opposites, and of both again: as `Counts.both_ways` has them."""
        return Names(4 * self._n, lambda index: ("", "not: ")[index // self._n % 2] + self[index % self._n])
