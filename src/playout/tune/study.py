"""The study: Optuna's samplers, pruners and storage, and what a trial keeps there."""

import contextlib
import logging
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playout.common.disk import locked
from playout.errors import FileError, SettingsError
from playout.play.chance import seed_of

from .space import Space

SAMPLERS = ("tpe", "gp", "random", "qmc")
PRUNERS = ("wilcoxon", "median", "halving", "none")
EDITED = {"source": "the game", "sources": "a policy, a backup or a network"}  # fingerprints; older studies lack them
STARTUP = 5  # trials before the median pruner judges
DESCRIPTION, BASELINE, OUTCOME, REFUSED = "playout", "baseline", "outcome", "refused"  # attributes in the storage


def load_optuna(sampler: str) -> Any:
    """Optuna, quiet; `SettingsError` where it or what a sampler needs is not installed."""
    try:
        import optuna  # noqa: PLC0415  # heavy, and optional
        import scipy  # noqa: F401, PLC0415  # heavy, and optional
    except ImportError as error:
        missing = "SciPy" if error.name == "scipy" else "Optuna"
        raise SettingsError(f"{missing} is not installed, and tuning needs it; pip install 'playout[tune]'") from None
    if sampler == "gp":
        try:
            import torch  # noqa: F401, PLC0415  # heavy, and optional
        except ImportError:
            raise SettingsError(
                "the sampler gp needs PyTorch, which is not installed; pip install 'playout[train]', or take tpe"
            ) from None
    optuna.logging.set_verbosity(logging.ERROR)
    return optuna


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Without Optuna's warnings that a part of it may still change."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@dataclass
class TuningStudy:
    """One study in a storage: trials are asked for and told one by one."""

    optuna: Any
    study: Any
    space: Space
    seed: int
    sampler: str
    paired: bool  # the pruner compares trials value by value, not by their means
    total: int  # values of a whole trial

    def trials(self) -> list[Any]:
        """All trials, the baseline included, in their order."""
        found: list[Any] = self.study.get_trials(deepcopy=False)
        return found

    @property
    def begun(self) -> list[Any]:
        """The trials without the baseline."""
        return [trial for trial in self.trials() if BASELINE not in trial.user_attrs]

    @property
    def ended(self) -> int:
        """How many trials are finished."""
        return sum(trial.state.is_finished() for trial in self.begun)

    def ask(self) -> Any:
        """The trial that was interrupted, or a new one."""
        running = self.optuna.trial.TrialState.RUNNING
        left = next((trial for trial in self.begun if trial.state == running), None)
        # A seed for each trial: going on after a stop draws what one go would have drawn.
        number = len(self.trials()) if left is None else left.number
        seed = seed_of(self.seed, "sampler", 0 if self.sampler == "qmc" else number) % 2**32  # a sequence has one seed
        with quiet():
            self.study.sampler = make_sampler(self.optuna, self.sampler, seed)
            return self.study.ask() if left is None else self.optuna.trial.Trial(self.study, left._trial_id)

    def add_baseline(self, values: Sequence[float]) -> None:
        """Tell the sampler what the base itself does, if it is in the space."""
        drawn = self.space.base_drawn()
        if drawn is None or any(BASELINE in trial.user_attrs for trial in self.trials()):
            return
        known = {d.name: d.distribution(self.optuna) for d in self.space.dimensions if d.name in drawn}
        with quiet():
            self.study.add_trial(
                self.optuna.trial.create_trial(
                    params=drawn,
                    distributions=known,
                    value=sum(values) / len(values),
                    intermediate_values=dict(self._steps(values)),
                    user_attrs={BASELINE: True},
                )
            )

    def reported(self, trial: Any) -> int:
        """How many values of a trial the pruner has seen."""
        steps = self._frozen(trial).intermediate_values
        return len(steps) if self.paired else max(steps, default=0)

    def report(self, trial: Any, values: Sequence[float]) -> bool:
        """Show the values so far to the pruner, and return whether it gives the trial up."""
        with quiet():
            known = self._frozen(trial).intermediate_values
            for step, value in self._steps(values):
                if step not in known:
                    trial.report(value, step)
            return bool(trial.should_prune())

    def _steps(self, values: Sequence[float]) -> list[tuple[int, float]]:
        if self.paired:
            return list(enumerate(values))
        return [(len(values), sum(values) / len(values))]

    def tell(self, trial: Any, values: Sequence[float], outcome: Mapping[str, Any]) -> None:
        """End a trial: complete with all of its values, pruned with fewer."""
        mean, state = sum(values) / len(values), self.optuna.trial.TrialState
        trial.set_user_attr(OUTCOME, dict(outcome))
        with quiet():
            if len(values) == self.total:
                self.study.tell(trial, mean)
                return
            if self.paired:  # what a sampler takes for the value of a pruned trial is the last one reported
                trial.report(mean, self.total)
            self.study.tell(trial, state=state.PRUNED)

    def refuse(self, trial: Any, reason: str) -> None:
        """End a trial whose settings can't be used together."""
        trial.set_user_attr(REFUSED, reason)
        with quiet():
            self.study.tell(trial, state=self.optuna.trial.TrialState.FAIL)

    def _frozen(self, trial: Any) -> Any:
        return trial.storage.get_trial(trial._trial_id)


