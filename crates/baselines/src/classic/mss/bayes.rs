//! The token classifier of MSS: naive Bayes probabilities that tokens are content.

use crate::classic::mss::Settings;
use crate::shared::ngrams::{Counter, NgramData, Ngrams, ROOT};
use crate::shared::stream::Token;
use crate::shared::vocabulary::Vocabulary;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use threshr_core::{Error, Result};
use threshr_html::blocks::Blocks;
use threshr_html::text;
use threshr_html::{Document, Tag};
use threshr_models::packed;

/// Maximum length of an n-gram feature: a token and the two tokens after it.
const ORDER: usize = 3;

/// Number of tokens inside the content, and total number of tokens.
type Counts = [u32; 2];

/// Naive Bayes over two features of a token: the trigram that starts at the token, and the element around the
/// token.
///
/// P(in | both) is proportional to P(in | trigram) P(in | element) / P(in). Each probability P(in | n-gram) is
/// smoothed by the probability of the n-gram's prefix: (n_in + s P(in | prefix)) / (n + s). The empty prefix has
/// the probability P(in). An unseen trigram has the probability of its longest known prefix.
#[derive(Debug)]
pub(crate) struct Bayes {
    vocabulary: Vocabulary,
    ngrams: Ngrams,
    inside: Vec<u32>,
    tags: BTreeMap<String, Counts>,
    total: Counts,
    strength: f64,
}

/// The serialised classifier.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BayesData {
    /// The tokens in the order of their ids. Tags have angle brackets.
    vocabulary: Vec<String>,
    ngrams: NgramData,
    /// For each n-gram, the number of occurrences whose first token is inside the content.
    #[serde(with = "packed")]
    inside: Vec<u32>,
    /// Counts by element name.
    tags: BTreeMap<String, Counts>,
    total: Counts,
}

/// A training page: the vocabulary id and the class of each token.
#[derive(Debug)]
struct Page {
    symbols: Vec<u32>,
    is_inside: Vec<bool>,
}

/// Collects training pages.
#[derive(Debug, Default)]
pub(crate) struct Trainer {
    vocabulary: Vocabulary,
    pages: Vec<Page>,
    tags: BTreeMap<String, Counts>,
    total: Counts,
}

impl Trainer {
    /// Adds a page. `labels` states which blocks are content. A tag is inside the content if the words before
    /// and after the tag are.
    pub(super) fn add(&mut self, doc: &Document, blocks: &Blocks, tokens: &[Token], labels: &[bool]) {
        let is_inside = classes(tokens, labels);
        let count = |counts: &mut Counts, inside: bool| {
            counts[0] += u32::from(inside);
            counts[1] += 1;
        };
        for (tag, &inside) in elements(tokens).zip(&is_inside) {
            count(self.tags.entry(doc.tag_name(tag).to_owned()).or_default(), inside);
            count(&mut self.total, inside);
        }
        let symbols = tokens.iter().map(|t| self.vocabulary.learn(&written(doc, blocks, t))).collect();
        self.pages.push(Page { symbols, is_inside });
    }

    /// Trains the classifier on the pages that were added.
    ///
    /// # Errors
    /// If all tokens have the same class.
    pub(super) fn fit(mut self, settings: &Settings) -> Result<Bayes> {
        if self.total[0] == 0 || self.total[0] == self.total[1] {
            return Err(Error::data("all tokens of the training pages have the same class")
                .expected("pages with content and boilerplate"));
        }
        let (vocabulary, new) = self.vocabulary.frequent(settings.min_count);
        let unknown = vocabulary.len() as u32;
        for symbol in self.pages.iter_mut().flat_map(|p| &mut p.symbols) {
            *symbol = new[*symbol as usize].unwrap_or(unknown);
        }
        let mut all = Counter::new(ORDER);
        self.pages.iter().for_each(|page| all.add(&page.symbols));
        let least = Counter::least_of(&[&all], settings.min_count, settings.max_ngrams);
        let ngrams = all.freeze(least);
        let inside = self.count_inside(&ngrams);
        let Trainer { tags, total, .. } = self;
        Ok(Bayes { vocabulary, ngrams, inside, tags, total, strength: settings.strength })
    }

    /// Counts how often each n-gram begins inside the content. The result is limited to the n-gram's count, because
    /// lossy counting may have missed occurrences.
    fn count_inside(&self, ngrams: &Ngrams) -> Vec<u32> {
        let mut inside = vec![0u32; ngrams.len()];
        for page in &self.pages {
            for start in (0..page.symbols.len()).filter(|&start| page.is_inside[start]) {
                let mut node = ROOT;
                for &symbol in page.symbols[start..].iter().take(ORDER) {
                    let Some(longer) = ngrams.child(node, symbol) else { break };
                    node = longer;
                    let count = &mut inside[node as usize - 1];
                    *count = ngrams.count(node).min(*count + 1);
                }
            }
        }
        inside
    }
}

