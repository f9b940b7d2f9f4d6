"""What installed packages offer: games, policies, backups and presets, each an entry point `name = "module:object"`.

Nothing is imported before its name is used or listed; a name that several packages offer is refused when it is used.
"""

from collections.abc import Iterable
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from playout.errors import PlayoutError

GAMES, POLICIES, BACKUPS, PRESETS = "playout.games", "playout.policies", "playout.backups", "playout.presets"


@cache
def installed(group: str) -> dict[str, tuple[EntryPoint, ...]]:
    """The entry points of a group by their names, in lower case and in order."""
    found: dict[str, tuple[EntryPoint, ...]] = {}
    for point in entry_points(group=group):
        known = found.get(point.name.lower(), ())
        if all(point.value != other.value for other in known):  # a package may be on the path twice
            found[point.name.lower()] = (*known, point)
    return dict(sorted(found.items()))


def others(group: str, built_in: Iterable[str]) -> list[str]:
    """The names that packages add to the built-in ones, which stay what they are."""
    known = set(built_in)
    return [name for name in installed(group) if name not in known]


def spec_of(group: str, name: str, refuse: type[PlayoutError]) -> str:
    """The `module:object` that a name stands for; `refuse` is raised where packages disagree or it names no object."""
    points = installed(group)[name.lower()]
    if len(points) > 1:
        offers = " and ".join(f"{package_of(point)} ({point.value})" for point in points)
        raise refuse(f"'{name}' is offered by {offers}; write module:Class instead of the name")
    spec = points[0].value.partition("[")[0].replace(" ", "")
    if ":" not in spec:
        raise refuse(
            f"'{name}' of the package {package_of(points[0])} is '{spec}', expected module:object in its entry points"
        )
    return spec


def package_of(point: EntryPoint) -> str:
    """The package that an entry point comes from, with its version."""
    return f"{point.dist.name} {point.dist.version}" if point.dist else "a package"


def packages_of(group: str, name: str) -> str:
    """The packages that offer a name."""
    return " and ".join(package_of(point) for point in installed(group)[name.lower()])
