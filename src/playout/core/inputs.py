"""Plays a recorded game again, and lists what a network over sparse inputs would see and should answer.

A small file on its own, because no search calls it: one call for each game, before a network learns. The actions of a
game and the labels beside them are laid out as in a file of lessons (`training/lessons.py`).
"""

from .fast import base_of_priors, base_of_value
from .jit import inlined, njit
from .rules import (
    CHANCE,
    call_action_index,
    call_apply,
    call_chance_outcomes,
    call_current_player,
    call_evaluate,
    call_features,
    call_legal_actions,
    call_priors,
)


@inlined
def are_features(active, count, feature_count):
    """Whether a rule that says it wrote `count` features wrote them, each below `feature_count`."""
    if count < 0 or count > active.shape[0]:
        return False
    for i in range(count):
        if active[i] < 0 or active[i] >= feature_count:
            return False
    return True


@njit
def list_inputs(
    rules,
    state,
    has_index,
    feature_count,
    actions,
    counts,
    choices,
    shares,
    features,
    feature_ends,
    indices,
    targets,
    ends,
    base,
    scratch,
):
    """Play `actions`, and list the positions that are labelled, those with `counts` above 0.

    `features` [F], `indices` [L] of the legal actions and their `targets` [L], the teacher's shares, are filled from
    the start; `feature_ends` [T] and `ends` [T] say where the entries of a position end. `base` is what a network
    builds on: the middle and half of the range of values if the game's `evaluate` is asked (half 0: it is not), its
    answers [T], whether its `priors` are asked, and their answers [L]. `scratch` is a tuple: features of one
    position, actions of one position, their probabilities, rewards [P], players [T], gained [T, P]; the last two
    are results. Returns the number of actions played, and whether the features are why it stopped there. It plays fewer
    than `actions` where one of them, or a labelled one, is illegal, where a list is full, or where the features are not
    from 0 to `feature_count` - 1, as many as fit: they are then left in `active`, their number in `feature_ends`.
    """
    active, legal, weights, rewards, players, gained = scratch
    middle, half, known_values, asks_priors, known_priors = base
    feature_end, end, choice = 0, 0, 0
    for ply in range(actions.shape[0]):
        player = call_current_player(rules, state)
        players[ply] = player
        if player == CHANCE:
            count = call_chance_outcomes(rules, state, legal, weights)
        elif player >= 0:
            count = call_legal_actions(rules, state, legal)
        else:
            return ply, False
        found = False
        for i in range(count):
            found = found or legal[i] == actions[ply]
        if not found or (counts[ply] > 0 and player < 0):
            return ply, False
        if counts[ply] > 0:
            seen = call_features(rules, state, player, active)
            if not are_features(active, seen, feature_count):
                feature_ends[ply] = seen
                return ply, True
            if feature_end + seen > features.shape[0] or end + count > indices.shape[0]:
                return ply, False
            for i in range(seen):
                features[feature_end + i] = active[i]
            for i in range(count):
                index = legal[i]
                if has_index:
                    index = call_action_index(rules, state, legal[i])
                indices[end + i] = index
                targets[end + i] = 0.0
            if half > 0.0:
                for p in range(rewards.shape[0]):
                    rewards[p] = 0.0
                call_evaluate(rules, state, rewards)
                known_values[ply] = base_of_value(rewards[player], middle, half)
            if asks_priors:
                call_priors(rules, state, legal, count, weights)
                base_of_priors(weights, count)
                for i in range(count):
                    known_priors[end + i] = weights[i]
            for j in range(choice, choice + counts[ply]):
                found = False
                for i in range(count):
                    if legal[i] == choices[j]:
                        targets[end + i] = shares[j]
                        found = True
                if not found:
                    return ply, False
            feature_end += seen
            end += count
            choice += counts[ply]
        feature_ends[ply] = feature_end
        ends[ply] = end
        for p in range(rewards.shape[0]):
            rewards[p] = 0.0
        call_apply(rules, state, actions[ply], rewards, 0, rewards.shape[0])
        for p in range(rewards.shape[0]):
            gained[ply, p] = rewards[p]
    return actions.shape[0], False