def make_sampler(optuna: Any, name: str, seed: int) -> Any:
    """One of Optuna's samplers."""
    samplers = optuna.samplers
    if name == "gp":
        with quiet():
            return samplers.GPSampler(seed=seed, deterministic_objective=False)
    kinds = {"tpe": samplers.TPESampler, "random": samplers.RandomSampler, "qmc": samplers.QMCSampler}
    with quiet():
        return kinds[name](seed=seed)


def make_pruner(optuna: Any, name: str, batch: int) -> Any:
    """One of Optuna's pruners, for trials that report after each batch."""
    pruners = optuna.pruners
    if name == "wilcoxon":
        with quiet():
            return pruners.WilcoxonPruner(p_threshold=0.1, n_startup_steps=batch)
    if name == "median":
        return pruners.MedianPruner(n_startup_trials=STARTUP, n_warmup_steps=batch)
    return pruners.SuccessiveHalvingPruner(min_resource=batch) if name == "halving" else pruners.NopPruner()


@contextlib.contextmanager
def open_study(
    optuna: Any, db: str | Path | None, name: str, description: Mapping[str, Any], pruner: Any
) -> Iterator[Any]:
    """The study of this name, a new one or the one to go on with; another one of that name is refused."""
    with contextlib.ExitStack() as held:
        if db is None:
            storage = optuna.storages.InMemoryStorage()
        else:
            held.enter_context(
                locked(Path(f"{db}.lock"), f"{db}: another process is tuning there; wait for it, or give another --db")
            )
            path = Path(db).resolve().as_posix()
            try:
                storage = optuna.storages.RDBStorage(
                    f"sqlite:///{path}", engine_kwargs={"connect_args": {"timeout": 30}}
                )
            except Exception as error:
                raise FileError(f"{db}: Optuna can't use it ({type(error).__name__}: {_first_line(error)})") from error
            held.callback(storage.engine.dispose)
        with quiet():
            study = optuna.create_study(
                storage=storage, study_name=name, direction="maximize", pruner=pruner, load_if_exists=True
            )
        known = study.user_attrs.get(DESCRIPTION)
        if known is None and study.get_trials(deepcopy=False):
            raise SettingsError(f"study '{name}' in {db} is not one of playout tune; give another --study or --db")
        if known is None:
            study.set_user_attr(DESCRIPTION, dict(description))
        else:
            _check_same(known, description, name, db)
        yield study


def _check_same(known: Mapping[str, Any], wanted: Mapping[str, Any], name: str, db: str | Path | None) -> None:
    for key, value in wanted.items():
        if key in EDITED and known.get(key, value) != value:
            raise SettingsError(
                f"study '{name}' in {db} was started before {EDITED[key]} was edited, and trials of both can't be "
                f"compared; give another --study or --db"
            )
        if key not in EDITED and known.get(key) != value:
            before = _short(known.get(key))
            raise SettingsError(
                f"study '{name}' in {db} was started with {key} {before}, and now it is {_short(value)}; go on with "
                f"the same, or give another --study or --db"
            )


def _short(value: Any) -> str:
    """A part of the description for a message."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_short(one)}" for key, one in value.items())
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [""])[0]
