//! What tests of this crate share: pages made at random, and the comparison with html5ever.

mod agreement;
pub(crate) mod random_pages;
