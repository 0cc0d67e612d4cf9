"""How a library is served: where, to whom, and within which limits."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

from samehand.curate.ledger import login_name

PORT = 8471


@dataclass(frozen=True)
class Settings:
    """What `samehand serve` was told.

    `https` says that browsers reach the server by https (through a proxy): cookies are then sent by https only. `truth`
    is a file of true entities for the evaluation page. `curator` signs decisions where nobody has to log in. `names` are
    host names by which the server may be called besides `host`.
    """

    host: str = "127.0.0.1"
    port: int = PORT
    https: bool = False
    truth: Path | None = None
    curator: str = ""
    names: tuple[str, ...] = ()
    largest_body: int = 1_000_000
    requests_per_second: float = 50.0
    burst: int = 400

    @property
    def is_loopback(self) -> bool:
        """Whether only programs of this machine can reach the server."""
        return is_loopback(self.host)

    def signature(self) -> str:
        """Who signs decisions where nobody logs in."""
        return self.curator or login_name()


def is_loopback(host: str) -> bool:
    """Whether a host name or address means this machine alone.

    >>> is_loopback("localhost"), is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("0.0.0.0")
    (True, True, True, False)
    """
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"
