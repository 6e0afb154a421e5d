use super::*;
use crate::FeatureSet;
use threshr_html::blocks as block;
use threshr_html::blocks::Blocks;
use threshr_html::{Visibility, parse_str};

/// Returns a column for a page with a heading above a text, and a dark box to the right of the text.
fn column(name: &str) -> Vec<f32> {
    let mut doc = parse_str("<h1>Mills</h1><p>A long text of the page<div>Menu</div><p>End of it here");
    let json = br##"{"format":"threshr-geometry","version":2,"page":[1000,500],"styles":[
        {"font_size":32,"font_weight":700,"color":"#000000","background":"#ffffff","opacity":1,"visible":true},
        {"font_size":16,"font_weight":400,"color":"#000000","background":"#ffffff","opacity":1,"visible":true},
        {"font_size":8,"font_weight":400,"color":"#ffffff","background":"#000000","opacity":0.5,"visible":false}],
        "elements":{
        "/html/body/h1":{"shape":[100,0,600,40],"style":0,"order":1,"text":{"box":[100,0,100,40],"lines":1}},
        "/html/body/p":{"shape":[100,71,600,100],"style":1,"order":2,"text":{"box":[100,71,500,100],"lines":7}},
        "/html/body/div":{"shape":[800,71,200,50],"style":2,"order":4},
        "/html/body/p[2]":{"shape":[100,171,600,29],"style":1,"order":2}}}"##;
    doc.attach_geometry(json).expect("read");
    let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
    assert_eq!(blocks.len(), 4);
    let set = FeatureSet::parse(&format!("drawn.{name}"), &[]).expect("the column exists");
    set.extract(&PageContext::new(&doc, &blocks)).values().iter().copied().collect()
}

#[test]
fn fonts_and_colors_are_relative_to_most_characters() {
    assert_eq!(column("has_style"), [1.0; 4]);
    assert_eq!(column("font_size"), [1.0, 0.0, -1.0, 0.0]);
    assert_eq!(column("font_weight"), [1.0, 0.0, 0.0, 0.0]);
    assert_eq!(column("contrast"), [21.0; 4]);
    assert_eq!(column("background"), [0.0, 0.0, 1.0, 0.0]);
    assert_eq!(column("text_color"), [0.0, 0.0, 1.0, 0.0]);
    assert_eq!((column("opacity")[2], column("is_visible")), (0.5, vec![1.0, 1.0, 0.0, 1.0]));
    assert_eq!(column("paint_order"), [0.25, 0.5, 1.0, 0.5]);
}

#[test]
fn places_are_relative_to_the_page() {
    assert_eq!(column("centre_x"), [0.2, 0.2, 0.8, 0.2]);
    assert_eq!(column("centre_y")[0], 0.04);
    assert_eq!(column("area")[1], 0.12);
    assert_eq!(column("text_width"), [0.1, 0.5, 0.0, 0.0]);
    assert_eq!(column("num_lines"), [1.0, 3.0, 0.0, 0.0]);
    assert_eq!(column("indent"), [0.0, 0.0, 0.7, 0.0]);
    // heading: equals the text; text: equals the heading but not the box; box: equals neither; end: differs
    // from the box
    assert_eq!(column("same_indent"), [1.0, 0.5, 0.0, 0.0]);
    assert_eq!(column("same_width"), [1.0, 0.5, 0.0, 0.0]);
}

#[test]
fn separators_are_spaces_and_changes() {
    // 31 pixels between heading and text
    assert_eq!(column("space_below")[0], 5.0);
    assert_eq!(column("space_above"), [0.0, 5.0, 72f64.log2() as f32, 0.0]);
    // 100 pixels between text and box
    assert_eq!(
        (column("space_right")[1], column("space_left")[2]),
        (101f64.log2() as f32, 101f64.log2() as f32)
    );
    // signals between heading and text: space, size, weight; between text and box: space, background, size
    assert_eq!(column("separator_before"), [0.0, 3.0, 3.0, 3.0]);
    assert_eq!(column("separator_after"), [3.0, 3.0, 3.0, 0.0]);
}

#[test]
fn a_file_of_version_1_gives_no_columns() {
    let mut doc = parse_str("<p>a<p>b");
    let json = br#"{"format":"threshr-geometry","version":1,"boxes":{"/html/body/p":[0,0,60,80]}}"#;
    doc.attach_geometry(json).expect("read");
    let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
    let set = FeatureSet::parse("drawn", &[]).expect("the set exists");
    let matrix = set.extract(&PageContext::new(&doc, &blocks));
    assert!(matrix.values().iter().all(|&v| v == 0.0));
}
