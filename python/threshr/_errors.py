"""The exceptions of the package."""

from __future__ import annotations


class Error(Exception):
    """An error of threshr. Its message states the location, the wrong value or state, and the expected value."""


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
    """An option, a recipe or a name is invalid. The message states the expected values."""


class ArgumentTypeError(OptionError, TypeError):
    """An argument has the wrong type. The message states the expected types."""
