//! Named feature sets, most of which reproduce published systems.

/// A named set of columns. In expressions, its name is used like that of a family.
#[derive(Debug)]
pub struct NamedSet {
    /// Name in expressions.
    pub name: &'static str,
    /// The system that the set reproduces, and which of its features are missing.
    pub source: &'static str,
    /// Expression of the set. It may contain families, columns and sets that are defined earlier in
    /// [`NAMED_SETS`].
    pub expression: &'static str,
}

/// All named sets. A set contains the neighbour columns that its system uses; `--neighbours` adds more.
pub static NAMED_SETS: &[NamedSet] = &[
    NamedSet {
        name: "boilerpipe",
        source: "Kohlschütter et al., WSDM 2010: features of the block, the previous and the next block; \
            counts over a crawl are in the family site_repeat",
        expression: "shallow+density+container+position+duplicate\
            +shallow@1+density@1+container@1+position@1+duplicate@1",
    },
    NamedSet {
        name: "fiasco",
        source: "FIASCO (Bauer et al., CleanEval 2007); the visual features need a geometry file next to the \
            page",
        expression: "lexical+words+shallow.num_chars+shallow.num_words+shallow.num_sentences+shallow.mean_sentence_length\
            +container.depth+container.is_h1+container.is_h2+container.is_h3+container.is_h456+container.is_p\
            +container.num_a+container.num_img+visual",
    },
    NamedSet {
        name: "victor",
        source: "Victor (Marek et al., CleanEval 2007), all features (73.92 %)",
        expression: "container+split+token+bullet+pattern+duplicate+position+group+document\
            +shallow.num_sentences+shallow.mean_sentence_length+shallow.starts_upper+shallow.ends_sentence\
            +shallow.digit_ratio",
    },
    NamedSet {
        name: "victor-74.5",
        source: "Victor without word-ratio (of td and div groups), numeric-count, mixed-count, nonword-count \
            (74.5 %)",
        expression: "victor-group.td_share-group.div_share-group.td_own_share-group.div_own_share\
            -token.num_numeric-token.num_mixed-token.num_nonwords",
    },
    NamedSet {
        name: "victor-75.15",
        source: "Victor's best set: victor-74.5 without regexp-url, the columns that include it, and \
            document.word-count (75.15 %)",
        expression: "victor-74.5-pattern.first-pattern.share-pattern.has_url-document.num_words",
    },
    NamedSet {
        name: "web2text",
        source: "Web2Text (Vogels et al., ECIR 2018): features of blocks and of edges",
        expression: "shallow+token+density.link_density+duplicate+container+position+document+edge\
            +group.up1_share+group.up1_link_density+group.up1_num_blocks+group.up1_p_share\
            +group.up2_share+group.up2_link_density+group.up2_num_blocks+group.up2_p_share",
    },
    NamedSet {
        name: "dragnet",
        source: "dragnet (Peters & Lecocq, WWW 2013, and the later program with Readability's weights)",
        expression: "density.text_density+density.link_density+cetr+attribute+attribute_tokens+readability",
    },
    NamedSet {
        name: "wcc",
        source: "WCC's decision tree (Hofmann & Weerkamp, CleanEval 2007): words, parent tag, capitals, \
            words / punctuation",
        expression: "shallow.num_words+shallow.capital_ratio+token.words_per_sign\
            +container.is_h1+container.is_h2+container.is_h3+container.is_h456+container.is_p+container.is_div\
            +container.is_a+container.is_li+container.is_td+container.is_table+container.is_list+container.is_dl\
            +container.is_section+container.is_article+container.is_main+container.is_nav+container.is_header\
            +container.is_footer+container.is_aside+container.is_form+container.is_blockquote+container.is_pre\
            +container.is_figure+container.is_button+container.is_label+container.is_select+container.is_bold\
            +container.is_italic+container.is_small+container.is_span+container.is_time+container.is_summary\
            +container.is_center",
    },
    NamedSet {
        name: "all",
        source: "all columns except those of `ngrams`, which is slow, and of `visual`, `drawn` and `site_repeat`, \
            which need more than the page",
        expression: "",
    },
];

/// Returns the named set called `name`.
pub(crate) fn named(name: &str) -> Option<&'static NamedSet> {
    NAMED_SETS.iter().find(|set| set.name == name)
}

/// If `expression` begins with a named set whose name contains a hyphen, returns the length of the name,
/// otherwise 0. All other hyphens remove a term.
pub(crate) fn hyphenated(expression: &str) -> usize {
    let names = NAMED_SETS.iter().map(|s| s.name);
    let ends = |name: &&str| {
        let rest = &expression[name.len()..];
        rest.is_empty() || rest.starts_with(|c: char| "+,-.@".contains(c) || c.is_whitespace())
    };
    let whole = |name: &&str| name.contains('-') && expression.starts_with(*name) && ends(name);
    names.filter(whole).map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FeatureSet, REGISTRY};

    fn columns(expression: &str) -> Vec<String> {
        FeatureSet::parse(expression, &[]).expect("a set").names().to_vec()
    }

    #[test]
    fn sets_name_only_earlier_sets() {
        for (i, set) in NAMED_SETS.iter().enumerate() {
            assert!(!columns(set.name).is_empty(), "{}", set.name);
            assert!(REGISTRY.iter().all(|f| f.name() != set.name), "{} is also a family", set.name);
            let later = NAMED_SETS[i..].iter().any(|s| {
                set.expression
                    .split(['+', ','])
                    .any(|t| t == s.name || t.starts_with(&format!("{}-", s.name)))
            });
            assert!(!later, "{}", set.name);
        }
    }

    #[test]
    fn sets_are_terms_like_families() {
        let without = columns("victor,-pattern");
        assert!(
            without.iter().all(|c| !c.starts_with("pattern.")) && without.len() < columns("victor").len()
        );
        assert_eq!(columns("wcc+boilerpipe-boilerpipe"), ["token.words_per_sign"]);
        assert_eq!(columns("victor").len() - columns("victor-74.5").len(), 7);
        assert_eq!(columns("victor-74.5").len() - columns("victor-75.15").len(), 4);
        assert_eq!(
            columns(" victor-75.15 -token , -split").len(),
            columns("victor-75.15,-token,-split").len()
        );
        assert!(FeatureSet::parse("victor-75", &[]).is_err());
        assert!(FeatureSet::parse("wcc.num_words", &[]).is_err());
    }
}
