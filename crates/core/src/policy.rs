//! Content policies: which kinds of text count as content.
//!
//! Annotated sets disagree about readers' comments, headlines, captions and lists of teasers. A [`Policy`]
//! states for each of these [`PROPERTIES`] whether the text is content. Every annotated set declares the
//! policy of its annotations for training. Users choose the policy for predictions. [`NAMED`] lists the named
//! policies.
//!
//! # How to add a property
//!
//! 1. Add it to [`PROPERTIES`], with its own bit. Models refer to columns by name, so the order is free.
//! 2. State it in the named policies, and in the recipes of `models/`.
//! 3. Add it to `docs/guide/policies.md`. If a recipe sets it, change the table of `datasets/README.md`.

use crate::{Error, Result};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A kind of text that is content under some policies only.
#[derive(Debug)]
pub struct Property {
    /// The name of the property.
    pub name: &'static str,
    /// The definition of the property.
    pub definition: &'static str,
    /// Whether models can learn the property from a policy column. All other properties are implemented by
    /// filters only.
    pub is_learned: bool,
    bit: u16,
}

/// All properties. Those that models learn are in the order of the policy columns.
pub static PROPERTIES: &[Property] = &[
    Property { name: "title", definition: "the headline of the page", bit: 1, is_learned: true },
    Property { name: "headings", definition: "headings inside the main content", bit: 2, is_learned: true },
    Property {
        name: "byline",
        definition: "author, date and place around the headline",
        bit: 4,
        is_learned: true,
    },
    Property { name: "captions", definition: "captions of images", bit: 8, is_learned: true },
    Property {
        name: "comments",
        definition: "readers' comments below an article",
        bit: 16,
        is_learned: true,
    },
    Property {
        name: "posts",
        definition: "posts of a thread, if the thread is the purpose of the page",
        bit: 128,
        is_learned: true,
    },
    Property {
        name: "items",
        definition: "entries of a listing, products, cards, if they are the purpose of the page",
        bit: 32,
        is_learned: true,
    },
    Property {
        name: "teasers",
        definition: "headlines and first lines of other pages, outside the main content",
        bit: 256,
        is_learned: true,
    },
    Property {
        name: "fragments",
        definition: "labels, prices, lines of links and other short pieces of text inside the main content",
        bit: 64,
        is_learned: true,
    },
    Property {
        name: "extras",
        definition: "standfirst, key points and closing credits of an article",
        bit: 512,
        is_learned: false,
    },
    Property {
        name: "quotes",
        definition: "quotations of another post of the same thread",
        bit: 1024,
        is_learned: false,
    },
];

/// A policy with a name.
#[derive(Debug)]
pub struct Named {
    /// The name of the policy.
    pub name: &'static str,
    /// One line for help texts and tables.
    pub summary: &'static str,
    /// The properties that count as content.
    pub properties: &'static [&'static str],
}

/// Indices in [`NAMED`].
const MAIN: u8 = 0;
const ARTICLE: u8 = 1;
/// Properties for text that readers write. The filter `comments` is active only if a policy excludes all of
/// these properties.
pub const READERS: &[&str] = &["comments", "posts", "items"];

/// The named policies; the first is the default.
pub static NAMED: &[Named] = &[
    Named {
        name: "main",
        summary: "the main content of any type of page: article text, posts, entries, products",
        properties: &["headings", "posts", "items", "fragments", "extras"],
    },
    Named {
        name: "article",
        summary: "the running text of an article with its headings, standfirst, key points and closing credits",
        properties: &["headings", "extras"],
    },
    Named {
        name: "full",
        summary: "everything that was written for this page: main with headline, byline, captions and \
                  comments",
        properties: &[
            "title",
            "headings",
            "byline",
            "captions",
            "comments",
            "posts",
            "items",
            "fragments",
            "extras",
            "quotes",
        ],
    },
];

