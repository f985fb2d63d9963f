"""Passkeys: what authenticators are asked, and whether their answers hold. The cryptography is that of `webauthn`.

A challenge holds once and for minutes: the browser's signed cookie has it, and the database knows that it was not used.
"""

import json
from collections.abc import Sequence
from secrets import token_bytes, token_hex
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, Row, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError
from starlette.requests import Request
from webauthn import (
    generate_authentication_options,
    generate_registration_options,
    options_to_json,
    verify_authentication_response,
    verify_registration_response,
)
from webauthn.helpers import base64url_to_bytes, bytes_to_base64url
from webauthn.helpers.exceptions import WebAuthnException
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from ..clock import Clock
from ..errors import BadRequest, Conflict, NotFound
from ..storage import schema
from ..storage.database import read_connection
from .accounts import A, Account, account_of_row, fresh_handle, hold
from .one_time_links import PASSKEY, OneTimeLinks

P = schema.passkey.c
MOST = 10  # passkeys that somebody may have
CHALLENGE = 32  # bytes
COOKIE = "challenge"  # under which the cookie has it
SITE = "Almunia"
WRONG = "This passkey was not accepted. Please try again."
# What an odd answer may lead to.
UNREADABLE = (WebAuthnException, ValueError, KeyError, TypeError, AttributeError, RecursionError)
VERIFIED = UserVerificationRequirement.REQUIRED


class Passkey(NamedTuple):
    """What is shown of a passkey."""

    id: str
    label: str
    made: float
    used: float | None


class RelyingParty(NamedTuple):
    """Where passkeys hold: the name of the site, and the origin of its pages."""

    host: str
    origin: str


def place_of(request: Request, address: str) -> RelyingParty:
    """Where passkeys hold for whoever sends a request: at the site's address, or where its pages are seen to be."""
    origin = address or f"{request.url.scheme}://{request.headers.get('host', '')}"
    host = origin.partition("://")[2]
    return RelyingParty(host if host.endswith("]") else host.rsplit(":", 1)[0] if ":" in host else host, origin.lower())


