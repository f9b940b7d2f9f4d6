"""Job shop: each job goes through all machines in its own order; finish early; one player."""

from . import drawing, instance, text
from .rules import JobShopRules

__all__ = ["JobShop"]


class JobShop(JobShopRules):
    """Actions: the job whose next operation is scheduled, written 1, 2, …; it starts as early as it can.

    Only jobs that can still use the machine before the first possible end of an operation on it are offered (Giffler
    and Thompson 1960): every schedule that results is active, and one of them is optimal. The makespan is a cost: each
    step brings minus what it adds to it. Positions: the jobs so far, as in `3-1-3`; the start is `-`.

    Settings: instance (a row for each job: machine, duration, machine, duration, …, machines from 0 on, as the files of
    the OR-Library have them, with or without a first row `jobs machines`), or file (the name of such a file; Python and
    the command line only). Without them, `jobs` (up to 30) and `machines` (up to 20), with orders and durations from 1
    to 10 drawn with `seed`.
    """

    name = "jobshop"
    check_settings, fill_constants = instance.check_settings, instance.fill_constants
    action_to_text, action_from_text = text.action_to_text, text.action_from_text
    state_to_text, state_from_text = text.state_to_text, text.state_from_text
    show, draw, score = drawing.show, drawing.draw, drawing.score
