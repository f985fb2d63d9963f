"""Notifications: tell players who are away that it is their turn.

`dispatcher` finds turns that a player has not seen. `channels` stores where a player wants to be notified: by push
messages in browsers, by mail, or by webhook. `transports` sends messages in the threads of `deliveries`, so that one
slow server does not delay all messages.

A message names the game and the players, never the position. No message goes to a player who has the table open in a
visible tab.
"""
