//! What is to count as content.
//!
//! Annotated sets disagree on it: readers' comments, the title, captions, lists of teasers are content in one and
//! boilerplate in the next. A [`Policy`] says it by properties, of which every set declares its own for training;
//! at prediction the user chooses. Three have names: see [`NAMED`].

use crate::{Error, Result};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A kind of text that is content under some policies and not under others.
#[derive(Debug)]
pub struct Property {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub definition: &'static str,
    bit: u16,
}

/// All properties; the order is that of the columns.
pub static PROPERTIES: &[Property] = &[
    Property { name: "title", definition: "the headline of the page", bit: 1 },
    Property { name: "headings", definition: "headings inside the main content", bit: 2 },
    Property { name: "byline", definition: "author, date and place around the headline", bit: 4 },
    Property { name: "captions", definition: "captions of pictures", bit: 8 },
    Property { name: "comments", definition: "readers' comments below an article", bit: 16 },
    Property { name: "posts", definition: "posts of a thread, where the page is for these", bit: 128 },
    Property {
        name: "items",
        definition: "entries of a listing, products, cards, where the page is for these",
        bit: 32,
    },
    Property {
        name: "teasers",
        definition: "other pages' headlines and first lines, beside the main content",
        bit: 256,
    },
    Property {
        name: "fragments",
        definition: "labels, prices, lines of links and other pieces of few words inside the main content",
        bit: 64,
    },
];

/// A policy with a name.
#[derive(Debug)]
pub struct Named {
    /// Its name.
    pub name: &'static str,
    /// One line for help and tables.
    pub summary: &'static str,
    /// Its properties.
    pub properties: &'static [&'static str],
}

/// Places among [`NAMED`].
const MAIN: u8 = 0;
const ARTICLE: u8 = 1;
/// What the filter `comments` would drop: it asks for all of it to be unwanted.
pub const READERS: &[&str] = &["comments", "posts", "items"];

/// The policies with names; the first is the default.
pub static NAMED: &[Named] = &[
    Named {
        name: "main",
        summary: "what the page is for, whatever its type: the body of an article, posts, entries, products",
        properties: &["headings", "posts", "items", "fragments"],
    },
    Named {
        name: "article",
        summary: "the running text of an article with its headings, and nothing else",
        properties: &["headings"],
    },
    Named {
        name: "full",
        summary: "all that somebody wrote for this page: main, with headline, byline, captions and comments",
        properties: &["title", "headings", "byline", "captions", "comments", "posts", "items", "fragments"],
    },
];

/// What is to count as content: a policy with a name, and switches of [`PROPERTIES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Policy {
    /// Its place among [`NAMED`].
    named: u8,
    /// Bits of the properties that count.
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

    /// Whether a kind of text counts.
    pub fn has(self, property: &Property) -> bool {
        self.bits & property.bit != 0
    }

    /// Whether the policy whose name was said has a property otherwise.
    pub fn switches(self, property: &Property) -> bool {
        self.switched() & property.bit != 0
    }

    fn switched(self) -> u16 {
        bits(self.base().properties) ^ self.bits
    }

    fn base(self) -> &'static Named {
        NAMED.get(usize::from(self.named)).unwrap_or(&NAMED[0])
    }

    /// The policy with a property switched.
    #[must_use]
    pub fn with(self, property: &Property, on: bool) -> Self {
        let bits = if on { self.bits | property.bit } else { self.bits & !property.bit };
        Policy { bits, ..self }
    }

    /// Reads a name and switches: `article`, `main+comments`, `full-title-byline`.
    ///
    /// # Errors
    /// For names that there are not.
    pub fn parse(text: &str) -> Result<Self> {
        let (name, switches) = name_and_switches(text)?;
        Self::named(name, &[]).map(|policy| switches.applied(policy))
    }

    /// The policy called `name`, where `others` could have been said too.
    fn named(name: &str, others: &[&str]) -> Result<Self> {
        (0..).zip(NAMED).find(|(_, n)| n.name == name).map(|(named, _)| Self::at(named)).ok_or_else(|| {
            let names: Vec<_> = others.iter().copied().chain(NAMED.iter().map(|n| n.name)).collect();
            Error::recipe(format!("there is no policy `{name}`"))
                .expected(format!("{}, with switches such as +comments or -title", names.join(", ")))
        })
    }

    /// What [`Policy::parse`] reads back: the name that was said and what is switched.
    pub fn name(self) -> String {
        let off = self.switched() & !self.bits;
        self.base().name.to_owned() + &Switches { on: self.switched() & self.bits, off }.name()
    }
}

/// A name, and the switches behind it.
fn name_and_switches(text: &str) -> Result<(&str, Switches)> {
    let end = |s: &str| s.find(['+', '-']).unwrap_or(s.len());
    let (name, mut rest) = text.split_at(end(text));
    let mut switches = Switches::default();
    while let Some(sign) = rest.chars().next() {
        let after = &rest[1..];
        switches = switches.with(property(after[..end(after)].trim())?, sign == '+');
        rest = &after[end(after)..];
    }
    Ok((name.trim(), switches))
}