/// A content policy: a named policy with overrides of single [`PROPERTIES`].
///
/// ```
/// use threshr_core::policy::{Policy, property};
///
/// let policy = Policy::parse("article+title")?;
/// assert!(policy.has(property("title")?) && !policy.has(property("comments")?));
/// assert_eq!(policy.with(property("captions")?, true).name(), "article+title+captions");
/// # Ok::<(), threshr_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Policy {
    /// Index in [`NAMED`].
    named: u8,
    /// Bits of the properties that count as content.
    bits: u16,
}

impl Default for Policy {
    /// The first of [`NAMED`].
    fn default() -> Self {
        Self::at(MAIN)
    }
}

fn bits(names: &[&str]) -> u16 {
    PROPERTIES.iter().filter(|p| names.contains(&p.name)).map(|p| p.bit).sum()
}

impl Policy {
    fn at(named: u8) -> Self {
        let properties = NAMED.get(usize::from(named)).map_or(&[][..], |n| n.properties);
        Policy { named, bits: bits(properties) }
    }

    /// Returns whether a property counts as content.
    pub fn has(self, property: &Property) -> bool {
        self.bits & property.bit != 0
    }

    /// Returns whether the policy overrides a property of its named policy.
    pub fn switches(self, property: &Property) -> bool {
        self.overridden() & property.bit != 0
    }

    fn overridden(self) -> u16 {
        bits(self.base().properties) ^ self.bits
    }

    fn base(self) -> &'static Named {
        NAMED.get(usize::from(self.named)).unwrap_or(&NAMED[0])
    }

    /// The policy with `property` switched on or off.
    #[must_use]
    pub fn with(self, property: &Property, on: bool) -> Self {
        let bits = if on { self.bits | property.bit } else { self.bits & !property.bit };
        Policy { bits, ..self }
    }

    /// Parses a name with overrides: `article`, `main+comments`, `full-title-byline`.
    ///
    /// # Errors
    /// If the policy or a property is unknown.
    pub fn parse(text: &str) -> Result<Self> {
        let (name, overrides) = name_and_overrides(text)?;
        Self::named(name, &[]).map(|policy| overrides.applied(policy))
    }

    /// Finds the policy `name`. The error also lists the names in `others`.
    fn named(name: &str, others: &[&str]) -> Result<Self> {
        (0..).zip(NAMED).find(|(_, n)| n.name == name).map(|(named, _)| Self::at(named)).ok_or_else(|| {
            let names: Vec<_> = others.iter().copied().chain(NAMED.iter().map(|n| n.name)).collect();
            Error::invalid_option(format!("there is no policy `{name}`"))
                .expected(format!("{}, with overrides such as +comments or -title", names.join(", ")))
        })
    }

    /// Returns the name with its overrides, in the syntax of [`Policy::parse`].
    pub fn name(self) -> String {
        let off = self.overridden() & !self.bits;
        self.base().name.to_owned() + &Overrides { on: self.overridden() & self.bits, off }.name()
    }
}

/// Splits `text` into a name and the overrides after it.
fn name_and_overrides(text: &str) -> Result<(&str, Overrides)> {
    let end = |s: &str| s.find(['+', '-']).unwrap_or(s.len());
    let (name, mut rest) = text.split_at(end(text));
    let mut overrides = Overrides::default();
    while let Some(sign) = rest.chars().next() {
        let after = &rest[1..];
        overrides = overrides.with(property(after[..end(after)].trim())?, sign == '+');
        rest = &after[end(after)..];
    }
    Ok((name.trim(), overrides))
}

/// Properties that are included or excluded, whatever the named policy is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Overrides {
    on: u16,
    off: u16,
}

impl Overrides {
    fn with(self, property: &Property, on: bool) -> Self {
        let bit = property.bit;
        match on {
            true => Overrides { on: self.on | bit, off: self.off & !bit },
            false => Overrides { on: self.on & !bit, off: self.off | bit },
        }
    }

    fn applied(self, policy: Policy) -> Policy {
        Policy { bits: policy.bits & !self.off | self.on, ..policy }
    }

    fn name(self) -> String {
        let sign = |p: &&Property| [('+', self.on), ('-', self.off)].into_iter().find(|s| s.1 & p.bit != 0);
        PROPERTIES.iter().filter_map(|p| Some(format!("{}{}", sign(&p)?.0, p.name))).collect()
    }
}