impl Bayes {
    /// Loads the output of [`Bayes::data`].
    ///
    /// # Errors
    /// If lists have different lengths, or counts are inconsistent.
    pub(super) fn load(data: BayesData, strength: f64) -> Result<Self> {
        let ngrams = Ngrams::load(data.ngrams, ORDER as u32)?;
        let sound = |c: &Counts| c[0] <= c[1];
        let fits = data.inside.len() == ngrams.len()
            && (1u32..).zip(&data.inside).all(|(node, &n)| n <= ngrams.count(node));
        if !fits || !data.tags.values().all(sound) || data.total[0] == 0 || data.total[0] >= data.total[1] {
            return Err(Error::model("the counts of the token classifier are inconsistent"));
        }
        let vocabulary = Vocabulary::load(&data.vocabulary)?;
        Ok(Bayes { vocabulary, ngrams, inside: data.inside, tags: data.tags, total: data.total, strength })
    }

    /// Returns the data to save.
    pub(super) fn data(&self) -> BayesData {
        BayesData {
            vocabulary: self.vocabulary.words(),
            ngrams: self.ngrams.data().clone(),
            inside: self.inside.clone(),
            tags: self.tags.clone(),
            total: self.total,
        }
    }

    /// Returns the number of tokens and the number of n-grams.
    pub(super) fn size(&self) -> (usize, usize) {
        (self.vocabulary.len(), self.ngrams.len())
    }

    /// Returns, for each token, the probability that it is content, minus 1/2.
    pub(super) fn scores(&self, doc: &Document, blocks: &Blocks, tokens: &[Token]) -> Vec<f32> {
        let symbols: Vec<Option<u32>> =
            tokens.iter().map(|t| self.vocabulary.get(&written(doc, blocks, t))).collect();
        let unknown = self.vocabulary.len() as u32;
        let symbols: Vec<u32> = symbols.into_iter().map(|s| s.unwrap_or(unknown)).collect();
        let prior = share(self.total, 0.0, 0.0);
        let of_tag = |tag: Tag| {
            let counts = self.tags.get(doc.tag_name(tag)).copied().unwrap_or_default();
            log_odds(share(counts, prior, self.strength)) - log_odds(prior)
        };
        elements(tokens)
            .enumerate()
            .map(|(i, tag)| {
                let sum = log_odds(self.by_ngram(&symbols[i..], prior)) + of_tag(tag);
                (1.0 / (1.0 + (-sum).exp()) - 0.5) as f32
            })
            .collect()
    }

    /// Returns P(in | n-gram) for the longest known n-gram at the start of `symbols`.
    fn by_ngram(&self, symbols: &[u32], prior: f64) -> f64 {
        let (mut node, mut chance) = (ROOT, prior);
        for &symbol in symbols.iter().take(ORDER) {
            let Some(next) = self.ngrams.child(node, symbol) else { break };
            node = next;
            let counts = [self.inside[node as usize - 1], self.ngrams.count(node)];
            chance = share(counts, chance, self.strength);
        }
        chance
    }
}

/// Returns the share of tokens inside the content, smoothed by `strength` pseudo-observations with the share
/// `prior`.
fn share(counts: Counts, prior: f64, strength: f64) -> f64 {
    let (inside, all) = (f64::from(counts[0]), f64::from(counts[1]));
    if all + strength == 0.0 { prior } else { (inside + strength * prior) / (all + strength) }
}

/// Returns the log odds of a probability, clamped so that no single feature is decisive.
fn log_odds(chance: f64) -> f64 {
    let chance = chance.clamp(1e-6, 1.0 - 1e-6);
    (chance / (1.0 - chance)).ln()
}

/// Returns whether each token is inside the content: a word if its block is content, a tag if the words before and
/// after it are.
fn classes(tokens: &[Token], labels: &[bool]) -> Vec<bool> {
    let of_word = |t: &Token| match t {
        Token::Word { block, .. } => Some(labels[*block as usize]),
        _ => None,
    };
    let mut out = Vec::with_capacity(tokens.len());
    let mut before = false;
    for token in tokens {
        before = of_word(token).unwrap_or(before);
        out.push(before);
    }
    let mut after = false;
    for (token, inside) in tokens.iter().zip(&mut out).rev() {
        after = of_word(token).unwrap_or(after);
        *inside &= after;
    }
    out
}

