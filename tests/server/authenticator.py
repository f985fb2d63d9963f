"""A software authenticator, which creates and shows passkeys. Tests spoil its fields to make invalid responses."""

import json
from hashlib import sha256
from secrets import token_bytes

import cbor2
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from webauthn.helpers import base64url_to_bytes, bytes_to_base64url

PRESENT, VERIFIED, ATTESTED = 0x01, 0x04, 0x40
TYPE, ES256, P256 = 2, -7, 1  # COSE numbers


class Authenticator:
    """An authenticator with one passkey."""

    def __init__(self, host: str, origin: str) -> None:
        self.host, self.origin, self.flags, self.count = host, origin, PRESENT | VERIFIED, 0
        self.id, self.handle = token_bytes(16), b""
        self._key = ec.generate_private_key(ec.SECP256R1())

    def make(self, options: dict) -> str:
        """Return the response that registers the passkey."""
        self.handle = base64url_to_bytes(options["user"]["id"])
        point = self._key.public_key().public_numbers()
        cose = {1: TYPE, 3: ES256, -1: P256, -2: point.x.to_bytes(32, "big"), -3: point.y.to_bytes(32, "big")}
        attested = bytes(16) + len(self.id).to_bytes(2, "big") + self.id + cbor2.dumps(cose)
        data = self._data(ATTESTED) + attested
        attestation = cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data})
        said = self._said("webauthn.create", options["challenge"])
        return self._answer({"clientDataJSON": said, "attestationObject": attestation})

    def show(self, options: dict) -> str:
        """Return the response that signs in with the passkey."""
        self.count += 1
        data, said = self._data(0), self._said("webauthn.get", options["challenge"])
        signature = self._key.sign(data + sha256(said).digest(), ec.ECDSA(hashes.SHA256()))
        parts = {"clientDataJSON": said, "authenticatorData": data, "signature": signature, "userHandle": self.handle}
        return self._answer(parts)

    def _data(self, more: int) -> bytes:
        return sha256(self.host.encode()).digest() + bytes([self.flags | more]) + self.count.to_bytes(4, "big")

    def _said(self, kind: str, challenge: str) -> bytes:
        return json.dumps({"type": kind, "challenge": challenge, "origin": self.origin}).encode()

    def _answer(self, parts: dict[str, bytes]) -> str:
        number = bytes_to_base64url(self.id)
        response = {name: bytes_to_base64url(value) for name, value in parts.items()}
        return json.dumps({"id": number, "rawId": number, "type": "public-key", "response": response})
