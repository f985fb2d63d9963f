"""Processes: what a site does beside answering, and how several of them serve it as one.

`caretaker` ends what nobody wants any more, and `lookout` sees what streams were not told of. `together` is how
processes on one database in PostgreSQL hear of each other, `whereabouts` who is where, `thinking` is a process that
serves no pages, and `questions` what is asked of it. `artists` are processes that draw. With SQLite, `alone`
sees to it that one process serves. `process` sets any of them up, and `rounds` is how something is done again and
again.
"""