/// The policy of each page: one policy for all pages, or a policy that depends on the page type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PolicyChoice {
    /// The same policy for all pages.
    Always(Policy),
    /// `main` with overrides. If the overrides exclude comments, the policy of pages of running text is
    /// `article`, because on such pages the readers' text follows a line such as `5 comments`.
    ByPage(Overrides),
}

impl PolicyChoice {
    /// The name of [`PolicyChoice::ByPage`].
    pub const BY_PAGE: &str = "auto";

    /// Parses `auto` with overrides, or a policy in the syntax of [`Policy::parse`].
    ///
    /// # Errors
    /// Returns the errors of [`Policy::parse`].
    pub fn parse(text: &str) -> Result<Self> {
        let (name, overrides) = name_and_overrides(text)?;
        match name {
            Self::BY_PAGE => Ok(Self::ByPage(overrides)),
            _ => Policy::named(name, &[Self::BY_PAGE]).map(|policy| Self::Always(overrides.applied(policy))),
        }
    }

    /// Returns the name with its overrides, in the syntax of [`PolicyChoice::parse`].
    pub fn name(self) -> String {
        match self {
            Self::Always(policy) => policy.name(),
            Self::ByPage(overrides) => format!("{}{}", Self::BY_PAGE, overrides.name()),
        }
    }

    /// The choice with `property` switched on or off.
    #[must_use]
    pub fn with(self, property: &Property, on: bool) -> Self {
        match self {
            Self::Always(policy) => Self::Always(policy.with(property, on)),
            Self::ByPage(overrides) => Self::ByPage(overrides.with(property, on)),
        }
    }

    /// Returns the kinds of text that filters may drop from a page whose policy is `own`. With `auto` without
    /// overrides, filters do not drop comments.
    pub fn left_out(self, own: Policy) -> LeftOut {
        let decides_comments = match self {
            Self::Always(_) => true,
            Self::ByPage(overrides) => overrides.off & bits(&["comments"]) != 0,
        };
        LeftOut {
            comments: decides_comments && own.bits & bits(READERS) == 0,
            headings: own.bits & bits(&["headings"]) == 0,
            title: own.bits & bits(&["title"]) == 0,
            byline: own.bits & bits(&["byline"]) == 0,
            extras: own.bits & bits(&["extras"]) == 0,
            quotes: own.bits & bits(&["quotes"]) == 0,
        }
    }

    /// Returns the policy of a page. `is_running_text` is called only if the choice depends on its result.
    pub fn of_page(self, is_running_text: impl FnOnce() -> bool) -> Policy {
        match self {
            Self::Always(policy) => policy,
            Self::ByPage(overrides) => {
                let is_article = overrides.off & bits(&["comments"]) != 0 && is_running_text();
                overrides.applied(Policy::at(if is_article { ARTICLE } else { MAIN }))
            }
        }
    }
}

/// Kinds of text that a policy excludes. Filters remove these texts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Whether comments are explicitly not content, and posts and entries are not content either. Posts and
    /// entries may contain text that readers wrote.
    pub comments: bool,
    /// Whether headings inside the content are left out.
    pub headings: bool,
    /// Whether the headline is left out.
    pub title: bool,
    /// Whether the byline is left out.
    pub byline: bool,
    /// Whether standfirst, key points and closing credits are left out.
    pub extras: bool,
    /// Whether quotations of another post of the same thread are left out.
    pub quotes: bool,
}

impl LeftOut {
    /// Excludes all kinds of text, for filters that run without a policy.
    pub const ALL: Self =
        LeftOut { comments: true, headings: true, title: true, byline: true, extras: true, quotes: true };
}

impl Default for PolicyChoice {
    fn default() -> Self {
        Self::Always(Policy::default())
    }
}

impl From<Policy> for PolicyChoice {
    fn from(policy: Policy) -> Self {
        Self::Always(policy)
    }
}

