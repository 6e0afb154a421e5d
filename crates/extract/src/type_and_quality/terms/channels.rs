//! Channels: the sources of terms on a page.

/// A source of terms, such as the title. The same word in two channels is two different terms.
#[derive(Debug)]
pub struct Channel {
    /// The name in model files.
    pub name: &'static str,
    /// Whether there are additional terms for frequent words; see [`LEVELS`].
    pub is_counted: bool,
}

/// Numbers of occurrences. In a counted channel, a term that occurs this often on a page yields an additional
/// term.
pub const LEVELS: [u32; 2] = [4, 16];

/// All channels, in the order of their columns.
pub static CHANNELS: &[Channel] = &[
    Channel { name: "url_word", is_counted: false },
    Channel { name: "url_first", is_counted: false },
    Channel { name: "host_word", is_counted: false },
    Channel { name: "title_word", is_counted: false },
    Channel { name: "headline_word", is_counted: false },
    Channel { name: "og_type", is_counted: false },
    Channel { name: "meta_name", is_counted: false },
    Channel { name: "generator", is_counted: false },
    Channel { name: "ld_type", is_counted: true },
    Channel { name: "ld_key", is_counted: false },
    Channel { name: "itemtype", is_counted: true },
    Channel { name: "itemprop", is_counted: true },
    Channel { name: "role", is_counted: true },
    Channel { name: "input_type", is_counted: true },
    Channel { name: "body_name", is_counted: false },
    Channel { name: "name", is_counted: true },
    Channel { name: "button", is_counted: false },
    Channel { name: "button_word", is_counted: true },
    Channel { name: "heading", is_counted: false },
    Channel { name: "heading_word", is_counted: true },
    Channel { name: "label", is_counted: false },
    Channel { name: "word", is_counted: true },
    Channel { name: "kept_word", is_counted: true },
    Channel { name: "kept_heading", is_counted: true },
    Channel { name: "kept_first", is_counted: false },
    Channel { name: "kept_element", is_counted: true },
];

/// Indices in [`CHANNELS`].
pub(crate) mod at {
    pub(crate) const URL_WORD: usize = 0;
    pub(crate) const URL_FIRST: usize = 1;
    pub(crate) const HOST_WORD: usize = 2;
    pub(crate) const TITLE_WORD: usize = 3;
    pub(crate) const HEADLINE_WORD: usize = 4;
    pub(crate) const OG_TYPE: usize = 5;
    pub(crate) const META_NAME: usize = 6;
    pub(crate) const GENERATOR: usize = 7;
    pub(crate) const LD_TYPE: usize = 8;
    pub(crate) const LD_KEY: usize = 9;
    pub(crate) const ITEMTYPE: usize = 10;
    pub(crate) const ITEMPROP: usize = 11;
    pub(crate) const ROLE: usize = 12;
    pub(crate) const INPUT_TYPE: usize = 13;
    pub(crate) const BODY_NAME: usize = 14;
    pub(crate) const NAME: usize = 15;
    pub(crate) const BUTTON: usize = 16;
    pub(crate) const BUTTON_WORD: usize = 17;
    pub(crate) const HEADING: usize = 18;
    pub(crate) const HEADING_WORD: usize = 19;
    pub(crate) const LABEL: usize = 20;
    pub(crate) const WORD: usize = 21;
    pub(crate) const KEPT_WORD: usize = 22;
    pub(crate) const KEPT_HEADING: usize = 23;
    pub(crate) const KEPT_FIRST: usize = 24;
    pub(crate) const KEPT_ELEMENT: usize = 25;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_channels_have_their_indices() {
        for (index, name) in [
            (at::URL_WORD, "url_word"),
            (at::URL_FIRST, "url_first"),
            (at::HOST_WORD, "host_word"),
            (at::TITLE_WORD, "title_word"),
            (at::HEADLINE_WORD, "headline_word"),
            (at::OG_TYPE, "og_type"),
            (at::META_NAME, "meta_name"),
            (at::GENERATOR, "generator"),
            (at::LD_TYPE, "ld_type"),
            (at::LD_KEY, "ld_key"),
            (at::ITEMTYPE, "itemtype"),
            (at::ITEMPROP, "itemprop"),
            (at::ROLE, "role"),
            (at::INPUT_TYPE, "input_type"),
            (at::BODY_NAME, "body_name"),
            (at::NAME, "name"),
            (at::BUTTON, "button"),
            (at::BUTTON_WORD, "button_word"),
            (at::HEADING, "heading"),
            (at::HEADING_WORD, "heading_word"),
            (at::LABEL, "label"),
            (at::WORD, "word"),
            (at::KEPT_WORD, "kept_word"),
            (at::KEPT_HEADING, "kept_heading"),
            (at::KEPT_FIRST, "kept_first"),
            (at::KEPT_ELEMENT, "kept_element"),
        ] {
            assert_eq!(CHANNELS[index].name, name);
        }
    }
}
