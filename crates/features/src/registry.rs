//! The feature families that a program can use.

use crate::{Column, Family, NAMED_SETS, REGISTRY};
use std::fmt;
use std::sync::Arc;
use threshr_core::{Error, Result, Setting};

/// Feature families that a program can use: those of this crate, and those that the program adds.
///
/// [`Families::feature_set`](crate::Families::feature_set) parses expressions for these families.
#[derive(Clone)]
pub struct Families(Arc<[&'static dyn Family]>);

impl Default for Families {
    fn default() -> Self {
        Families(REGISTRY.into())
    }
}

impl Families {
    /// Adds families. Their columns come after the columns of the existing families.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidOption`](threshr_core::ErrorKind::InvalidOption) if a family or two columns have a
    /// name that is already used. Also if a name contains characters other than lower-case ASCII letters,
    /// digits and `_`.
    pub fn with(&self, more: &[&'static dyn Family]) -> Result<Self> {
        let wrong = |message: String| Err(Error::invalid_option(message).with_setting(Setting::Features));
        let mut all = self.0.to_vec();
        for &family in more {
            let name = family.name();
            let is_taken = all.iter().any(|f| f.name() == name) || NAMED_SETS.iter().any(|s| s.name == name);
            if is_taken {
                return wrong(format!("there are two feature families or sets with the name `{name}`"));
            }
            let columns = family.columns();
            let is_double =
                |(at, column): (usize, &Column)| columns[..at].iter().any(|c| c.name == column.name);
            if columns.iter().enumerate().any(is_double) {
                return wrong(format!("the family `{name}` has two columns with the same name"));
            }
            let names = columns.iter().map(|c| &*c.name).chain([name]);
            if let Some(bad) = names.into_iter().find(|name| !is_name(name)) {
                return wrong(format!(
                    "`{bad}` in the family `{name}` is not a valid name, which has only lower-case letters, digits and `_`"
                ));
            }
            all.push(family);
        }
        Ok(Families(all.into()))
    }

    /// All families, in the order of their columns in a matrix.
    pub fn all(&self) -> &[&'static dyn Family] {
        &self.0
    }

    /// Returns the index of a family.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.0.iter().position(|family| family.name() == name)
    }

    /// Returns the columns of each family.
    pub(crate) fn columns(&self) -> Vec<Vec<Column>> {
        self.0.iter().map(|family| family.columns()).collect()
    }
}

impl fmt::Debug for Families {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|family| family.name())).finish()
    }
}

/// Returns true if a string is a valid name for a family or a column.
pub(crate) fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Grid, PageContext};

    struct Own(&'static str, &'static [&'static str]);

    impl Family for Own {
        fn name(&self) -> &'static str {
            self.0
        }
        fn summary(&self) -> &'static str {
            "the number of the block"
        }
        fn columns(&self) -> Vec<Column> {
            self.1
                .iter()
                .map(|&name| Column::new(name, "blocks", "its number, from 1", "this test"))
                .collect()
        }
        fn fill(&self, page: &PageContext<'_>, out: &mut Grid<'_>) {
            (0..page.len()).for_each(|block| out.set(0, block, block as f32 + 1.0));
        }
    }

    #[test]
    fn an_added_family_is_one_of_all() {
        let families = Families::default().with(&[&Own("own", &["number"])]).expect("a new name");
        let set = families.feature_set("own+shallow.num_words", &[1]).expect("a set");
        assert_eq!(set.names().last().map(String::as_str), Some("shallow.num_words@+1"));
        let doc = threshr_html::parse_str("<p>One<p>Two words");
        let blocks = threshr_html::blocks::Blocks::new(
            &doc,
            threshr_html::blocks::REGISTRY[0],
            threshr_html::Visibility::Visible,
        );
        let matrix = set.extract(&set.page(&doc, &blocks));
        let at = set.names().iter().position(|name| name == "own.number").expect("the column");
        assert_eq!(matrix.values().column(at).to_vec(), [1.0, 2.0]);
        let again = families.with_columns(set.names()).expect("the same set");
        assert_eq!(again.definitions_hash(), set.definitions_hash());
        assert!(Families::default().with_columns(set.names()).is_err(), "other programs do not know it");
    }

    /// A family that does what `fill` must not do.
    struct Wrong(&'static str, fn(&mut Grid<'_>));

    impl Family for Wrong {
        fn name(&self) -> &'static str {
            self.0
        }
        fn summary(&self) -> &'static str {
            "nothing"
        }
        fn columns(&self) -> Vec<Column> {
            vec![Column::new("a", "1", "nothing", "this test"), Column::new("b", "1", "nothing", "this test")]
        }
        fn fill(&self, _: &PageContext<'_>, out: &mut Grid<'_>) {
            (self.1)(out);
        }
    }

    #[test]
    fn errors_name_the_family_and_the_column() {
        static NO_NUMBER: Wrong = Wrong("own", |out| out.set(1, 0, f32::NAN));
        static OUTSIDE: Wrong = Wrong("own", |out| out.set(3, 0, 1.0));
        static PANIC: Wrong = Wrong("own", |_| panic!("no luck"));
        let doc = threshr_html::parse_str("<p>One<p>Two words");
        let segmentation = threshr_html::blocks::REGISTRY[0];
        let blocks = threshr_html::blocks::Blocks::new(&doc, segmentation, threshr_html::Visibility::Visible);
        for (family, expected) in [
            (&NO_NUMBER, "the feature family `own` has values in the column `b` that"),
            (&OUTSIDE, "columns below 2 and blocks below 2"),
            (&PANIC, "the feature family `own` panicked: no luck"),
        ] {
            let families = Families::default().with(&[family]).expect("a new name");
            let set = families.feature_set("own", &[]).expect("a set");
            let budget = threshr_core::Budget::UNLIMITED;
            let error =
                set.extract_within(&set.page(&doc, &blocks), &budget).expect_err(expected).to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn wrong_families_are_errors() {
        let told = |family: &'static Own| Families::default().with(&[family]).expect_err("wrong").to_string();
        assert!(
            told(&Own("shallow", &["a"])).contains("two feature families or sets with the name `shallow`")
        );
        assert!(told(&Own("victor", &["a"])).contains("`victor`"));
        assert!(told(&Own("own", &["a", "a"])).contains("two columns"));
        assert!(told(&Own("own.x", &["a"])).contains("`own.x`"));
        assert!(told(&Own("own", &["a@1"])).contains("`a@1`"));
    }
}
