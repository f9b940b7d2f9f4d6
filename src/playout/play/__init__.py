"""Playing games: players, openings, and the processes that play many games at once."""
