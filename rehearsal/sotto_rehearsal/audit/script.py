"""What a program is asked, and in which order: its devices are shared out over processes that run side by side.

So noise that depends on the process alone, or on when it began, is there twice. Each process has twins and movers
between the halves of its other devices: as many in each, so that each device of one has one in the same place of the
other.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sotto_protocol.mechanisms.mechanism import Bytes
from sotto_rehearsal.audit.design import Design, make_movers, make_twins
from sotto_rehearsal.audit.errors import AuditError
from sotto_rehearsal.audit.sample import Sample, read_reports

N_PROCESSES = 2


@dataclass(frozen=True)
class Block:
    """Devices that one process is asked, one after the other; `first_number`: that of the design's first device."""

    design: Design
    devices: range
    first_number: int

    @property
    def n_lines(self) -> int:
        """How many reports they make."""
        return len(self.devices) * self.design.n_waves

    def lines(self) -> Iterator[bytes]:
        """Yield what a program reads."""
        for device, wave, answers in self.design.lines(self.devices):
            asked = {"device": self.first_number + device, "wave": wave, "answers": answers}
            yield json.dumps(asked).encode() + b"\n"


@dataclass(frozen=True)
class Samples:
    """What was reported: by the design's devices, by twins in either process, by movers (None in a single wave).

    `ids`: of all reports of either process, in their order.
    """

    main: Sample
    twins: tuple[Sample, Sample]
    movers: Sample | None
    ids: tuple[Bytes, Bytes]


@dataclass(frozen=True)
class Script:
    """All devices of an audit, and which of them each process is asked."""

    main: Design
    twins: Design
    movers: Design | None

    @staticmethod
    def of(design: Design) -> "Script":
        """Return the devices of a design, with twins and movers of their own."""
        return Script(design, make_twins(design), make_movers(design))

    @property
    def cut(self) -> int:
        """How many of the design's devices the first process is asked."""
        return self.main.n_devices // N_PROCESSES

    @property
    def n_lines(self) -> int:
        """How many reports there are in all."""
        return sum(block.n_lines for share in self.shares() for block in share)

    def shares(self) -> list[list[Block]]:
        """Return what each process is asked."""
        return [self._share(process, *ends) for process, ends in enumerate(((0, self.cut), (self.cut, self._n)))]

    def read(self, lines: Sequence[bytes]) -> Samples:
        """Return the reports that were printed, those of the first process before those of the second.

        Raises AuditError where one is no report of the survey, or of another wave than it was asked for.
        """
        blocks = [block for share in self.shares() for block in share]
        waves = [wave for block in blocks for _ in block.devices for wave in block.design.waves]
        reports = read_reports(self.main.survey, [_parse(line, number) for number, line in enumerate(lines, 1)], waves)
        ends = np.cumsum([0, *(block.n_lines for block in blocks)])
        places: dict[int, list[np.ndarray[Any, Any]]] = {}
        for block, start, end in zip(blocks, ends, ends[1:], strict=False):
            places.setdefault(id(block.design), []).append(np.arange(start, end))
        main = reports.of(self.main, np.concatenate(places[id(self.main)]))
        one, other = (reports.of(self.twins, of_process) for of_process in places[id(self.twins)])
        movers = None if self.movers is None else reports.of(self.movers, np.concatenate(places[id(self.movers)]))
        first = sum(block.n_lines for block in self.shares()[0])
        return Samples(main, (one, other), movers, (reports.ids[:first], reports.ids[first:]))

    @property
    def _n(self) -> int:
        return self.main.n_devices

    def _share(self, process: int, start: int, end: int) -> list[Block]:
        middle = start + (end - start) // 2
        blocks = [Block(self.main, range(start, middle), 0), Block(self.twins, range(self.twins.n_devices), self._n)]
        if self.movers is not None:
            half = self.movers.n_devices // N_PROCESSES
            of_process = range(half) if process == 0 else range(half, self.movers.n_devices)
            blocks.append(Block(self.movers, of_process, self._n + self.twins.n_devices))
        return [*blocks, Block(self.main, range(middle, end), 0)]


def _parse(line: bytes, number: int) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        raise AuditError(f"report {number} must be a JSON object, alone on its line.") from None
