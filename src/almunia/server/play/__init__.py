"""What happens at a table, whoever shows it.

`tables` opens tables and changes them, `acting` works out what follows on an action, `snapshot` is the play that the
entries lead to, and `diary` what one reader has seen of it, with the lines of `gamelog` and the sums of `scorings`.
`reader` is who looks at a table, and `table_view` what a page or the API may show to a reader.
`seating` lets people come, go and give up, `consent` is what they ask of each other, and `calm` how often; `presence`
knows who is here, `clocks` what time they have, `vacations` when it stands still. `lessons` gives the first games that
teach. `bot_runner` plays the bots at the pace of `pacing`, `hints` asks the expert, and in both networks take `turns`.
`builds` and `compiling` see to machine code, and `notifier` tells others that something has changed.
"""
