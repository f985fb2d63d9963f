"""Networks of visitors: IPv4 addresses, and 64-bit prefixes of IPv6."""

from hashlib import sha256
from hmac import digest
from ipaddress import IPv4Address, ip_address, ip_network

from starlette.requests import Request

HASH_LENGTH = 16  # characters of a network's hash


def is_loopback(address: str) -> bool:
    """Whether an address is a loopback address; True for text that is no IP address."""
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return True  # such as the empty text for an unknown client


def network_of_address(host: str) -> str:
    """Return an IPv4 address, also if it is mapped to IPv6, or a 64-bit prefix of IPv6; other text unchanged."""
    try:
        address = ip_address(host)
    except ValueError:
        return host
    if isinstance(address, IPv4Address):
        return host
    return str(address.ipv4_mapped or ip_network((int(address), 64), strict=False).network_address)


def network_of(request: Request) -> str:
    """Return the network of a request's client; empty if the client is unknown."""
    return network_of_address(request.client.host if request.client else "")


class HiddenNetworks:
    """Keyed hashes of networks, for storage. Without the key, IPv4 addresses cannot be found by trying all."""

    def __init__(self, key: str) -> None:
        self._key = key.encode()

    def hash_of(self, request: Request) -> str:
        """Return the hash of a request's network; empty for this machine or an unknown client."""
        network = network_of(request)
        return "" if is_loopback(network) else digest(self._key, network.encode(), sha256).hex()[:HASH_LENGTH]
