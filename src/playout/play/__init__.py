"""Playing games: the game loop, chance, clocks, players, openings, and the processes that play many games at once."""
