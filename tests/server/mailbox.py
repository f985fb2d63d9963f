"""A mail server on this machine, which keeps what is sent to it."""

import asyncio
from email import message_from_bytes
from email.policy import default

from aiosmtpd.controller import Controller

from ..serving import free_port

SENDER = "games@play.example.org"
ADDRESS = "https://play.example.org"
PATIENCE = 60  # seconds for a mail


class Box:
    """Takes whatever mail comes, or refuses it."""

    def __init__(self) -> None:
        self.mails, self.refuses = [], False

    async def handle_DATA(self, _server, _session, envelope):  # noqa: N802  (what the library calls)
        if self.refuses:
            return "554 Not today"
        self.mails.append((envelope.rcpt_tos, message_from_bytes(envelope.content, policy=default)))
        return "250 Taken"


class Post(Controller):
    """A mail server that closes what it has opened: the library's stops in the midst, and leaves connections open."""

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
        """Let nobody in, take the mails that are coming, and hang up."""
        for door in self.server.sockets:  # a server that is closed drops whoever was just let in
            self.loop.remove_reader(door.fileno())
        async with asyncio.timeout(PATIENCE):
            while coming := asyncio.all_tasks() - {asyncio.current_task()}:
                await asyncio.wait(coming)
        for line in self.lines:
            if line.transport:
                line.transport.abort()
        await asyncio.sleep(0)  # what is closed is closed when the loop comes round
