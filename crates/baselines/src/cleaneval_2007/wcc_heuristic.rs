//! WCC's heuristic: long lines are paragraphs, and a short line before a paragraph is its heading.

use serde::Deserialize;
use threshr_extract::baseline::{How, Method, System, SystemInput, SystemOption, option};
use threshr_html::blocks::ParagraphClass;

/// A heuristic over lines of text.
///
/// Lines end at block ends and at `<br>`. A line of more than 3 characters is a paragraph if it has more than
/// 10 words and their mean length is above 3 characters. Otherwise, the line becomes the candidate heading.
/// The candidate is kept if a paragraph follows within fewer than 3 lines. A block is kept if half of its
/// characters lie in kept lines. It is a heading if most of these characters are in a heading.
pub(crate) static SYSTEM: System = System {
    name: "wcc-heuristic",
    summary: "keeps lines of many words, and the short line before them as a heading",
    source: "Hofmann & Weerkamp, CleanEval 2007",
    options: &[
        SystemOption::new("min_chars", "3", "a line must have more characters"),
        SystemOption::new("min_words", "10", "a paragraph must have more words"),
        SystemOption::new(
            "min_word_chars",
            "3",
            "the mean word length of a paragraph, in characters, must be greater",
        ),
        SystemOption::new(
            "max_lines",
            "3",
            "a paragraph must follow its heading within fewer lines than this",
        ),
    ],
    ..System::new(How::Plain(|settings| Ok(Box::new(option::read::<Heuristic>(settings)?))))
};

#[derive(Debug, Deserialize)]
struct Heuristic {
    min_chars: usize,
    min_words: usize,
    min_word_chars: f64,
    max_lines: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    Nothing,
    Paragraph,
    Heading,
}

impl Heuristic {
    fn is_paragraph(&self, line: &str) -> bool {
        let (mut num_words, mut num_chars) = (0, 0);
        for word in line.split_whitespace() {
            num_words += 1;
            num_chars += word.chars().count();
        }
        num_words > self.min_words
            && num_chars as f64 / f64::from(num_words.max(1) as u32) > self.min_word_chars
    }

    fn classify<'a>(&self, lines: impl Iterator<Item = &'a str>) -> Vec<Line> {
        let mut out = Vec::new();
        let mut title: Option<usize> = None;
        for (i, line) in lines.enumerate() {
            out.push(Line::Nothing);
            if line.chars().count() <= self.min_chars {
                continue;
            }
            if !self.is_paragraph(line) {
                title = Some(i);
                continue;
            }
            if let Some(at) = title.take().filter(|at| i - at < self.max_lines) {
                out[at] = Line::Heading;
            }
            out[i] = Line::Paragraph;
        }
        out
    }

    /// Returns the class of each block. A block is kept if at least half of its characters are in kept lines; the
    /// more frequent class in characters is its class.
    fn blocks(&self, page: &SystemInput<'_>) -> Vec<Line> {
        let lines_of = |i: usize| page.blocks.text(i).split('\n');
        let mut lines = self.classify((0..page.blocks.len()).flat_map(lines_of)).into_iter();
        let class = |i: usize| {
            let mut counts = [0; 3];
            for line in lines_of(i) {
                let class = lines.next().unwrap_or(Line::Nothing);
                counts[class as usize] += line.chars().count();
            }
            let [nothing, paragraph, heading] = counts;
            match (paragraph + heading >= nothing && paragraph + heading > 0, heading > paragraph) {
                (false, _) => Line::Nothing,
                (true, false) => Line::Paragraph,
                (true, true) => Line::Heading,
            }
        };
        (0..page.blocks.len()).map(class).collect()
    }
}

impl Method for Heuristic {
    fn keep(&self, page: &SystemInput<'_>) -> Vec<bool> {
        self.blocks(page).into_iter().map(|b| b != Line::Nothing).collect()
    }
    fn classes(&self, page: &SystemInput<'_>) -> Option<Vec<ParagraphClass>> {
        let class = |b| if b == Line::Heading { ParagraphClass::Heading } else { ParagraphClass::Paragraph };
        Some(self.blocks(page).into_iter().map(class).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Line::{Heading, Nothing, Paragraph};

    const HEURISTIC: Heuristic = Heuristic { min_chars: 3, min_words: 10, min_word_chars: 3.0, max_lines: 3 };

    fn lines(lines: &[&str]) -> Vec<Line> {
        HEURISTIC.classify(lines.iter().copied())
    }

    #[test]
    fn long_lines_and_the_short_one_before() {
        let long = ["word"; 11].join(" ");
        // 11 words of 4 characters are a paragraph; 10 words are too few; 11 words of 3 characters have a
        // mean of 3, which is not above 3
        assert_eq!(lines(&[&long]), [Paragraph]);
        assert_eq!(lines(&[&["word"; 10].join(" "), &["wor"; 11].join(" ")]), [Nothing; 2]);
        // the last candidate heading counts; the paragraph may be at most two lines after the candidate, and
        // lines of 3 characters are also counted
        assert_eq!(lines(&["Home", "Title", &long, &long]), [Nothing, Heading, Paragraph, Paragraph]);
        assert_eq!(lines(&["Title", "abc", &long]), [Heading, Nothing, Paragraph]);
        assert_eq!(lines(&["Title", "abc", "-", &long]), [Nothing, Nothing, Nothing, Paragraph]);
    }
}