/// Returns the element around each token. For a tag, this is the parent of the tag's element.
fn elements(tokens: &[Token]) -> impl Iterator<Item = Tag> + '_ {
    let mut open = vec![Tag::HTML];
    let innermost = |open: &[Tag]| open.last().copied().unwrap_or(Tag::HTML);
    tokens.iter().map(move |token| match token {
        Token::Word { inside, .. } => *inside,
        Token::Open(tag) => {
            let around = innermost(&open);
            open.extend((!tag.is_void()).then_some(*tag));
            around
        }
        Token::Close(_) => {
            open.pop();
            innermost(&open)
        }
    })
}

/// Returns the vocabulary string of a token: words are normalised, all numbers share one string, and tags have
/// angle brackets.
fn written<'a>(doc: &Document, blocks: &'a Blocks, token: &Token) -> Cow<'a, str> {
    match token {
        Token::Open(tag) => format!("<{}>", doc.tag_name(*tag)).into(),
        Token::Close(tag) => format!("</{}>", doc.tag_name(*tag)).into(),
        Token::Word { text: range, .. } => {
            let word = blocks.slice(range);
            if word.chars().all(char::is_numeric) { "1".into() } else { text::normalise(word) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::stream::tokens;
    use threshr_html::blocks as block;
    use threshr_html::{Visibility, parse_str};

    fn page(html: &str) -> (Document, Blocks) {
        let doc = parse_str(html);
        let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
        (doc, blocks)
    }

    fn trained(html: &str, labels: &[bool]) -> Bayes {
        let (doc, blocks) = page(html);
        let mut trainer = Trainer::default();
        trainer.add(&doc, &blocks, &tokens(&doc, &blocks), labels);
        trainer.fit(&Settings { min_count: 1, max_ngrams: 1000, strength: 1.0 }).expect("trained")
    }

    #[test]
    fn chances_are_those_worked_out_by_hand() {
        // tokens: <html> <body> <p> in in </p> <p> out </p> </body> </html>; only the two words are inside,
        // because the next word after the </p> is outside; P(in) = 2/11
        let bayes = trained("<p>in in<p>out", &[true, false]);
        assert_eq!(bayes.total, [2, 11]);
        let (doc, blocks) = page("<p>in in<p>out");
        let scores = bayes.scores(&doc, &blocks, &tokens(&doc, &blocks));
        // first `in`: seen twice, both times inside: (2 + 2/11)/3 = 8/11; `in in`: (1 + 8/11)/2 = 19/22;
        // `in in </p>`: (1 + 19/22)/2 = 41/44, odds 41/3. Element <p>: 3 tokens, 2 inside: (2 + 2/11)/4 = 6/11, odds
        // 6/5. P(in) has the odds 2/9. Together: 41/3 · 6/5 · 9/2 = 73.8
        assert!((f64::from(scores[3]) - (73.8 / 74.8 - 0.5)).abs() < 1e-6, "{scores:?}");
        // `out`, `out </p>` and `out </p> </body>` are each seen once, outside: 2/11 / 2 / 2 / 2 = 1/44
        let odds = 1.0 / 43.0 * 6.0 / 5.0 * 9.0 / 2.0;
        assert!((f64::from(scores[7]) - (odds / (odds + 1.0) - 0.5)).abs() < 1e-6, "{scores:?}");
    }

    #[test]
    fn tags_between_words_inside_are_inside() {
        let (doc, blocks) = page("<p>a<p>b<p>c");
        let tokens = tokens(&doc, &blocks);
        let inside = classes(&tokens, &[true, true, false]);
        // <html> <body> <p> a </p> <p> b </p> <p> c </p> </body> </html>
        let expected = [3, 4, 5, 6];
        assert!((0..tokens.len()).all(|i| inside[i] == expected.contains(&i)), "{inside:?}");
    }

    #[test]
    fn saved_counts_are_checked() {
        let bayes = trained("<p>in in<p>out", &[true, false]);
        let json = || serde_json::to_value(bayes.data()).unwrap();
        let load = |v: serde_json::Value| Bayes::load(serde_json::from_value(v).unwrap(), 1.0);
        assert!(load(json()).is_ok());
        for (key, bad) in [
            ("inside", serde_json::json!("AAAA")),
            ("total", serde_json::json!([3, 2])),
            ("tags", serde_json::json!({"p": [2, 1]})),
            ("vocabulary", serde_json::json!(["a", "a"])),
        ] {
            let mut damaged = json();
            damaged[key] = bad;
            let read = serde_json::from_value::<BayesData>(damaged);
            assert!(read.is_err() || Bayes::load(read.unwrap(), 1.0).is_err(), "{key}");
        }
    }
}
