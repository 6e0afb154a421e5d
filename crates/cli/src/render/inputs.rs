//! The pages that `threshr render` draws, one after the other.

use crate::guard::Guard;
use crate::predict::warn_of_left_out;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use threshr_core::policy::Policy;
use threshr_core::{Error, Result};
use threshr_crawl::LoadedPage;
use threshr_html::{ParseOptions, plain_html};
use threshr_io::gold::{DataSet, Gold, GoldPage, ReadOptions};
use threshr_io::names::FreeNames;
use threshr_io::readers::{Fields, Pages, Source};
use threshr_io::{Item, Sources, sources};

/// Most bytes of a page, as in `predict`.
const MAX_PAGE: u64 = 16 << 20;

/// The address that an argument is, if it is one.
pub(super) fn address(argument: &Path) -> Option<&str> {
    let text = argument.to_str()?;
    let has = |scheme: &str| text.get(..scheme.len()).is_some_and(|s| s.eq_ignore_ascii_case(scheme));
    (has("http://") || has("https://")).then_some(text)
}

/// A page to draw.
pub(super) struct Page {
    /// Its place in the order of all pages.
    pub number: usize,
    /// Its id.
    pub id: String,
    /// Its file in the folder of drawn pages.
    pub file: String,
    body: Body,
}

enum Body {
    Address(String),
    Gold(Box<GoldPage>),
    Raw(Box<LoadedPage>),
    Unread(String),
}

/// The HTML of a page, or its address.
pub(super) enum Html {
    Address(String),
    Page { html: String, address: Option<String> },
}

impl Html {
    /// What tells a page from others, and from other states of it: its address, or the hash of its HTML and of the address to
    /// which its links are relative.
    pub(super) fn source(&self) -> String {
        match self {
            Html::Address(address) => address.clone(),
            Html::Page { html, address } => {
                let mut hash = Sha256::new();
                hash.update(address.as_deref().unwrap_or_default());
                hash.update("\n");
                hash.update(html);
                format!("sha256:{}", threshr_core::hex(&hash.finalize()))
            }
        }
    }

    /// Its address, if it is known.
    pub(super) fn address(&self) -> Option<String> {
        match self {
            Html::Address(address) => Some(address.clone()),
            Html::Page { address, .. } => address.clone(),
        }
    }

    pub(super) fn input(&self) -> threshr_browser::Input<'_> {
        match self {
            Html::Address(address) => threshr_browser::Input::Address(address),
            Html::Page { html, address } => {
                threshr_browser::Input::Page { html, address: address.as_deref() }
            }
        }
    }
}

impl Page {
    /// What is drawn: the page in UTF-8, without a wrapper.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(super) fn html(&self) -> Result<Html> {
        let (bytes, charset, address) = match &self.body {
            Body::Address(address) => return Ok(Html::Address(address.clone())),
            Body::Gold(page) => {
                let bytes = page.load().map_err(|e| page.placed(e))?;
                if bytes.len() as u64 > MAX_PAGE {
                    return Err(Error::data("the page is too large").expected("at most 16 MB"));
                }
                (Cow::Owned(bytes), page.charset.clone(), page.url.clone())
            }
            Body::Raw(raw) => (Cow::Borrowed(&raw.bytes[..]), raw.charset.clone(), raw.url.clone()),
            Body::Unread(why) => return Err(Error::data(why)),
        };
        if let Some(kind) = threshr_html::other_kind(&bytes) {
            return Err(Error::new(threshr_core::ErrorKind::NotHtml, format!("the page is {kind}")));
        }
        let options = ParseOptions { charset, ..ParseOptions::default() };
        let html = plain_html(&bytes, &options);
        // the address that the page states
        let address = address.or_else(|| threshr_html::parse(&bytes, &options).url());
        Ok(Html::Page { html, address })
    }

    /// What is wrong with it although it could be read.
    pub(super) fn defect(&self) -> Option<String> {
        match &self.body {
            Body::Raw(raw) => raw.defect.as_ref().map(Error::with_causes),
            Body::Address(_) | Body::Gold(_) | Body::Unread(_) => None,
        }
    }

    /// What its set says of it.
    pub(super) fn list_line(&self) -> GoldPage {
        match &self.body {
            Body::Gold(page) => (**page).clone(),
            Body::Address(address) => GoldPage { url: Some(address.clone()), ..self.bare() },
            Body::Raw(raw) => GoldPage { url: raw.url.clone(), ..self.bare() },
            Body::Unread(_) => self.bare(),
        }
    }

    fn bare(&self) -> GoldPage {
        GoldPage::in_file(self.id.clone(), &self.file)
    }
}

/// Forms of sets whose labels are comments. Any page of the web may have such comments, and a drawn page keeps them, so a
/// folder of such pages is a folder of pages.
const COMMENTS: [&str; 2] = ["googleoff", "markers"];

/// Whether a folder is an annotated set, and not a folder of pages.
fn is_set(folder: &Path) -> bool {
    DataSet::form_at(folder).is_some_and(|form| !COMMENTS.contains(&form))
}

/// A part of the inputs.
enum Part {
    Addresses(VecDeque<String>),
    Set(VecDeque<GoldPage>),
    Source(Source, Option<Box<dyn Pages>>),
}

/// All pages, in the order of the inputs.
pub(super) struct Inputs {
    parts: VecDeque<Part>,
    /// Errors of inputs that cannot be used.
    pub failures: Vec<Error>,
    policy: Option<Policy>,
    num: usize,
    next: usize,
    names: FreeNames,
}

