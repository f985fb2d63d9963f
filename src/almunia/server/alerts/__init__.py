"""Alerts: those who are away are told that it's their turn, by the ways that they have chosen.

`ways` keeps these: browsers that get push messages, mail addresses, webhooks. `herald` looks for turns that nobody has
seen, `messages` says so in words, and `senders` hand it on in threads of `deliveries`, in which no guest's slow servers
delay what others are told. `pages` is where ways are chosen, and stopped.

An alert says which game waits and who sits there. It tells nothing of the game, and nothing that the player's own list
of games doesn't say. Each turn is told once by each way, and not at all to somebody who has the table open.
"""
