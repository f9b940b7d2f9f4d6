"""Mistakes in Python objects, as in `mistakes`; those they share with rules are worded for objects."""

OBJECT_MISTAKES: dict[str, tuple[str, str, str]] = {
    "bad-answer": (
        "returned {value}, expected {expected}",
        "the wrong type, or a path through the method without `return`",
        "return what is expected",
    ),
    "changes-object": (
        "changes the object itself ({contrast})",
        "a search calls the methods of an object many times, and plays several actions from it",
        "make a new object and change that one, for instance `copy.deepcopy(self)`",
    ),
    "shared-container": (
        "shares the {kind_} `{name}` between two objects, and it changes ({contrast})",
        "the next object got the same container, not a copy of it",
        "copy it for the next object: `list(self.…)`, `array.copy()`, or `copy.deepcopy`",
    ),
    "class-state": (
        "changes an attribute of the class ({contrast})",
        "all objects share it, and a search uses them in any order",
        "store it in the object: `self.name` of the next one instead of `Class.name`",
    ),
    "returns-itself": (
        "returned the object itself",
        "it changes `self` and returns it",
        "make a new object, change that one, and return it",
    ),
    "no-object": (
        "returned {value}, which has no {missing}",
        "it changes `self` and returns nothing, or returns a part of the state",
        "return the next object, of the same class",
    ),
    "hidden-randomness": (
        "{how}",
        "a search keeps one object per action, so it would only ever see the first random draw",
        "return po.CHANCE from current_player() and list the outcomes in chance_outcomes()",
    ),
    "hash-differs": (
        "gives two different numbers for objects that are equal",
        "the hash uses something that equality ignores, such as an id",
        "hash what __eq__ compares; a frozen dataclass does both",
    ),
    "equal-differs": (
        "says that this is equal to '{other}', which has other legal actions",
        "the comparison leaves out a field; with transpositions the two would share a node",
        "compare everything that matters to the game",
    ),
    "equal-turns": (
        "says that this is equal to '{other}', where player {value} moves",
        "the comparison leaves out whose turn it is; a search keeps the two apart, but sets and dictionaries don't",
        "compare whose turn it is as well",
    ),
    "raises": (
        "raised {error}, at {place}",
        "an unhandled case",
        "fix that line",
    ),
    "action-refused": (
        "raised {error}, at {place}",
        "legal_actions() lists an action that play() does not accept",
        "list only actions that can be played, or make play() accept this one",
    ),
    "never-returns": (
        "did not return within {seconds:g} s of processor time; it was at {place}",
        "an endless loop in this position",
        "make sure that every loop ends, for instance with a limit on its rounds; if the method is just slow, increase "
        "rule_seconds",
    ),
    "never-ends": (
        "did not report the end of the game within {most:,} actions",
        "the game never ends, or only by luck",
        "end it with a move counter in the object if necessary; a game without an end can still be searched with "
        "Rollouts(depth=200), given evaluate() or rewards()",
    ),
    "bad-value": (
        "gives the value {value:g}, expected {least:g} to {most:g}",
        "the scale differs from that of the returns",
        "map it to the range of the returns, for instance with tanh(score / scale), or pass value_range= to po.wrap",
    ),
    "no-such-player": (
        "returned {value}, expected 0 to {last}, po.CHANCE (-1), or None or po.TERMINAL (-4) at the end",
        "players are counted from 0; -2 is OpenSpiel's number for players who move at the same time, which Playout "
        "can't search",
        "return the number of the player who moves; for more players pass players= to po.wrap",
    ),
    "no-chance-outcomes": (
        "returned po.CHANCE, but the object has no chance_outcomes()",
        "po.CHANCE is -1, so a turn of -1 means chance too",
        "define `chance_outcomes(self)`, or return the player who moves",
    ),
    "no-actions": (
        "lists nothing, but the game is not over",
        "{end} misses an end of the game, or the player has to pass",
        "report the end in {end}, or list an action for passing",
    ),
    "too-many-actions": (
        "lists {value}, more than max_actions = {most}",
        "max_actions is too small, or the same action is listed again and again",
        "pass max_actions= to po.wrap",
    ),
    "bad-probability": (
        "gives outcome {value} the probability {weight}",
        "a negative difference, 0 / 0, or not a number",
        "give probabilities from 0 to 1",
    ),
    "bad-reward": (
        "returned {values}",
        "0 / 0, or infinity used for a win",
        "give finite numbers, 1 and -1 for instance",
    ),
    "returns-sum": (
        "gives {values} from here on, which sum to {total:.6g}, expected {expected:.6g}",
        "a player's return is missing or given twice",
        "give every player their return; if this is intended, pass `returns_sum={instead}` to po.wrap",
    ),
    "value-range": (
        "gives {values} from here on, outside of value_range = ({least:g}, {most:g})",
        "the returns are larger than declared",
        "pass `value_range=(least, most)` to po.wrap, None if it is unknown, or scale them",
    ),
    "value-sum": (
        "gives the values {values}, which sum to {total:.6g}, expected {expected:.6g}",
        "a player's value is missing, or is from the wrong player's point of view",
        "return a value for every player; their sum is `returns_sum`",
    ),
    "no-rewards": (
        "gave nothing in any of {value} games",
        "all ends give the same, or the rewarded ones are too rare for random play",
        "return what each player gets at the end",
    ),
    "bad-priors": (
        "gives {value} to {whom}",
        "they are scores rather than weights, or 0 / 0",
        "give numbers of at least 0, at least one of them above 0",
    ),
    "bad-random-child": (
        "returned {value}, which is not equal to any of find_children()",
        "the two methods disagree about what can be played",
        "make it choose among find_children()",
    ),
}
