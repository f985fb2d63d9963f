"""People: who they are to a site, how they meet, and what they have played.

`guests` knows who asks. `new_table` opens tables as a form says, `listings` and `open_tables` are what the lobby shows,
`rematches` keeps seats for those who played together, `mail` invites, `chat` is what is said, `moderation` what is done
about that, and `rates` says how often anything may be done. `profiles` is what somebody shows to others, `my_games` and
`own_tables` (with `table_rows`) are one's own lists, and `daily` the deals that are the same for everybody.
"""
