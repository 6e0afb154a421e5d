"""The exceptions of the package."""

from __future__ import annotations


class Error(Exception):
    """An error of threshr. Its text states the location, what was found and what was expected."""


class PageError(Error):
    """An error of one page. Skip the page and go on with the next one."""


class NotHtmlError(PageError, ValueError):
    """The bytes of a page have another known format, such as PDF."""


class TooLargeError(PageError, ValueError):
    """A page exceeds `max_bytes` or `max_memory`."""


class PageTimeoutError(PageError, TimeoutError):
    """Work on a page exceeded `timeout`."""


class DataError(Error, ValueError):
    """The content of an input is not valid or not complete."""


class FileError(Error, OSError):
    """Reading or writing a file or folder failed."""


class FeaturesError(Error, ValueError):
    """A feature set has an unknown name, or a matrix has the wrong columns."""


class ClassifierError(Error, ValueError):
    """A classifier cannot be fitted or applied."""


class ModelError(Error, ValueError):
    """A model file cannot be used."""


class OptionError(Error, ValueError):
    """An option, a recipe or a name is invalid. The text states what is expected."""


class ArgumentTypeError(OptionError, TypeError):
    """An argument has the wrong type. The text states which types are expected."""
