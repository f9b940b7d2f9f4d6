"""Every mistake in rules that the doctor can find: what happened, the likely cause, and the fix."""

MISTAKES: dict[str, tuple[str, str, str]] = {
    "not-compiled": (
        "can't be compiled, at {place}: {reason}",
        "rules may only use what Numba can compile: numbers, arrays, loops, the fields of `state`",
        "rewrite that line with these; a helper function that a rule calls needs @numba.njit",
    ),
    "raises": (
        "raised {error}, at {place}",
        "an unhandled case",
        "fix that line; with NUMBA_DISABLE_JIT=1 a debugger can stop there",
    ),
    "action-refused": (
        "raised {error}, at {place}",
        "legal_actions lists an action that apply does not accept",
        "list only actions that can be played, or make apply accept this one",
    ),
    "nothing-happens": (
        "changes nothing",
        "apply silently ignores the action, or does not change whose turn it is",
        "list in legal_actions only what apply can play, and make apply change the state",
    ),
    "playout-fails": (
        "fails: {how}",
        "a position that the random games did not reach",
        "fix what the message names; another seed or more games may turn it into a finding of its own",
    ),
    "no-such-player": (
        "returned {value!r}, expected 0 to {last}, po.CHANCE or po.TERMINAL",
        "players are counted from 0; or a path through the function has no `return`",
        "return the number of the player who moves, below `players`",
    ),
    "no-chance-outcomes": (
        "returned po.CHANCE, but the class has no chance_outcomes",
        "po.CHANCE is -1, so a turn of -1 means chance too",
        "define `@staticmethod def chance_outcomes(state, actions, probabilities)`, or return the player who moves",
    ),
    "bad-count": (
        "returned {value!r}, expected the number of actions it listed",
        "the count is not a whole number; or a path through the function has no `return`",
        "count what is written to `actions` and return the count",
    ),
    "no-actions": (
        "lists no action, but current_player does not return po.TERMINAL",
        "current_player misses an end of the game, or the player has to pass",
        "return po.TERMINAL from current_player there, or list an action for passing",
    ),
    "too-many-actions": (
        "lists {value} actions, more than max_actions = {most}",
        "max_actions is too small, or the same action is listed again and again",
        "set max_actions in the class to the largest possible number",
    ),
    "past-end": (
        "{how}",
        "a loop runs too far, or an index is not checked; compiled, this would overwrite other memory",
        "write only as far as the buffer goes; if there can be more actions, increase max_actions (for a field of the "
        "state, its shape)",
    ),
    "negative-index": (
        "writes `{text}`, which counts from the end",
        "a negative index: the edge of the board is not checked, or po.CHANCE is used as a player",
        "check the index before writing, or use the positive index of the last entry",
    ),
    "never-returns": (
        "did not return within {seconds:g} s of processor time; it was at {place}",
        "an endless loop in this position",
        "make sure that every loop ends, for instance with a limit on its rounds; if the rule is just slow, increase "
        "rule_seconds",
    ),
    "action-too-large": (
        "lists action {value}, but actions are 32-bit integers",
        "several facts packed into one number",
        "number the actions from 0 on, and keep their meaning in the state or in a table",
    ),
    "action-twice": (
        "lists an action more than once: {values}",
        "the same action is found in two ways, and counted for each",
        "list each action once; for chance outcomes, add up their probabilities",
    ),
    "not-written": (
        "{how}",
        "the buffer still holds old values: only `rewards` and `planes` arrive zeroed",
        "write {wanted}",
    ),
    "end-goes-on": (
        "returns po.TERMINAL, but legal_actions lists an action after which {value} moves",
        "the game ends in one position and goes on in the next",
        "list no actions at the end, or store in the state that the game is over",
    ),
    "never-ends": (
        "did not return po.TERMINAL within {most:,} actions",
        "the rules never end the game, or only by luck",
        "end it in current_player, with a move counter in the state if necessary; a game without an end can still be "
        "searched with Rollouts(depth=200)",
    ),
    "changes-state": (
        "changes the state ({contrast})",
        "it modifies `state`, which only apply and initial_state may do",
        "work on local variables, or undo every change before returning",
    ),
    "changes-actions": (
        "changes the `actions` that it was given",
        "it sorts or marks them in place",
        "work on a copy: the search still uses these actions",
    ),
    "frozen-global": (
        "refers to `{name}`, which {how}",
        "compiled rules keep the value that a global had when they were compiled, and do not see later changes",
        "make it a setting: a field of `state` that is named in `settings`; or define the class after the last change",
    ),
    "hidden-randomness": (
        "{how}",
        "the rule uses randomness or memory outside of the state",
        "return po.CHANCE from current_player and list the outcomes in chance_outcomes (in playout_action: draw with "
        "po.random_below(rng, n)), so that a seed reproduces everything",
    ),
    "compiled-differs": (
        "differs between compiled and uncompiled ({contrast})",
        "compiled, integers have 64 bits and wrap around; uncompiled, a field such as np.int8 keeps its size and a "
        "Python integer has no limit",
        "write np.int64(state.field) before computing with a small field, np.uint64(…) for bit mask constants",
    ),
    "bad-probability": (
        "gives outcome {value} the probability {weight:g}",
        "a negative difference, or 0 / 0",
        "fill `probabilities` with numbers from 0 to 1",
    ),
    "chance-sum": (
        "gives probabilities that sum to {total:.6g}, expected 1: {values}",
        "an outcome is missing or counted twice, or they are weights rather than probabilities",
        "divide each by their sum, or list the missing outcome",
    ),
    "bad-reward": (
        "gives the rewards {values}",
        "0 / 0, or infinity used for a win",
        "give finite rewards, 1 and -1 for instance",
    ),
    "returns-sum": (
        "gives returns {values} from here on, which sum to {total:.6g}, expected {expected:.6g}",
        "a player's reward is missing or given twice",
        "give every player their reward; if this is intended, set `returns_sum = {instead}` in the class",
    ),
    "value-range": (
        "gives returns {values} from here on, outside of value_range = ({least:g}, {most:g})",
        "the rewards are larger than declared (-1 to 1 unless the class says otherwise)",
        "set `value_range = (least, most)` in the class, None if it is unknown, or scale the rewards",
    ),
    "no-rewards": (
        "gave no reward in any of {value} games",
        "rewards are not written to `rewards`, or are too rare for random play",
        "write rewards[player] = … in apply, at the step that earns the reward",
    ),
    "bad-priors": (
        "gives {value:g} to {whom}",
        "they are scores rather than weights, or 0 / 0",
        "fill `out` with numbers of at least 0, at least one of them above 0",
    ),
    "bad-value": (
        "gives the value {value:g}, expected {least:g} to {most:g}",
        "the scale differs from that of the rewards, or 0 / 0",
        "map it to the range of the rewards, for instance with tanh(score / scale), or set value_range",
    ),
    "value-sum": (
        "gives the values {values}, which sum to {total:.6g}, expected {expected:.6g}",
        "a player's value is missing, or is from the wrong player's point of view",
        "write a value for every player; their sum is `returns_sum`",
    ),
    "bad-playout-action": (
        "returned {value!r}, which is not among the actions {values}",
        "it returns an index instead of the action",
        "return one of `actions[:count]`",
    ),
    "bad-draw": (
        "writes {values}, and an action needs finite numbers",
        "a division by zero, or the root or logarithm of a number below zero",
        "write finite numbers into `out`",
    ),
    "bad-chance-action": (
        "returned {value!r}, which is not among the outcomes {values}",
        "it returns an index instead of the outcome, or the two rules disagree about what can happen",
        "return one of the outcomes that chance_outcomes lists, with the same probabilities",
    ),
    "bad-observation": (
        "writes {value:g}, expected finite numbers",
        "a division by zero, or a field that is never set",
        "write numbers of the order of 1; entries that are not written are 0",
    ),
    "bad-feature-count": (
        "returned {value!r}, expected how many features it wrote, 0 to {most}",
        "a path through the function has no `return`, or it returns a feature instead of their number",
        "count what is written to `out` and return the count",
    ),
    "bad-feature": (
        "gives feature {value}, expected 0 to feature_count - 1 = {last}",
        "feature_count is too small, or an index is computed from a field that can be negative",
        "increase feature_count, or give smaller numbers",
    ),
    "bad-index": (
        "returned {value!r}, expected 0 to policy_size - 1 = {last}",
        "policy_size is too small, or action_index is missing and the actions are not 0, 1, 2, …",
        "increase policy_size, or define action_index(state, action)",
    ),
    "index-twice": (
        "returned {value}, which it also returned for {other}",
        "two actions share an entry of the policy, so a network can't tell them apart",
        "give each legal action an index of its own",
    ),
    "bad-code": (
        "returned {value!r}, expected {expected}",
        "action_codes is too small; or action_code is missing, and the actions are not 0, 1, 2, …",
        "increase action_codes, or define action_code(state, action)",
    ),
    "bad-hash": (
        "returned {value!r}, expected a whole number",
        "a division, or a path through the function without `return`",
        "return a np.uint64",
    ),
    "hash-collides": (
        "gives the same number as in '{other}', which has another player to move or other actions",
        "a field is left out of the hash",
        "hash every field that matters to the game, or remove `hash`",
    ),
    "not-a-text": (
        "returned {value!r}, expected a string",
        "a number, or a path through the function without `return`",
        "return a str",
    ),
    "action-text": (
        "{how}, the text that action_to_text writes for action {value}",
        "the two functions disagree",
        "make action_from_text read what action_to_text writes",
    ),
    "action-text-twice": (
        "writes '{text}' for action {other} and for action {value}",
        "the text leaves out a part of the action",
        "give each legal action a text of its own",
    ),
    "state-text": (
        "{how}, the text that state_to_text writes",
        "a field is missing from the text, or is not read back",
        "write every field that matters into the text, and set every field from it",
    ),
    "bad-drawing": (
        "returned {how}",
        "a tag is not closed, or a text contains < or &",
        "close each tag, and pass texts through html.escape",
    ),
}