/// Properties that are switched on or off, whatever a policy says of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Switches {
    on: u16,
    off: u16,
}

impl Switches {
    fn with(self, property: &Property, on: bool) -> Self {
        let bit = property.bit;
        match on {
            true => Switches { on: self.on | bit, off: self.off & !bit },
            false => Switches { on: self.on & !bit, off: self.off | bit },
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

/// The policy of a page: the same for all, or by the page where that helps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PolicyChoice {
    /// The same for all pages.
    Always(Policy),
    /// `main` with what is switched; but where comments are switched off, `article` on pages of running text, on which what readers wrote
    /// can be told by what announces it.
    ByPage(Switches),
}

impl PolicyChoice {
    /// The name of [`PolicyChoice::ByPage`].
    pub const BY_PAGE: &str = "auto";

    /// Reads `auto` or what [`Policy::parse`] reads, with switches.
    ///
    /// # Errors
    /// As there.
    pub fn parse(text: &str) -> Result<Self> {
        let (name, switches) = name_and_switches(text)?;
        match name {
            Self::BY_PAGE => Ok(Self::ByPage(switches)),
            _ => Policy::named(name, &[Self::BY_PAGE]).map(|policy| Self::Always(switches.applied(policy))),
        }
    }

    /// What [`PolicyChoice::parse`] reads back.
    pub fn name(self) -> String {
        match self {
            Self::Always(policy) => policy.name(),
            Self::ByPage(switches) => format!("{}{}", Self::BY_PAGE, switches.name()),
        }
    }

    /// The choice with a property switched.
    #[must_use]
    pub fn with(self, property: &Property, on: bool) -> Self {
        match self {
            Self::Always(policy) => Self::Always(policy.with(property, on)),
            Self::ByPage(switches) => Self::ByPage(switches.with(property, on)),
        }
    }

    /// What is certainly no content of a page whose policy by this choice is `own`. `auto` alone says nothing of comments.
    pub fn left_out(self, own: Policy) -> LeftOut {
        let is_said = match self {
            Self::Always(_) => true,
            Self::ByPage(switches) => switches.off & bits(&["comments"]) != 0,
        };
        LeftOut {
            comments: is_said && own.bits & bits(READERS) == 0,
            headings: own.bits & bits(&["headings"]) == 0,
            title: own.bits & bits(&["title"]) == 0,
        }
    }

    /// The policy of one page.
    pub fn of_page(self, is_running_text: impl FnOnce() -> bool) -> Policy {
        match self {
            Self::Always(policy) => policy,
            Self::ByPage(switches) => {
                let is_article = switches.off & bits(&["comments"]) != 0 && is_running_text();
                switches.applied(Policy::at(if is_article { ARTICLE } else { MAIN }))
            }
        }
    }
}

/// What filters are to know of a policy.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Whether what readers wrote is certainly no content: it was said that comments do not count, nor do posts and entries, which have or
    /// are such.
    pub comments: bool,
    /// Whether headings inside the content are none.
    pub headings: bool,
    /// Whether the headline is none.
    pub title: bool,
}

impl LeftOut {
    /// All of it, where a filter is asked for beside no policy and is to do what it is for.
    pub const ALL: Self = LeftOut { comments: true, headings: true, title: true };
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

/// The property called `name`, or an error that lists the names there are.
///
/// # Errors
/// For names that there are not.
pub fn property(name: &str) -> Result<&'static Property> {
    PROPERTIES.iter().find(|p| p.name == name).ok_or_else(|| {
        let names: Vec<_> = PROPERTIES.iter().map(|p| p.name).collect();
        Error::recipe(format!("there is no property `{name}` of policies"))
            .expected(format!("one of {}", names.join(", ")))
    })
}

/// A type as the name that it is read back from.
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
    fn every_policy_is_read_back() {
        for (named, bits) in
            (0..NAMED.len() as u8).flat_map(|n| (0..1 << PROPERTIES.len()).map(move |b| (n, b)))
        {
            let policy = Policy { named, bits };
            assert_eq!(Policy::parse(&policy.name()).expect("a policy"), policy, "{}", policy.name());
        }
        for named in NAMED {
            assert_eq!(Policy::parse(named.name).expect("a policy").name(), named.name);
        }
        // the name that was said stays, though another is nearer
        let all_told = "main+title+byline+captions+comments";
        assert_eq!(Policy::parse(all_told).expect("a policy").name(), all_told);
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
    fn a_page_of_running_text_is_an_article_where_comments_are_not_wanted() {
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
        let full = PolicyChoice::parse("full").expect("a choice");
        assert_eq!(full.of_page(|| true).name(), "full");
    }
}