class Passkeys:
    """All passkeys of the site."""

    def __init__(self, engine: Engine, links: OneTimeLinks, clock: Clock) -> None:
        self._engine, self._links, self._clock = engine, links, clock

    # --- asking -------------------------------------------------------------------------

    def ask_for_new(self, request: Request, place: RelyingParty, account: Account | None, name: str) -> str:
        """What an authenticator needs to know to make a passkey, as JSON."""
        handle = account.handle if account else fresh_handle()
        known = self._credentials(account.guest) if account else []
        options = generate_registration_options(
            rp_id=place.host,
            rp_name=SITE,
            user_id=base64url_to_bytes(handle),
            user_name=(account and account.mail) or name,
            user_display_name=name,
            challenge=self._challenge(request, handle),
            exclude_credentials=[PublicKeyCredentialDescriptor(id=base64url_to_bytes(one)) for one in known],
            authenticator_selection=AuthenticatorSelectionCriteria(
                resident_key=ResidentKeyRequirement.REQUIRED, user_verification=VERIFIED
            ),
        )
        return options_to_json(options)

    def ask_for_any(self, request: Request, place: RelyingParty) -> str:
        """What it needs to know to show one, as JSON: the same whoever asks."""
        challenge = self._challenge(request, "")
        options = generate_authentication_options(rp_id=place.host, challenge=challenge, user_verification=VERIFIED)
        return options_to_json(options)

    def _challenge(self, request: Request, handle: str) -> bytes:
        challenge = token_bytes(CHALLENGE)
        request.session[COOKIE] = [self._links.make(PASSKEY), bytes_to_base64url(challenge), handle]
        return challenge

    def _take(self, request: Request) -> tuple[bytes, str]:
        """The challenge of a browser with the handle that goes with it; it is used up by that."""
        kept = request.session.pop(COOKIE, None)
        if kept is None:
            raise BadRequest("A passkey has to be asked for first. Please try again from the page.", 422)
        written, challenge, handle = kept
        self._links.take(written, PASSKEY)
        return base64url_to_bytes(challenge), handle

    # --- answers ------------------------------------------------------------------------

    def made(self, request: Request, place: RelyingParty, answer: str) -> tuple[dict[str, Any], str]:
        """The passkey that an authenticator has made, and the handle for which; BadRequest if it does not hold."""
        challenge, handle = self._take(request)
        try:
            found = verify_registration_response(
                credential=json.loads(answer),
                expected_challenge=challenge,
                expected_rp_id=place.host,
                expected_origin=place.origin,
                require_user_verification=True,
            )
        except UNREADABLE:
            raise BadRequest(WRONG, 422) from None
        credential = bytes_to_base64url(found.credential_id)
        return {"credential": credential, "key": found.credential_public_key, "signed": found.sign_count}, handle

    def shown(self, request: Request, place: RelyingParty, answer: str) -> Account:
        """Whose passkey an authenticator has shown; BadRequest if it does not hold."""
        challenge, _ = self._take(request)
        row, account = self._found(answer)
        try:
            found = verify_authentication_response(
                credential=json.loads(answer),
                expected_challenge=challenge,
                expected_rp_id=place.host,
                expected_origin=place.origin,
                credential_public_key=row.key,
                credential_current_sign_count=row.signed,
                require_user_verification=True,
            )
        except UNREADABLE:
            raise BadRequest(WRONG, 422) from None
        with self._engine.begin() as db:
            seen = {"signed": found.new_sign_count, "used": self._clock.now()}
            db.execute(update(schema.passkey).where(P.id == row.id).values(**seen))
        return account

    def _found(self, answer: str) -> tuple[Row, Account]:
        try:
            said = json.loads(answer)
            credential, handle = said["id"], said["response"].get("userHandle")
            good = isinstance(credential, str) and credential.isascii() and credential.isprintable()
        except UNREADABLE:
            raise BadRequest(WRONG, 422) from None
        with read_connection(self._engine) as db:
            row = db.execute(select(schema.passkey).where(P.credential == credential)).first() if good else None
            kept = db.execute(select(schema.account).where(A.guest == row.guest)).first() if row else None
        if row is None or kept is None or handle not in (None, kept.handle):
            raise BadRequest(WRONG, 422)
        return row, account_of_row(kept)

    # --- keeping ------------------------------------------------------------------------

    def of(self, guest: str) -> Sequence[Passkey]:
        """The passkeys of somebody, the oldest first."""
        with read_connection(self._engine) as db:
            rows = db.execute(select(schema.passkey).where(P.guest == guest).order_by(P.made, P.id)).all()
        return [Passkey(row.id, row.label, row.made, row.used) for row in rows]

    def _credentials(self, guest: str) -> Sequence[str]:
        with read_connection(self._engine) as db:
            return db.execute(select(P.credential).where(P.guest == guest)).scalars().all()

    def rename(self, guest: str, number: str, label: str) -> None:
        """Call a passkey something else."""
        with self._engine.begin() as db:
            wanted = update(schema.passkey).where(P.guest == guest, P.id == number).values(label=label)
            if not number.isalnum() or not number.isascii() or db.execute(wanted).rowcount != 1:
                raise NotFound("You have no such passkey. It may have been removed already.")

    def remove(self, account: Account, number: str) -> None:
        """Let a passkey hold no longer; Conflict if nobody could sign in any more after that."""
        with self._engine.begin() as db:
            hold(db, account.guest)  # of two that are removed at once, one stays
            known = set(db.execute(select(P.id).where(P.guest == account.guest)).scalars())
            if number not in known:
                raise NotFound("You have no such passkey. It may have been removed already.")
            if len(known) == 1 and not account.password:
                raise Conflict("This is your only way to sign in. Add another passkey or a password first.")
            db.execute(delete(schema.passkey).where(P.guest == account.guest, P.id == number))


def add(db: Connection, guest: str, label: str, facts: dict[str, Any], now: float) -> None:
    """Keep a new passkey; Conflict if somebody has too many, or it is known already."""
    if db.execute(select(func.count()).where(P.guest == guest)).scalar_one() >= MOST:
        raise Conflict(f"You have {MOST} passkeys, and there can be no more. Remove one that you do not use.")
    row = {"id": token_hex(8), "guest": guest, "label": label, "made": now, **facts}
    try:
        db.execute(insert(schema.passkey), row)
    except IntegrityError:
        raise Conflict("This passkey is known already. Sign in with it instead.") from None
