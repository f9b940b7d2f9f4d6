"""Every mistake that the doctor can find: what happened, the likely cause, and the fix."""

MISTAKES: dict[str, tuple[str, str, str]] = {
    "not-compiled": (
        "can't be compiled, at {place}: {reason}",
        "rules may use what Numba compiles: numbers, arrays, loops, the fields of `state`",
        "write that line with those; a helper that a rule calls wants @numba.njit",
    ),
    "raises": (
        "raised {error}, at {place}",
        "a case that was not thought of",
        "mend that line; NUMBA_DISABLE_JIT=1 lets a debugger stop there",
    ),
    "action-refused": (
        "raised {error}, at {place}",
        "legal_actions lists an action that apply does not accept",
        "list only what can be played, or let apply play it",
    ),
    "nothing-happens": (
        "changes nothing",
        "apply refuses the action quietly, or forgets to change whose turn it is",
        "list in legal_actions only what apply plays, and let apply change the state",
    ),
    "playout-fails": (
        "fails: {how}",
        "a position that the random games did not come to",
        "mend what it names; another seed, or more games, may show it as a finding of its own",
    ),
    "no-such-player": (
        "returned {value!r}, expected 0 to {last}, po.CHANCE or po.TERMINAL",
        "players are counted from 0; or a way through the function has no `return`",
        "return the number of the player who moves, below `players`",
    ),
    "no-chance-outcomes": (
        "returned po.CHANCE, and the class has no chance_outcomes",
        "-1 stands for chance, so a turn of -1 does too",
        "define `@staticmethod def chance_outcomes(state, actions, probabilities)`, or return the player who moves",
    ),
    "bad-count": (
        "returned {value!r}, expected how many actions it listed",
        "the count is not a whole number; or a way through the function has no `return`",
        "count what is written to `actions` and return that",
    ),
    "no-actions": (
        "lists no action, though current_player does not say that the game is over",
        "an end of the game that current_player does not see, or a player who has to pass",
        "let current_player return po.TERMINAL there, or list an action that passes",
    ),
    "too-many-actions": (
        "lists {value} actions, more than max_actions = {most}",
        "max_actions is too small, or the same action is listed again and again",
        "set max_actions in the class to the most there can be",
    ),
    "past-end": (
        "{how}",
        "a loop runs too far, or an index was not checked; compiled, that would overwrite something else",
        "write only as far as the buffer goes; if there can be more actions, raise max_actions (for a field of the "
        "state, its shape)",
    ),
    "negative-index": (
        "writes `{text}`, which counts from the end",
        "an index below zero: an edge of the board was not looked for, or po.CHANCE was taken for a player",
        "check the index before writing, or write the last place by its number",
    ),
    "never-returns": (
        "did not return within {seconds:g} s of processor time; it was at {place}",
        "a loop without an end in this position",
        "let every loop end, for instance by a limit on its rounds; if the rule is only slow, raise rule_seconds",
    ),
    "action-too-large": (
        "lists action {value}, and actions are 32-bit whole numbers",
        "several things packed into one number",
        "number the actions from 0 on, and keep what they mean in the state or in a table",
    ),
    "action-twice": (
        "lists an action more than once: {values}",
        "two ways to the same action, each of them counted",
        "list each action once; for outcomes, add up their probabilities",
    ),
    "not-written": (
        "{how}",
        "the buffer holds what was there before: only `rewards` and `planes` arrive zeroed",
        "write {wanted}",
    ),
    "end-goes-on": (
        "says that the game is over, but legal_actions lists an action that leads on to {value!r}",
        "the end is seen in one position and forgotten in the next",
        "list no actions at the end, or keep in the state that it is over",
    ),
    "never-ends": (
        "did not return po.TERMINAL within {most:,} actions",
        "the rules never end the game, or only by luck",
        "end it in current_player, by a counter in the state if need be; what may go on for ever can still be searched "
        "with Rollouts(depth=200)",
    ),
    "changes-state": (
        "changes the state ({contrast})",
        "it works on `state` itself, which only apply and initial_state may",
        "work on local variables, or undo every change before returning",
    ),
    "changes-actions": (
        "changes the `actions` that it was given",
        "it sorts or marks them in place",
        "work on a copy: the search goes on with these actions",
    ),
    "frozen-global": (
        "refers to `{name}`, which {how}",
        "compiled rules keep the value that a global had when they were compiled, and do not see a later one",
        "make it a setting: a field of `state` that is named in `settings`; or define the class after the last change",
    ),
    "hidden-randomness": (
        "{how}",
        "randomness or memory outside of the state",
        "let current_player return po.CHANCE and list the outcomes in chance_outcomes (in playout_action: draw with "
        "po.random_below(rng, n)), so that a seed reproduces everything",
    ),
    "compiled-differs": (
        "does not do the same compiled and uncompiled ({contrast})",
        "compiled, whole numbers have 64 bits and wrap; uncompiled, a field such as np.int8 keeps its size and a "
        "Python number has no end",
        "write np.int64(state.field) before reckoning with a small field, np.uint64(…) for constants of bit masks",
    ),
    "bad-probability": (
        "gives outcome {value} the probability {weight:g}",
        "a difference below zero, or 0 / 0",
        "fill `probabilities` with numbers from 0 to 1",
    ),
    "chance-sum": (
        "gives probabilities that sum to {total:.6g}, expected 1: {values}",
        "an outcome is missing or counted twice, or weights were given where probabilities are expected",
        "divide each by their sum, or list the missing outcome",
    ),
    "bad-reward": (
        "gives the rewards {values}",
        "0 / 0, or an infinity that stands for a win",
        "give finite rewards, 1 and -1 for instance",
    ),
    "returns-sum": (
        "gives from here on {values}, together {total:.6g}, expected {expected:.6g}",
        "a player's reward was forgotten or given twice",
        "give every player their reward; if it is meant so, set `returns_sum = {instead}` in the class",
    ),
    "value-range": (
        "gives from here on {values}, outside of value_range = ({least:g}, {most:g})",
        "rewards of another size than announced (-1 to 1 unless the class says otherwise)",
        "set `value_range = (least, most)` in the class, None where it is not known, or scale the rewards",
    ),
    "no-rewards": (
        "gave no reward in any of {value} games",
        "rewards are kept somewhere else than in `rewards`, or are too rare for random play",
        "write rewards[player] = … in apply, at the step that earns it",
    ),
    "bad-priors": (
        "gives {value:g} to {whom}",
        "scores were given where weights are expected, or 0 / 0",
        "fill `out` with numbers of at least 0, one of them above 0",
    ),
    "bad-value": (
        "gives the value {value:g}, expected {least:g} to {most:g}",
        "the scale differs from that of the rewards, or 0 / 0",
        "bring it to the range of the rewards, with tanh(score / scale) for instance, or set value_range",
    ),
    "value-sum": (
        "gives the values {values}, together {total:.6g}, expected {expected:.6g}",
        "a player's value was forgotten, or was given from the wrong player's side",
        "write a value for every player; what all get together is `returns_sum`",
    ),
    "bad-playout-action": (
        "returned {value!r}, which is not among the actions {values}",
        "an index was returned instead of the action",
        "return one of `actions[:count]`",
    ),
    "bad-chance-action": (
        "returned {value!r}, which is not among the outcomes {values}",
        "an index was returned instead of the outcome, or the two rules disagree about what can happen",
        "return one of the outcomes that chance_outcomes lists, with the same probabilities",
    ),
    "bad-observation": (
        "fills in {value:g}, expected finite numbers",
        "a division by zero, or a field that was never set",
        "write numbers of the size of one; what is left out is 0",
    ),
    "bad-index": (
        "returned {value!r}, expected 0 to policy_size - 1 = {last}",
        "policy_size is too small, or action_index is missing where actions are not 0, 1, 2, …",
        "raise policy_size, or define action_index(state, action)",
    ),
    "index-twice": (
        "returned {value}, which it also returned for {other}",
        "two actions share a place of the policy, so that a network can't tell them apart",
        "give each legal action an index of its own",
    ),
    "bad-hash": (
        "returned {value!r}, expected a whole number",
        "a division, or a way through the function without `return`",
        "return a np.uint64",
    ),
    "hash-collides": (
        "gives the same number as in '{other}', where another player or other actions are to move",
        "a field is left out of the hash",
        "hash every field that matters to the game, or leave `hash` away",
    ),
    "not-a-text": (
        "returned {value!r}, expected a text",
        "a number, or a way through the function without `return`",
        "return a str",
    ),
    "action-text": (
        "{how}, the text that action_to_text writes for action {value}",
        "the two don't belong together",
        "let action_from_text read what action_to_text writes",
    ),
    "action-text-twice": (
        "writes '{text}' for action {other} and for action {value}",
        "a part of the action is left out of its text",
        "give each legal action a text of its own",
    ),
    "state-text": (
        "{how}, the text that state_to_text writes",
        "a field is missing from the text, or is not set again",
        "write every field that matters into the text, and set every field from it",
    ),
    "bad-drawing": (
        "returned {how}",
        "a tag is not closed, or a text has < or & in it",
        "close each tag, and put texts through html.escape",
    ),
}
