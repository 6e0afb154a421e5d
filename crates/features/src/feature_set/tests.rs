//! Tests of feature sets.

use super::*;
use threshr_html::blocks as block;
use threshr_html::blocks::Blocks;
use threshr_html::{Visibility, parse_str};

fn names(expression: &str, neighbours: &[u32]) -> Vec<String> {
    FeatureSet::parse(expression, neighbours).expect("a set").names().to_vec()
}

#[test]
fn expressions_choose_columns() {
    assert_eq!(
        names("density.link_density+shallow.num_words", &[]),
        ["shallow.num_words", "density.link_density"]
    );
    assert_eq!(names("all,-group", &[]), names("-group", &[]));
    assert!(!names("all-group", &[]).iter().any(|n| n.starts_with("group.")));
    let with = names("density.link_density", &[2, 1]);
    assert_eq!(with, ["", "@-1", "@+1", "@-2", "@+2"].map(|s| format!("density.link_density{s}")));
    for bad in ["", "nonsense", "shallow.nonsense", "shallow,-shallow"] {
        assert!(FeatureSet::parse(bad, &[]).is_err(), "{bad}");
    }
    assert!(FeatureSet::parse("all", &[0]).is_err());
}

#[test]
fn a_set_is_restored_from_its_names() {
    let set = FeatureSet::parse("all", &[1, 3]).expect("a set");
    let again = Families::default().with_columns(set.names()).expect("a set");
    assert_eq!((again.names(), again.definitions_hash()), (set.names(), set.definitions_hash()));
    for bad in ["x", "shallow.x", "shallow.num_words@", "shallow.num_words@+99"] {
        assert!(Families::default().with_columns(&[bad.to_owned()]).is_err(), "{bad}");
    }
}

#[test]
fn a_column_computed_alone_has_the_same_values() {
    let doc = parse_str(
        "<title>One two</title><body class=main><h1>One two</h1><table><tr><td>x<br><br>y<td><p>A cell.<a href=x>link</a></table>\
         <div><p>Five words stand here. <b>Six</b></p><div>2 comments</div><img><a href=y>More.</a></div>\
         <nav><ul><li>a<li>b <input><button>c</button></ul></nav><article><section><p>It ends here.</section></article>",
    );
    let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
    let page = PageContext::new(&doc, &blocks);
    for expression in ["all", "group.up4_share+group.main_share+position.after_title+window.rank"] {
        let set = FeatureSet::parse(expression, &[1]).expect("a set");
        let all = set.extract(&page);
        for column in 0..set.names().len() {
            let needed = (0..set.names().len()).map(|c| c == column).collect();
            let one_column = set.clone().computing(needed);
            let page = one_column.page(&doc, &blocks);
            let alone = one_column.extract(&page);
            let name = &set.names()[column];
            let has_words = page.into_facts().into_stats_and_words().1.is_some();
            assert_eq!(
                (has_words, name),
                (one_column.reads_words, name),
                "whether the column reads words, and what `reads_words` or `word_columns` says"
            );
            assert_eq!(alone.values().column(column), all.values().column(column), "{name}");
        }
    }
}

#[test]
fn neighbours_have_the_values_of_other_rows() {
    let doc = parse_str("<p>one<p>one two<p>one two three");
    let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
    let m = FeatureSet::parse("shallow.num_words", &[1])
        .expect("a set")
        .extract(&PageContext::new(&doc, &blocks));
    assert_eq!(m.values(), ndarray::array![[1.0, 0.0, 2.0], [2.0, 1.0, 3.0], [3.0, 2.0, 0.0]]);
}

#[test]
fn sources_are_columns_of_the_set() {
    let names = |names: &[&str]| names.iter().map(|&n| n.to_owned()).collect::<Vec<_>>();
    let set = Families::default().with_columns(&names(&[
        "shallow.num_words@-1",
        "density.link_density@+2",
        "shallow.num_words",
    ]));
    // the set does not contain link density without a distance
    assert_eq!(set.expect("a set").sources(), [(2, -1), (1, 0), (2, 0)]);
}
