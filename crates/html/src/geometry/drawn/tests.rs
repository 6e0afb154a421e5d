use super::*;
use crate::{Geometry, element_paths, parse_str};
use proptest::prelude::*;

fn style() -> impl Strategy<Value = Style> {
    let colors = (any::<[u8; 3]>(), any::<[u8; 3]>());
    (0.0..1e3, 1.0..1000.0, colors, 0.0..=1.0, any::<bool>()).prop_map(
        |(font_size, font_weight, (color, background), opacity, visible)| Style {
            font_size,
            font_weight,
            color: Color(color),
            background: Color(background),
            opacity,
            visible,
        },
    )
}

proptest! {
    /// The elements of a random page are unchanged after writing and reading the file.
    #[test]
    fn a_written_file_is_read_again(
        page in "(<(div|p|ul|li|span|table|td|x-y)>|[a-z ]|</(div|p|ul|span)>){0,40}",
        styles in proptest::collection::vec(style(), 1..4),
        boxes in proptest::collection::vec((-1e6..1e6, -1e6..1e6, 0.0..1e6, 0.0..1e6), 60),
    ) {
        let doc = parse_str(&page);
        let mut file = DrawnPage::new([1280.0, 1e4]);
        file.styles.clone_from(&styles);
        let paths = element_paths(&doc, 1 << 20).expect("within the limit");
        for (i, (_, path)) in paths.iter().enumerate() {
            let (x, y, w, h) = boxes[i % boxes.len()];
            let shape = if i % 3 == 0 {
                Shape::Polygon(vec![[x, y], [x + w, y], [x, y + h]])
            } else {
                Shape::Rectangle([x, y, w, h])
            };
            let text = (i % 2 == 0).then_some(Lines { bounds: [x, y, w, h], number: i as u32 });
            let style = (i % styles.len()) as u32;
            file.elements.insert(path.clone(), DrawnElement { shape, style, order: i as u32, text });
        }
        prop_assert_eq!(file.elements.len(), paths.len());
        let json = file.to_json().expect("written");
        prop_assert_eq!(&DrawnPage::read(&json).expect("read"), &file);
        let geometry = Geometry::read(&json, &doc).expect("read");
        for (i, (node, path)) in paths.iter().enumerate() {
            prop_assert_eq!(geometry.style(*node), Some(&styles[i % styles.len()]), "{}", path);
            prop_assert_eq!(geometry.paint_order(*node), Some(i as u32));
            prop_assert_eq!(geometry.lines(*node).map(|l| l.number), (i % 2 == 0).then_some(i as u32));
            let (x, y, ..) = boxes[i % boxes.len()];
            let bounds = geometry.outline(*node).expect("an outline").bounds();
            prop_assert_eq!((bounds[0], bounds[1]), (x, y));
        }
    }

    /// A corrupt file is read or causes an error, but never a panic.
    #[test]
    fn damaged_files_do_not_panic(at in 0usize..400, byte in any::<u8>()) {
        let mut json = example().into_bytes();
        let at = at % json.len();
        json[at] = byte;
        if let Ok(geometry) = Geometry::read(&json, &parse_str("<p>a")) {
            prop_assert!(geometry.page_size().is_some() || json[at] == b'1');
        }
    }
}

fn example() -> String {
    r##"{"format":"threshr-geometry","version":2,"page":[1280,90],"styles":[{"font_size":16,"font_weight":400,
        "color":"#000000","background":"#ffffff","opacity":1,"visible":true}],
        "elements":{"/html/body/p":{"shape":[8,16,1264,36],"style":0,"order":3,
        "text":{"box":[8,16,1250,36],"lines":2}}}}"##
        .to_owned()
}

#[test]
fn the_documented_form_is_read() {
    let doc = parse_str("<p>a");
    let geometry = Geometry::read(example().as_bytes(), &doc).expect("read");
    let paths = element_paths(&doc, 100).expect("within the limit");
    let p = paths.last().expect("a paragraph");
    assert_eq!(p.1, "/html/body/p");
    let style = geometry.style(p.0).expect("a style");
    assert!((style.contrast() - 21.0).abs() < 1e-9 && style.visible);
    assert_eq!(geometry.page_size(), Some([1280.0, 90.0]));
    assert_eq!((geometry.style(paths[0].0), geometry.lines(paths[0].0)), (None, None));
    assert!(element_paths(&doc, 10).is_none());
}

#[test]
fn invalid_values_are_rejected() {
    for (good, bad) in [
        ("\"style\":0", "\"style\":1"),
        ("#ffffff", "white"),
        ("#ffffff", "#+fffff"),
        ("\"opacity\":1", "\"opacity\":2"),
        ("\"font_size\":16", "\"font_size\":-1"),
        ("[1280,90]", "[1280,-1]"),
        ("[8,16,1250,36]", "[8,16,-1,36]"),
        ("\"order\":3", "\"ordre\":3"),
        ("\"version\":2", "\"version\":1"),
    ] {
        let json = example().replace(good, bad);
        assert_ne!(json, example());
        assert!(Geometry::read(json.as_bytes(), &parse_str("<p>a")).is_err(), "{bad}");
    }
}

#[test]
fn colors_are_compared() {
    let (black, white) = (Color([0; 3]), Color([255; 3]));
    assert_eq!((black.distance(black), black.luminance()), (0.0, 0.0));
    assert!((black.distance(white) - 1.0).abs() < 1e-9 && (white.luminance() - 1.0).abs() < 1e-9);
}
