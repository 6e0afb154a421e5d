//! Terms of a page by channel: words in its URL, title, headings, buttons, names of elements, metadata, text and
//! kept text.

mod channels;
mod elements;
mod kept;
mod label;
mod names;
mod page_terms;
#[cfg(test)]
mod tests;

pub(super) use channels::at;
pub use channels::{CHANNELS, Channel, LEVELS};
pub(super) use kept::{KeptTerms, path_of};
pub use page_terms::PageTerms;

use elements::Collector;
use threshr_html::Document;
use threshr_html::text;

/// Maximum number of bytes of a term. Longer values are generated or are sentences.
const MAX_LENGTH: usize = 30;

/// Assigns numbers to terms and counts their occurrences.
///
/// Terms are in lower case and contain no white space.
pub(super) trait TermCounter {
    /// Returns the number of a term in a channel; `None` if the term is not counted.
    fn number(&mut self, channel: usize, term: &str) -> Option<u32>;

    /// Counts `times` occurrences of the term with a number.
    fn count(&mut self, number: u32, times: u32);

    /// Counts an occurrence of a term, unless it is empty or too long.
    fn add(&mut self, channel: usize, term: &str) {
        if let Some(number) = self.number_of_fitting(channel, term) {
            self.count(number, 1);
        }
    }

    /// Like [`TermCounter::number`], but also `None` for terms that are empty or too long.
    fn number_of_fitting(&mut self, channel: usize, term: &str) -> Option<u32> {
        if term.is_empty() || term.len() > MAX_LENGTH { None } else { self.number(channel, term) }
    }

    /// Counts the words of a text as terms.
    fn add_words(&mut self, channel: usize, content: &str) {
        let content = text::normalise(content);
        for (start, end) in text::words(&content) {
            self.add(channel, &content[start..end]);
        }
    }
}

/// Counts the terms of a page, except for those in the text of its blocks.
pub(super) fn collect(doc: &Document, url: Option<&str>, counter: &mut impl TermCounter) {
    if let Some(url) = url {
        add_url(url, counter);
    }
    counter.add_words(at::TITLE_WORD, &doc.title());
    Collector::new(doc, counter).elements();
}

fn add_url(url: &str, counter: &mut impl TermCounter) {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let end = rest.find(['?', '#']).unwrap_or(rest.len());
    let mut parts = rest[..end].split('/');
    let host = parts.next().unwrap_or_default();
    // remove the top-level domain
    counter.add_words(at::HOST_WORD, host.rsplit_once('.').map_or(host, |(names, _)| names));
    let parts: Vec<&str> = parts.filter(|p| !p.is_empty()).collect();
    for (i, part) in parts.iter().enumerate() {
        counter.add_words(at::URL_WORD, part);
        if i == 0 && parts.len() > 1 {
            counter.add_words(at::URL_FIRST, part);
        }
    }
}

/// Writes the normalised form of `content` to the reused buffer `out`.
fn normalise_into(out: &mut String, content: &str) {
    out.clear();
    if content.is_ascii() {
        out.push_str(content);
        out.make_ascii_lowercase();
    } else {
        out.push_str(&text::normalise(content));
    }
}