/// Finds the property `name`.
///
/// # Errors
/// If no property has this name. The error lists all names.
pub fn property(name: &str) -> Result<&'static Property> {
    PROPERTIES.iter().find(|p| p.name == name).ok_or_else(|| {
        let names: Vec<_> = PROPERTIES.iter().map(|p| p.name).collect();
        Error::invalid_option(format!("there is no property `{name}` of policies"))
            .expected(format!("one of {}", names.join(", ")))
    })
}

/// Implements serialization of types by name.
macro_rules! by_name {
    ($($type:ty)*) => {$(
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.name())
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
                <$type>::parse(&String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
            }
        }
    )*};
}

by_name! { Policy PolicyChoice }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_policy_survives_a_round_trip() {
        for (named, bits) in
            (0..NAMED.len() as u8).flat_map(|n| (0..1 << PROPERTIES.len()).map(move |b| (n, b)))
        {
            let policy = Policy { named, bits };
            assert_eq!(Policy::parse(&policy.name()).expect("a policy"), policy, "{}", policy.name());
        }
        for named in NAMED {
            assert_eq!(Policy::parse(named.name).expect("a policy").name(), named.name);
        }
        // the given name is kept, even if another named policy needs fewer overrides
        let with_all = "main+title+byline+captions+comments";
        assert_eq!(Policy::parse(with_all).expect("a policy").name(), with_all);
        assert_eq!(Policy::default().name(), NAMED[0].name);
        assert_eq!(PolicyChoice::parse("auto").expect("a choice").name(), "auto");
        assert_eq!(PolicyChoice::parse("main-headings").expect("a choice").name(), "main-headings");
        assert_eq!(
            PolicyChoice::parse("auto-comments+title").expect("a choice").name(),
            "auto+title-comments"
        );
        assert!(PolicyChoice::parse("auto+nothing").is_err());
        let named = |e: Error| format!("{e:?}").contains("auto");
        assert!(PolicyChoice::parse("nothing").is_err_and(named));
        assert!(!Policy::parse("nothing").is_err_and(named));
        assert!(Policy::parse("main+everything").is_err() && Policy::parse("best").is_err());
        assert!(Policy::parse("").is_err() && Policy::parse("é").is_err());
    }

    #[test]
    fn without_comments_a_page_of_running_text_is_an_article() {
        let choice = |text| PolicyChoice::parse(text).expect("a choice");
        let by_page = |text, is_running_text| choice(text).of_page(|| is_running_text).name();
        assert_eq!([by_page("auto", true), by_page("auto", false)], ["main", "main"]);
        assert_eq!([by_page("auto-comments", true), by_page("auto-comments", false)], ["article", "main"]);
        assert_eq!(
            [by_page("auto+title-items", true), by_page("auto+title-comments", true)],
            ["main+title-items", "article+title"]
        );
        assert_eq!(choice("auto").with(&PROPERTIES[0], true).name(), "auto+title");
        assert_eq!(choice("full").with(&PROPERTIES[0], false).name(), "full-title");
        let left_out = |text| choice(text).left_out(choice(text).of_page(|| true));
        let leaves_out = |text| left_out(text).comments;
        assert!(leaves_out("article") && leaves_out("main-posts-items") && leaves_out("article+captions"));
        assert!(!leaves_out("auto") && !leaves_out("main") && !leaves_out("article+comments"));
        assert!(!leaves_out("article+posts") && !leaves_out("article+items"));
        assert!(leaves_out("auto-comments") && !choice("auto-comments").left_out(Policy::at(MAIN)).comments);
        assert!(left_out("main-headings").headings && left_out("auto-headings").headings);
        assert!(!left_out("article").headings && !left_out("auto").headings);
        assert!(left_out("article-extras").extras && left_out("auto-extras").extras);
        assert!(["main", "article", "full", "auto"].iter().all(|name| !left_out(name).extras));
        assert!(left_out("main").quotes && !left_out("main+quotes").quotes && !left_out("full").quotes);
        let full = PolicyChoice::parse("full").expect("a choice");
        assert_eq!(full.of_page(|| true).name(), "full");
    }
}
