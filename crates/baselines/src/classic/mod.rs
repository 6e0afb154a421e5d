//! Published methods that did not take part in the CleanEval 2007 competition.

pub(crate) mod boilerpipe;
pub(crate) mod bte;
pub(crate) mod density_lm;
pub(crate) mod justext;
pub(crate) mod mss;
pub(crate) mod text_distribution;
pub(crate) mod victor;
