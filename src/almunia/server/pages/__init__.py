"""The pages: what an address answers, and what stands there.

`table` is the page of a table, rendered by `table_renderer` from a `table_page` (with `layout`, where panes stand,
`seat_cards`, `icons` and `log`), and `seats` what is done about seats there. `scoring`, `replay`, `ending` and `again`
show and go on from what was played; `chat` and `news` are what is said beside it. `front` has the front page, the
games, their rules (`rulebook`) and one's tables, `lobby` the lobby, `invited` the invitations to play again;
`my_games`, `profiles` and `daily` are pages of people, `programs` that of programs, and `assets` files. Accounts and
alerts have theirs beside what they show. Templates and static files lie beside this folder, since `templating` serves
everybody.
"""
