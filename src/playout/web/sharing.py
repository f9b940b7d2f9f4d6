"""Sharing a session: who leads it, who only follows, and what the leading page shows.

A session that is shared has a leading page, the only one that may change it, and a second id for all who follow. With
that id a session can be read and watched, never changed, and its own id is not shown.
"""

import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .refusals import Refusal

FOLLOW = "follow-"  # how the ids of followers begin
PAGE_HEADER = "playout-page"
READ = {"", "board.svg", "chart", "explain", "find", "game", "line", "live", "map", "node", "result", "shown"}
READ |= {"step", "tree"}  # the parts of a session that a follower may read


@dataclass
class Sharing:
    """How one session is shared. `leads` counts how often the lead was taken."""

    follow: str | None = None
    leader: str | None = None
    leads: int = 0
    shown: dict[str, Any] | None = None
    shown_version: int = 0

    def to_row(self) -> dict[str, Any] | None:
        """What is saved with the session."""
        if self.follow is None:
            return None
        return {"follow": self.follow, "leader": self.leader, "leads": self.leads}

    @classmethod
    def from_row(cls, row: Mapping[str, Any] | None) -> "Sharing":
        """As it was saved."""
        return cls() if not row else cls(str(row["follow"]), str(row["leader"]), int(row["leads"]))

    def take_lead(self, page: str) -> None:
        """Make `page` the leading one; with the first one, the session gets an id for followers."""
        if self.leader == page:
            return
        self.follow = self.follow or FOLLOW + secrets.token_urlsafe(16)
        self.leader, self.shown = page, None
        self.leads += 1
        self.shown_version += 1

    def end(self) -> None:
        """End sharing: the followers' id is gone."""
        self.follow = self.leader = self.shown = None
        self.leads += 1

    def show(self, shown: dict[str, Any]) -> None:
        """Note what the leading page shows."""
        self.shown = shown
        self.shown_version += 1

    def view(self, name: str) -> dict[str, Any]:
        """The links, for the session of that id."""
        shared = self.follow is not None
        return {
            "follow": f"/s/{self.follow}" if shared else None,
            "take_over": f"/s/{name}?lead" if shared else None,
            "leads": self.leads,
        }

    def check(self, name: str, part: str, method: str, page: str) -> None:
        """Refuse a request that this id, or this page, may not send."""
        if name.startswith(FOLLOW):
            if method != "GET" or part not in READ:
                raise read_only()
        elif method != "GET" and (method, part) != ("POST", "share") and not self.is_led_by(page):
            raise led()

    def is_led_by(self, page: str) -> bool:
        """Whether the page may change the session: it leads, or none does."""
        return self.leader is None or hmac.compare_digest(page.encode(), self.leader.encode())


def read_only() -> Refusal:
    """A follower tried to change something."""
    return Refusal(403, "read_only", "this link only follows; the link to take over comes from the page that leads")


def led() -> Refusal:
    """Another page leads."""
    return Refusal(403, "led", "another page leads this session; to change it, take over first (POST its share)")


def masked(view: dict[str, Any], name: str) -> dict[str, Any]:
    """A session's JSON as the holder of this id may see it: a follower does not learn the session's own id."""
    return view | {"id": name, "permalink": f"/s/{name}"} if name.startswith(FOLLOW) else view
