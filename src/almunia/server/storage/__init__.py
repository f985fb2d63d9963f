"""What a site keeps: the database and what is read and written there.

`schema` is its tables, `database` opens it and brings it to the shape that this version needs (`migrations`), and
`store` reads and writes tables, seats and entries. What several processes of a site keep in common there is here too:
`bus` (what they tell each other), `claims` (what one of them does for all), `counting` (how often somebody has done
something) and `keys` (by what sessions are signed).
"""
