"""Passkeys: WebAuthn options for authenticators, and verification of their responses, by the library `webauthn`.

A challenge is valid once and for five minutes. The signed cookie holds the challenge; a one-time link records its use.
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
from .accounts import A, Account, account_from_row, lock_account, new_handle
from .one_time_links import PASSKEY, OneTimeLinks

P = schema.passkey.c
MAX_PASSKEYS = 10  # of an account
CHALLENGE_KEY = "challenge"  # in the cookie
NOT_ACCEPTED = "This passkey was not accepted. Please try again."
# Raised for malformed and for false responses
VERIFICATION_ERRORS = (WebAuthnException, ValueError, KeyError, TypeError, AttributeError, RecursionError)
VERIFICATION_REQUIRED = UserVerificationRequirement.REQUIRED


class Passkey(NamedTuple):
    """A passkey as its owner sees it."""

    id: str
    label: str
    created_at: float
    last_used_at: float | None


class RelyingParty(NamedTuple):
    """The relying party of WebAuthn: the host name of the site, and the origin of its pages."""

    host: str
    origin: str


def relying_party(request: Request, address: str) -> RelyingParty:
    """Return the relying party: by the site's address, or by the request if the site has none."""
    origin = address or f"{request.url.scheme}://{request.headers.get('host', '')}"
    host = origin.partition("://")[2]
    return RelyingParty(host if host.endswith("]") else host.rsplit(":", 1)[0] if ":" in host else host, origin.lower())


