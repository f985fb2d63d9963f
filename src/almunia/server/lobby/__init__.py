"""The lobby: listings and matches (`service`), storage (`repository`), new tables, invitations, and rematches."""
