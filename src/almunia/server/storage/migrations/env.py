"""The Alembic environment: runs the migrations on the connection of `database.upgrade`."""

from alembic import context

from almunia.server.storage.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata, transactional_ddl=True)
with context.begin_transaction():
    context.run_migrations()
