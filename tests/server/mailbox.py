"""A mail server on this machine, which keeps the mails that it receives."""

import asyncio
from email import message_from_bytes
from email.policy import default

from aiosmtpd.controller import Controller

from ..serving import free_port

SENDER = "games@play.example.org"
ADDRESS = "https://play.example.org"
PATIENCE = 60  # seconds for a mail


class Box:
    """Keeps all mails, or refuses them."""

    def __init__(self) -> None:
        self.mails, self.refuses = [], False

    async def handle_DATA(self, _server, _session, envelope):  # noqa: N802  (what the library calls)
        if self.refuses:
            return "554 Not today"
        self.mails.append((envelope.rcpt_tos, message_from_bytes(envelope.content, policy=default)))
        return "250 Taken"


class Post(Controller):
    """A mail server that closes its connections when it stops. The library's server leaves them open."""

    def __init__(self, box: Box) -> None:
        super().__init__(box, hostname="127.0.0.1", port=free_port())
        self.lines = []

    def factory(self):
        self.lines.append(super().factory())
        return self.lines[-1]

    def stop(self, no_assert: bool = False) -> None:
        asyncio.run_coroutine_threadsafe(self.settled(), self.loop).result()
        super().stop(no_assert)

    async def settled(self) -> None:
        """Accept no more connections, wait for the mails that are arriving, and close all connections."""
        for door in self.server.sockets:  # a server that is closed drops the last client it accepted
            self.loop.remove_reader(door.fileno())
        async with asyncio.timeout(PATIENCE):
            while coming := asyncio.all_tasks() - {asyncio.current_task()}:
                await asyncio.wait(coming)
        for line in self.lines:
            if line.transport:
                line.transport.abort()
        await asyncio.sleep(0)  # connections close in the next turn of the loop
