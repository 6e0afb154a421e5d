"""An extractor of datatrove.

>>> from datatrove.pipeline.readers import WarcReader
>>> from threshr.integrations.datatrove import Threshr
>>> pipeline = [WarcReader("crawl/"), Threshr(output="markdown", timeout=1)]

The reader of datatrove also needs warcio, faust-cchardet, python-magic and orjson.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

try:
    from datatrove.pipeline.extractors.base import BaseExtractor, ExtractorSandbox
    from datatrove.utils.logging import logger
    from datatrove.utils.typeshelper import StatHints
except ModuleNotFoundError as missing:
    needed = "pip install datatrove warcio faust-cchardet python-magic orjson"
    raise ModuleNotFoundError(f"{missing}; datatrove with its readers needs: {needed}", name=missing.name) from missing

from threshr._errors import Error
from threshr._threshr import Extractor
from threshr.integrations import CRAWL_LIMITS, with_limits

if TYPE_CHECKING:
    from datatrove.data import DocumentsPipeline


class Threshr(BaseExtractor):
    """Extracts the content of pages with threshr, in the sandbox of datatrove.

    `output` is the format of the text. `timeout` is the limit per page in seconds. The extraction ends after this CPU time,
    and the process of the sandbox after this wall-clock time. Pages whose expected quality is below `min_quality` are
    dropped. With `metadata`, `run` adds title, authors, date, language, page_type, quality and others to the metadata of
    each document. Existing values are not replaced. `options` are the options of `threshr.Extractor`.
    """

    name = "⛏ threshr"
    _requires_dependencies = ["threshr"]

    def __init__(
        self,
        output: Literal["text", "markdown", "html"] = "text",
        timeout: float = CRAWL_LIMITS["timeout"],
        min_quality: float | None = None,
        metadata: bool = True,
        **options: Any,
    ):
        super().__init__(timeout)
        self._warned_error = False
        if output not in ("text", "markdown", "html"):
            raise ValueError(f"`output` is {output!r}; expected text, markdown or html")
        self.output = output
        self.min_quality = min_quality
        self.metadata = metadata
        # The pickle of the step contains the options, and the path of the model.
        self.extractor = Extractor(**with_limits({"timeout": timeout, **options}))

    def extract(self, text: str) -> str:
        """The content of a page."""
        return getattr(self.extractor.extract(text), self.output)

    def _extract_all(self, text: str, url: str | None) -> tuple[str, dict[str, Any]] | Exception:
        """Runs in the sandbox. Returns exceptions, because a raised exception would end the process of the sandbox."""
        try:
            extraction = self.extractor.extract(text, url=url)
            quality = extraction.quality.expected if extraction.quality else None
            found: dict[str, Any] = {"quality": quality}
            if self.metadata:
                found.update(extraction.metadata.to_dict())
                found.update(language=extraction.language, page_type=extraction.page_type)
            return getattr(extraction, self.output), found
        except Error as error:
            return error

    def run(self, data: DocumentsPipeline, rank: int = 0, world_size: int = 1) -> DocumentsPipeline:
        """Extracts the text of each document and adds its metadata. Documents that fail are skipped and counted."""
        with ExtractorSandbox(timeout=self.timeout, warmup_text=("", None)) as sandbox:
            for doc in data:
                self.stat_update(StatHints.total)
                with self.track_time():
                    try:
                        page = (doc.text, doc.metadata.get("url"))
                        doc.text, found = sandbox.process_document(page, self._extract_all)
                        self.stat_update("extracted")
                    except TimeoutError:
                        # Includes PageTimeoutError.
                        self.stat_update("timeout")
                        logger.warning("The page took too long. Skipping record.")
                        continue
                    except EOFError:
                        self.stat_update("broken_process")
                        logger.warning("The process of the sandbox ended. Skipping record.")
                        continue
                    except Exception as error:
                        self.stat_update("clean_error")
                        if not self._warned_error:
                            logger.warning(f"{error}. Skipping record. This message appears once.")
                            self._warned_error = True
                        continue
                quality = found["quality"]
                if self.min_quality is not None and quality is not None and quality < self.min_quality:
                    self.stat_update(StatHints.dropped, "low_quality")
                    continue
                if not doc.text:
                    self.stat_update(StatHints.dropped)
                    continue
                if self.metadata:
                    known = {name: value for name, value in found.items() if value is not None}
                    doc.metadata = {**known, **doc.metadata}
                self.stat_update(StatHints.forwarded)
                self.update_doc_stats(doc)
                yield doc
