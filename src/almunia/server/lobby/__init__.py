"""The lobby: listings and matches (`service`), storage (`repository`), forms of tables, invitations, and rematches."""
