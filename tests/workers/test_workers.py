"""Workers without a cluster: addresses, figures, and what is lost before it is ready."""

import sys

import pytest

from playout.cli import main
from playout.errors import SettingsError
from playout.workers.cluster import check_address

pytestmark = pytest.mark.compiled_only


@pytest.mark.parametrize("address", ["", "here", "host:", ":6379", "host:99999", "ray://host:10001"])
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(SettingsError, match="expected HOST:PORT of a cluster that runs"):
        check_address(address)


def test_without_the_package_there_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    assert main(["arena", "tictactoe", "random", "random", "--db", "none", "--ray", "auto"]) == 2
    assert capsys.readouterr().err == "playout: --ray needs the package ray; pip install 'playout[ray]'\n"
