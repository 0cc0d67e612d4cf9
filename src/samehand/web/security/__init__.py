"""Who may do what: people and their roles, sessions and tokens, and what every request and answer must satisfy.

A browser is known by one random cookie, a program by a bearer token. Where the library has no users, and the server
listens to this machine only, everybody who reaches it is the admin named by the settings.
"""

from samehand.web.security.current import admin, curator, current, reader
from samehand.web.security.forgery import csrf_token
from samehand.web.security.people import Person

__all__ = ["Person", "admin", "csrf_token", "curator", "current", "reader"]
