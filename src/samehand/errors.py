"""Every error samehand raises on purpose.

SamehandError                    anything below; the command line prints it and exits with its `status`
├── UsageError                   the request cannot be carried out as asked (exit status 2)
│   ├── UnknownFormatError       no reader recognises the content of a file
│   ├── UnknownEntityError       no entity or mention has this identifier
│   └── ConflictingDecisionError a decision contradicts what earlier decisions imply
├── ReadError                    a file cannot be read at all (missing, truncated archive, bomb)
├── LibraryError                 a library cannot be opened, or is newer than this version
│   └── LibraryBusyError         another process has been writing for too long
└── MissingExtraError            an optional dependency is needed; the message says how to install it

Every message names the file (and the line, where there is one), what is wrong, and the remedy.
"""


class SamehandError(Exception):
    """Base of all errors that are meant for a person to read."""

    status = 1


class UsageError(SamehandError):
    """The request itself is wrong: an unknown model, a missing column, a bad option."""

    status = 2


class UnknownFormatError(UsageError):
    """No reader recognises the content of a file."""


class UnknownEntityError(UsageError):
    """No entity or mention of the library has the identifier that was given."""


class ConflictingDecisionError(UsageError):
    """A decision contradicts what earlier decisions imply; undo one of them first."""


class ReadError(SamehandError):
    """A file cannot be read at all."""


class LibraryError(SamehandError):
    """A library cannot be opened, written, or understood by this version."""


class LibraryBusyError(LibraryError):
    """Another process has been writing to a library for too long."""


class MissingExtraError(SamehandError):
    """An optional dependency is not installed."""
