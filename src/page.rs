//! A page as input of the extraction.

/// The bytes of a page, with the URL and the charset that the caller knows.
///
/// Bytes and strings convert into a page, so they can be passed directly to
/// [`Extractor::extract`](crate::Extractor::extract).
///
/// ```
/// use threshr::{Extractor, Page};
///
/// let extractor = Extractor::builder().build()?;
/// // 0xe4 is `ä` in ISO 8859-1
/// let html = b"<p>It rained all day in the north, <a href=/map>as the map of K\xe4rnten shows</a>, and nobody went out.";
/// let page = Page::new(html).url("https://example.org/news/rain.html").charset("iso-8859-1");
/// let markdown = extractor.extract(page)?.markdown();
/// assert!(markdown.contains("[as the map of Kärnten shows](https://example.org/map)"), "{markdown}");
/// # Ok::<(), threshr::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Page<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) url: Option<&'a str>,
    pub(crate) charset: Option<&'a str>,
}

impl<'a> Page<'a> {
    /// Creates a page from its bytes as they were fetched: HTML in any charset.
    pub fn new<B: AsRef<[u8]> + ?Sized>(bytes: &'a B) -> Self {
        Page { bytes: bytes.as_ref(), url: None, charset: None }
    }

    /// Sets the URL of the page. Links, images and metadata are resolved against it. If no URL is set, the
    /// URL that the page declares is used.
    #[must_use]
    pub fn url(self, url: &'a str) -> Self {
        Page { url: Some(url), ..self }
    }

    /// Sets the charset in the HTTP header: a label such as `windows-1251`. If no charset is set, it is
    /// determined by the byte-order mark, by `<meta>`, or by detection, in this order.
    #[must_use]
    pub fn charset(self, label: &'a str) -> Self {
        Page { charset: Some(label), ..self }
    }
}

impl<'a, B: AsRef<[u8]> + ?Sized> From<&'a B> for Page<'a> {
    fn from(bytes: &'a B) -> Self {
        Page::new(bytes)
    }
}
