"""Runs the migrations on the connection that `upgrade.py` hands over, in the transaction that it has begun."""

from alembic import context

context.configure(
    connection=context.config.attributes["connection"], transactional_ddl=True, transaction_per_migration=False
)
context.run_migrations()
