"""What a second client notices of each attack: its p99 on the profile route, and the memory of the service.

Before and after each attack the same client reads in quiet: machines swing between minutes, and a ratio to what was
measured next to it does not. Does not belong here: the attacks (`tests.attacks.attacks`).
"""

import asyncio
import http.client
import logging
import multiprocessing
import statistics
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.pool import Pool

from tests.attacks.attacks import ATTACKS, Attack, Outcomes, run_attack
from tests.attacks.service import HOST, Target

ADDRESS = "127.0.0.2"  # another than the attacker's: limits of an address must not be the bystander's
RATE = 40.0  # requests a second, below the tier's burst
WARM_UP_SECONDS = 0.5


@dataclass(frozen=True)
class Noticed:
    """Seconds; `answers`: the bystander's statuses; `outcomes`: the attacker's."""

    attack: str
    quiet_p99: float
    p99: float
    longest: float
    added_bytes: int
    answers: Counter[int]
    outcomes: Outcomes

    @property
    def ratio(self) -> float:
        return self.p99 / self.quiet_p99


def measure(target: Target, seconds: float, attacks: Iterable[Attack] = ATTACKS) -> Iterator[Noticed]:
    """Attacks one after the other, each for so many seconds, from another process."""
    with multiprocessing.get_context("spawn").Pool(1) as attackers:
        read_profiles(target, 1.0)
        memory = target.memory_bytes()
        for attack in attacks:
            yield _measure_one(target, attack, seconds, attackers, memory)


def _measure_one(target: Target, attack: Attack, seconds: float, attackers: Pool, memory: int) -> Noticed:
    quiet, _ = read_profiles(target, seconds / 2)
    running = attackers.apply_async(_attack, (ATTACKS.index(attack), target, seconds + WARM_UP_SECONDS))
    time.sleep(WARM_UP_SECONDS)
    taken, answers = read_profiles(target, seconds)
    used = target.memory_bytes()
    outcomes = running.get()
    quiet += read_profiles(target, seconds / 2)[0]
    return Noticed(
        attack.name, percentile_99(quiet), percentile_99(taken), max(taken), used - memory, answers, outcomes
    )


def _attack(number: int, target: Target, seconds: float) -> Outcomes:
    logging.getLogger("asyncio").setLevel(logging.ERROR)  # it warns of each write to a closed connection
    return asyncio.run(run_attack(ATTACKS[number], target, seconds))


def read_profiles(target: Target, seconds: float) -> tuple[list[float], Counter[int]]:
    """Reads one profile after the other at a steady rate: seconds that each took, and the statuses."""
    connection = http.client.HTTPConnection(HOST, target.port, timeout=60, source_address=(ADDRESS, 0))
    headers = {"Authorization": f"Bearer {target.bystander_key}"}
    taken: list[float] = []
    answers: Counter[int] = Counter()
    begun = time.perf_counter()
    while (due := begun + len(taken) / RATE) < begun + seconds:
        time.sleep(max(0.0, due - time.perf_counter()))
        asked = time.perf_counter()
        connection.request("GET", f"/api/v1/companies/{target.company}", headers=headers)
        answer = connection.getresponse()
        answer.read()
        taken.append(time.perf_counter() - asked)
        answers[answer.status] += 1
    connection.close()
    return taken, answers


def percentile_99(taken: list[float]) -> float:
    return statistics.quantiles(taken, n=100, method="inclusive")[98]