impl Inputs {
    /// Finds the inputs. A folder that is an annotated set gives its pages with their gold.
    ///
    /// # Errors
    /// If a set is damaged or has its labels in its pages, or two sets have different policies.
    pub(super) fn open(arguments: &[PathBuf], guard: &mut Guard) -> Result<Self> {
        let mut inputs = Inputs {
            parts: VecDeque::new(),
            failures: Vec::new(),
            policy: None,
            num: 0,
            next: 0,
            names: FreeNames::default(),
        };
        let mut policies: Vec<Option<Policy>> = Vec::new();
        for argument in arguments {
            if let Some(address) = address(argument) {
                inputs.parts.push_back(Part::Addresses(VecDeque::from([address.to_owned()])));
                inputs.num += 1;
            } else if argument.is_dir() && is_set(argument) {
                let set = DataSet::open(argument, &ReadOptions::default())?;
                if set.pages.iter().any(|page| matches!(page.gold, Some(Gold::InPage(_)))) {
                    return Err(Error::data(format!(
                        "the set has its labels in its pages (form `{}`)",
                        set.format
                    ))
                    .expected("the set as `threshr data convert` writes it")
                    .at_path(argument));
                }
                guard.reads_sets(std::slice::from_ref(&set));
                policies.push(set.policy);
                inputs.num += set.pages.len();
                inputs.parts.push_back(Part::Set(set.pages.into()));
            } else {
                let Sources { sources, failures, left_out, folders, skipped } =
                    sources(std::slice::from_ref(argument), None)?;
                warn_of_left_out(&left_out, &skipped);
                sources.iter().for_each(|source| guard.reads(&source.path));
                folders.iter().for_each(|folder| guard.reads(folder));
                inputs.failures.extend(failures);
                inputs.num += sources.len();
                inputs.parts.extend(sources.into_iter().map(|source| Part::Source(source, None)));
            }
        }
        if let Some((first, rest)) = policies.split_first() {
            if rest.iter().any(|policy| policy.map(|p| p.name()) != first.map(|p| p.name())) {
                return Err(
                    Error::data("the sets have different policies").expected("one folder for each set")
                );
            }
            inputs.policy = *first;
        }
        Ok(inputs)
    }

    /// The number of pages; `None` if a file of many pages is among the inputs.
    pub(super) fn most_pages(&self) -> Option<usize> {
        let is_page = |source: &Source| matches!(source.reader.name, "html" | "mhtml");
        let is_known = self.parts.iter().all(|part| match part {
            Part::Source(source, _) => is_page(source),
            Part::Addresses(_) | Part::Set(_) => true,
        });
        is_known.then_some(self.num)
    }

    /// The number of pages, as far as it is known: an archive counts as one.
    pub(super) fn num(&self) -> usize {
        self.num
    }

    /// The policy of the annotated sets.
    pub(super) fn policy(&self) -> Option<Policy> {
        self.policy
    }

    /// Leaves out all further pages.
    pub(super) fn end(&mut self) {
        self.parts.clear();
    }

    /// The next page; `None` at the end.
    pub(super) fn next(&mut self) -> Option<Page> {
        loop {
            let (id, body) = match self.parts.front_mut()? {
                Part::Addresses(all) => match all.pop_front() {
                    Some(address) => (short(&address).to_owned(), Body::Address(address)),
                    None => (String::new(), Body::Unread(String::new())),
                },
                Part::Set(pages) => match pages.pop_front() {
                    Some(page) => (page.id.clone(), Body::Gold(Box::new(page))),
                    None => (String::new(), Body::Unread(String::new())),
                },
                Part::Source(source, opened) => match next_raw(source, opened) {
                    Some((id, body)) => (id, body),
                    None => (String::new(), Body::Unread(String::new())),
                },
            };
            if matches!(&body, Body::Unread(why) if why.is_empty()) {
                self.parts.pop_front();
                continue;
            }
            let number = self.next;
            self.next += 1;
            let file = format!("pages/{}.html", self.names.next(&id));
            return Some(Page { number, id, file, body });
        }
    }
}

/// An address without its scheme, for the name of the file.
fn short(address: &str) -> &str {
    address.split_once("://").map_or(address, |(_, rest)| rest).trim_end_matches('/')
}

/// The next page of a source; `None` at its end. Records that are no pages are left out.
fn next_raw(source: &Source, opened: &mut Option<Box<dyn Pages>>) -> Option<(String, Body)> {
    let name = source.path.display().to_string();
    if opened.is_none() {
        match source.open(&Fields::default(), &Default::default()) {
            Ok(pages) => *opened = Some(pages),
            Err(e) => {
                // an input that is at its end
                *opened = Some(Box::new(End));
                return Some((name, Body::Unread(e.with_causes())));
            }
        }
    }
    loop {
        let item = match opened.as_mut()?.next() {
            Ok(item) => item?,
            Err(e) => {
                *opened = Some(Box::new(End));
                return Some((name, Body::Unread(e.with_causes())));
            }
        };
        match item {
            Item::Page(raw) => {
                let page = source.named(raw);
                let id = page.id.clone();
                let body = match LoadedPage::of(page, Some(MAX_PAGE), None) {
                    Ok(page) => Body::Raw(Box::new(page)),
                    Err(e) => Body::Unread(e.with_causes()),
                };
                return Some((id, body));
            }
            Item::Failed(unread) => return Some((unread.id, Body::Unread(unread.error.with_causes()))),
            Item::Skipped(_) => {}
        }
    }
}

/// An input that has ended.
struct End;

impl Pages for End {
    fn next(&mut self) -> Result<Option<Item>> {
        Ok(None)
    }
}
