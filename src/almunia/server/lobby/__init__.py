"""The lobby: open tables (`service`), what players listed or reserved (`listings`), invitations, rematches."""
