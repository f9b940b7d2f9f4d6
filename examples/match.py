"""A match: does more search win more games? Each opening is played from both sides."""

from playout.arena import play_match

if __name__ == "__main__":
    result = play_match("tictactoe", ["many=default,n=200", "few=default,n=10"], games=12, concurrency=1, seed=1)
    tally = result.tally()
    low, high = tally.elo_interval
    print(f"{tally.wins} won, {tally.draws} drawn, {tally.losses} lost")
    print(f"Elo {tally.elo:+.0f}, 95%: {low:+.0f} to {high:+.0f}")
    print("decided" if low > 0 or high < 0 else "not decided: the interval holds zero, play more games")