class Passkeys:
    """Creates, verifies and removes passkeys."""

    def __init__(self, engine: Engine, links: OneTimeLinks, clock: Clock) -> None:
        self._engine, self._links, self._clock = engine, links, clock

    # --- options ------------------------------------------------------------------------

    def registration_options(self, request: Request, party: RelyingParty, account: Account | None, name: str) -> str:
        """Return the JSON with which an authenticator creates a passkey."""
        handle = account.handle if account else new_handle()
        with read_connection(self._engine) as db:
            known = db.execute(select(P.credential).where(P.guest == account.guest)).scalars().all() if account else ()
        options = generate_registration_options(
            rp_id=party.host,
            rp_name="Almunia",
            user_id=base64url_to_bytes(handle),
            user_name=(account and account.mail) or name,
            user_display_name=name,
            challenge=self._create_challenge(request, handle),
            exclude_credentials=[PublicKeyCredentialDescriptor(id=base64url_to_bytes(one)) for one in known],
            authenticator_selection=AuthenticatorSelectionCriteria(
                resident_key=ResidentKeyRequirement.REQUIRED, user_verification=VERIFICATION_REQUIRED
            ),
        )
        return options_to_json(options)

    def authentication_options(self, request: Request, party: RelyingParty) -> str:
        """Return the JSON with which an authenticator uses a passkey, without naming an account."""
        options = generate_authentication_options(
            rp_id=party.host, challenge=self._create_challenge(request, ""), user_verification=VERIFICATION_REQUIRED
        )
        return options_to_json(options)

    def _create_challenge(self, request: Request, handle: str) -> bytes:
        challenge = token_bytes(32)
        request.session[CHALLENGE_KEY] = [self._links.create(PASSKEY), bytes_to_base64url(challenge), handle]
        return challenge

    def _consume_challenge(self, request: Request) -> tuple[bytes, str]:
        kept = request.session.pop(CHALLENGE_KEY, None)
        if kept is None:
            raise BadRequest("This page has expired. Please reload it, and use your passkey again.", 422)
        written, challenge, handle = kept
        self._links.consume(written, PASSKEY)
        return base64url_to_bytes(challenge), handle

    # --- responses ----------------------------------------------------------------------

    def verify_registration(self, request: Request, party: RelyingParty, answer: str) -> tuple[dict[str, Any], str]:
        """Return the columns of a new passkey, and the account's handle; RequestError if the response is invalid."""
        challenge, handle = self._consume_challenge(request)
        try:
            found = verify_registration_response(
                credential=json.loads(answer),
                expected_challenge=challenge,
                expected_rp_id=party.host,
                expected_origin=party.origin,
                require_user_verification=True,
            )
        except VERIFICATION_ERRORS:
            raise BadRequest(NOT_ACCEPTED, 422) from None
        credential = bytes_to_base64url(found.credential_id)
        return {"credential": credential, "key": found.credential_public_key, "sign_count": found.sign_count}, handle

    def verify_authentication(self, request: Request, party: RelyingParty, answer: str) -> Account:
        """Return the account that a passkey proves; RequestError if the response is invalid."""
        challenge, _ = self._consume_challenge(request)
        row, account = self._find(answer)
        try:
            found = verify_authentication_response(
                credential=json.loads(answer),
                expected_challenge=challenge,
                expected_rp_id=party.host,
                expected_origin=party.origin,
                credential_public_key=row.key,
                credential_current_sign_count=row.sign_count,
                require_user_verification=True,
            )
        except VERIFICATION_ERRORS:
            raise BadRequest(NOT_ACCEPTED, 422) from None
        with self._engine.begin() as db:
            seen = {"sign_count": found.new_sign_count, "last_used_at": self._clock.now()}
            db.execute(update(schema.passkey).where(P.id == row.id).values(**seen))
        return account

    def _find(self, answer: str) -> tuple[Row, Account]:
        try:
            response = json.loads(answer)
            credential, handle = response["id"], response["response"].get("userHandle")
            good = isinstance(credential, str) and credential.isascii() and credential.isprintable()
        except VERIFICATION_ERRORS:
            raise BadRequest(NOT_ACCEPTED, 422) from None
        with read_connection(self._engine) as db:
            row = db.execute(select(schema.passkey).where(P.credential == credential)).first() if good else None
            kept = db.execute(select(schema.account).where(A.guest == row.guest)).first() if row else None
        if row is None or kept is None or handle not in (None, kept.handle):
            raise BadRequest(NOT_ACCEPTED, 422)
        return row, account_from_row(kept)

    # --- storage ------------------------------------------------------------------------

    def for_guest(self, guest: str) -> Sequence[Passkey]:
        """Return the passkeys of a guest, oldest first."""
        with read_connection(self._engine) as db:
            wanted = (
                select(P.id, P.label, P.created_at, P.last_used_at).where(P.guest == guest).order_by(P.created_at, P.id)
            )
            return [Passkey._make(row) for row in db.execute(wanted)]

    def rename(self, guest: str, number: str, label: str) -> None:
        """Rename a passkey; NotFound if the guest has no passkey with this id."""
        with self._engine.begin() as db:
            wanted = update(schema.passkey).where(P.guest == guest, P.id == number).values(label=label)
            if not number.isalnum() or not number.isascii() or db.execute(wanted).rowcount != 1:
                raise NotFound("You don't have this passkey. It may have been removed already.")

    def remove(self, account: Account, number: str) -> None:
        """Remove a passkey; NotFound if the account has no such passkey, Conflict if it is the only way to sign in."""
        with self._engine.begin() as db:
            lock_account(db, account.guest)  # if two requests remove the last two passkeys, one fails
            known = set(db.execute(select(P.id).where(P.guest == account.guest)).scalars())
            if number not in known:
                raise NotFound("You don't have this passkey. It may have been removed already.")
            if len(known) == 1 and not account.password:
                raise Conflict("This is your only way to sign in. Add another passkey or a password first.")
            db.execute(delete(schema.passkey).where(P.guest == account.guest, P.id == number))


def add_passkey(db: Connection, guest: str, label: str, facts: dict[str, Any], now: float) -> None:
    """Store a new passkey; Conflict if the guest has too many, or the passkey is stored already."""
    if db.execute(select(func.count()).where(P.guest == guest)).scalar_one() >= MAX_PASSKEYS:
        raise Conflict(f"You have {MAX_PASSKEYS} passkeys, which is the limit. Remove one that you don't use.")
    row = {"id": token_hex(8), "guest": guest, "label": label, "created_at": now, **facts}
    try:
        db.execute(insert(schema.passkey), row)
    except IntegrityError:
        raise Conflict("This passkey already belongs to an account. Sign in with it instead.") from None
