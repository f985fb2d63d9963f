"""The lobby: open tables (`service`), what players listed or reserved (`repository`), invitations, rematches."""
