//! Splits a page into chunks with text densities: lines of the HTML, as published, or blocks.

use threshr_html::blocks::Blocks;

/// A chunk of text and its density.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Chunk {
    /// The text of the chunk without markup.
    pub text: String,
    /// (characters of text + 1) / (characters of markup + characters of text + 1).
    pub density: f64,
    /// Index of the line, or of the block.
    pub index: usize,
}

fn density(text: usize, markup: usize) -> f64 {
    (text as f64 + 1.0) / (markup as f64 + text as f64 + 1.0)
}

/// Returns the lines of a page's HTML that are not empty.
///
/// Markup is everything between `<` and `>` on one line, without these two characters. Therefore, scripts
/// count as text. If a tag spans several lines, its second and later lines also count as text. White space
/// around a line and around its text is not counted.
pub(crate) fn lines(html: &str) -> Vec<Chunk> {
    let mut out = Vec::new();
    let lines = html.split('\n').flat_map(|l| l.strip_suffix('\r').unwrap_or(l).split('\r'));
    for (index, line) in lines.enumerate().map(|(i, l)| (i, trim(l))).filter(|l| !l.1.is_empty()) {
        let (mut inside, mut markup, mut text) = (false, 0, String::new());
        for c in line.chars() {
            match c {
                '<' => inside = true,
                '>' => inside = false,
                _ if inside => markup += 1,
                _ => text.push(c),
            }
        }
        let text = trim(&text).to_owned();
        out.push(Chunk { density: density(text.chars().count(), markup), text, index });
    }
    out
}

/// Returns the blocks of a page as chunks. Markup is the length that
/// [`Block::markup`](threshr_html::blocks::Block::markup) measures.
pub(crate) fn blocks(blocks: &Blocks) -> Vec<Chunk> {
    let chunk = |(index, block): (usize, &threshr_html::blocks::Block)| {
        let text = blocks.text(index).to_owned();
        Chunk { density: density(text.chars().count(), block.markup as usize), text, index }
    };
    blocks.iter().enumerate().map(chunk).collect()
}

/// Trims control characters and spaces at both ends, like Java's `trim`.
fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c <= ' ')
}

/// Keeps chunks with at least `min_chars` characters of text whose density exceeds `base` minus the sample standard
/// deviation. The deviation is computed over all such long chunks of the page.
pub(crate) fn dense(chunks: Vec<Chunk>, min_chars: usize, base: f64) -> Vec<Chunk> {
    let long: Vec<Chunk> = chunks.into_iter().filter(|c| c.text.chars().count() >= min_chars).collect();
    let bound = base - deviation(long.iter().map(|c| c.density));
    long.into_iter().filter(|c| c.density > bound).collect()
}

/// Sample standard deviation; 0 for fewer than two values.
fn deviation(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let n = values.clone().count();
    if n < 2 {
        return 0.0;
    }
    let mean = values.clone().sum::<f64>() / n as f64;
    (values.map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1) as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_measured_as_worked_out_by_hand() {
        let html = "<p>abc</p>\r\n\r\n  <a href='x'>de</a> f <b\nclass=c>g\n <hr> ";
        let found = lines(html);
        // line 0: markup p /p = 3, text 3; line 2: markup "a href='x'" 10, /a 2, b 1 = 13, text "de f " trimmed
        // to 4; line 3 continues the tag but is read as text: class=c and g, without the >; line 4: hr 2, no text
        let expected =
            [("abc", 4.0 / 7.0, 0), ("de f", 5.0 / 18.0, 2), ("class=cg", 1.0, 3), ("", 1.0 / 3.0, 4)];
        let found: Vec<_> = found.iter().map(|c| (c.text.as_str(), c.density, c.index)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn sparse_lines_are_dropped() {
        let chunk = |density: f64, length: usize| Chunk { text: "x".repeat(length), density, index: 0 };
        // the chunk of 59 characters is too short; mean 0.6, deviation sqrt((0.16 + 0.04 + 0.04) / 2) = 0.346, so
        // densities above 0.154 are kept
        let chunks = vec![chunk(0.2, 60), chunk(0.8, 60), chunk(0.8, 99), chunk(0.9, 59)];
        assert_eq!(dense(chunks.clone(), 60, 0.5).len(), 3);
        // mean 0.45, deviation sqrt((0.1225 + 3 · 0.01361) / 3) = 0.233, so densities above 0.267 are kept
        let sparse = [0.1, 0.5667, 0.5667, 0.5667].map(|d| chunk(d, 70));
        assert_eq!(dense(sparse.to_vec(), 60, 0.5).len(), 3);
        // a single chunk has deviation 0, and its density must exceed `base`
        assert!(dense(vec![chunk(0.5, 60)], 60, 0.5).is_empty());
        assert!(dense(Vec::new(), 60, 0.5).is_empty());
    }
}
