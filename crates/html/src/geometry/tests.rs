use super::*;
use crate::Kind;
use crate::parse_str;

fn read(boxes: &str) -> Result<Geometry> {
    let json = format!(r#"{{"format":"threshr-geometry","version":1,"boxes":{boxes}}}"#);
    Geometry::read(json.as_bytes(), &parse_str("<div>a</div><div><p>b<x-y>c</x-y><p>d"))
}

#[test]
fn finds_elements_by_path() {
    let doc = parse_str("<div>a</div><div><p>b<x-y>c</x-y><p>d");
    let found = read(
        r#"{"/html/body/div[2]/p[2]": [1, 2, 3, 4],
            "/html[1]/body[1]/div[2]/p/x-y": [[0,0],[4,0],[0,3]], "/html/body/nav": [0,0,1,1]}"#,
    )
    .expect("read");
    let at = |path: &str, n: usize| {
        doc.descendants(0).filter(|&node| doc.path(node) == path && doc.kind(node) == Kind::Element).nth(n)
    };
    let p = found.outline(at("html>body>div>p", 1).expect("a p")).expect("an outline");
    assert_eq!((p.bounds(), p.area(), p.vertices().len()), ([1.0, 2.0, 3.0, 4.0], 12.0, 4));
    let other = found.outline(at("html>body>div>p>x-y", 0).expect("an element")).expect("an outline");
    assert_eq!((other.bounds(), other.area()), ([0.0, 0.0, 4.0, 3.0], 6.0));
    assert_eq!(found.elements.len(), 2);
}

#[test]
fn rejects_invalid_files() {
    assert!(read("{}").is_ok());
    for bad in [
        r#"{"/html/body": [0, 0, -1, 1]}"#,
        r#"{"/html/body": [[0, 0], [1, 1]]}"#,
        r#"{"/html/body": [0, 0, 1e12, 1]}"#,
        r#"{"html": [0, 0, 1, 1]}"#,
        r#"{"/html//p": [0, 0, 1, 1]}"#,
        r#"{"/html/body[x]": [0, 0, 1, 1]}"#,
        r#"{"/html/body/nav": [0, 0, 1, 1]}"#,
        "[]",
    ] {
        assert!(read(bad).is_err(), "{bad}");
    }
    for version in [0, 2, 3] {
        let other = format!(r#"{{"format":"threshr-geometry","version":{version},"boxes":{{}}}}"#);
        assert!(Geometry::read(other.as_bytes(), &parse_str("a")).is_err(), "{version}");
    }
}
